/** Records that share a name are separate groups, whose names say which is which. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newsLexicons } from '../../../../test/golden/corpora.ts'
import { createAgent, engineEndpoint, modelOf } from '../../../../test/support/service/agents.ts'
import { buildOutlets } from '../../../../test/support/records/outlets.ts'
import { openTestService } from '../../../../test/support/service/service.ts'

const { documents: lexicons, references } = newsLexicons
const all = { source: { all: 'The New York Times' } }
const expected = [
  ['The New York Times (nytimes.example)', 9],
  ['The New York Times (cooking.nytimes.example)', 2],
  ['New York Times', 1],
  ['The New York Times (nytimes-cn.example)', 1],
]

test('records that share a name are told apart by their keys', async (t) => {
  await using service = await openTestService({ lexicons, references, records: await buildOutlets() })
  const agent = createAgent(modelOf(lexicons, references), engineEndpoint(service.engine))

  await t.test('as keys of groups', async () => {
    const { rows } = await agent.call('aggregate', { collection: 'article', by: ['source'], filters: all })
    assert.deepEqual(rows.toSorted(byCount), expected)
  })

  await t.test('as inner groups', async () => {
    const { rows } = await agent.call('aggregate', {
      collection: 'article',
      by: ['language'],
      top: { by: 'source', limit: 10 },
      filters: all,
    })
    const inner: [string, number][] = rows.flatMap(([, , top]: [string, number, object]) =>
      Object.entries(top),
    )
    assert.deepEqual(inner.toSorted(byCount), expected)
  })

  await t.test('as values of a field', async () => {
    const { values } = await agent.call('describe', { collection: 'article', field: 'source' })
    for (const [name, count] of expected) assert.equal(values[String(name)], count)
  })

  await t.test('and the name that tells them apart finds the one', async () => {
    for (const [source, count] of expected.filter(([name]) => String(name).endsWith(')'))) {
      const answer = await agent.call('aggregate', { collection: 'article', filters: { source } })
      assert.equal(answer.count, count, String(source))
    }
  })
})

function byCount(a: [string, number], b: [string, number]): number {
  return b[1] - a[1] || (a[0] < b[0] ? -1 : 1)
}
