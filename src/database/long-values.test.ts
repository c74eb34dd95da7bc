/** Nobody can stop a source with values that are longer than an index takes. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { onEveryEngine } from '../../test/support/store/databases.ts'
import { emptyDatabases, openTestStore, recordLexicon } from '../../test/support/store/store.ts'
import { readRejections } from './metadata/read-rejections.ts'

const thing = 'org.example.thing'
const here = `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/${thing}/`
const lexicon = recordLexicon(thing, {
  kind: { type: 'string', knownValues: ['x'] },
  lang: { type: 'string', format: 'language' },
  at: { type: 'string', format: 'datetime' },
  link: { type: 'string', format: 'at-uri' },
  links: { type: 'array', items: { type: 'string', format: 'at-uri' } },
  url: { type: 'string', format: 'uri' },
  tags: { type: 'array', items: { type: 'string' } },
  text: { type: 'string', maxGraphemes: 100_000 },
})
const empty = emptyDatabases()

for (const way of ['batch', 'load'] as const)
  onEveryEngine(`values of any length are stored by a ${way}`, async (database) => {
    await using store = await openTestStore({ path: await empty(database), lexicons: [lexicon] })
    const values = [
      { kind: random(10_000) },
      { lang: `en-x-${random(960).replaceAll(/(.{8})/g, '$1-')}z`, at: '2026-01-01T00:00:00Z' },
      { link: `${here}a#/${random(7000)}` },
      { link: `${here}a#/${random(7000)}/b` },
      { links: [`at://did:web:${random(2000)}.example/${thing}/a`] },
      { url: `https://x.example/${random(9000)}` },
      { tags: [random(50_000)] },
      { text: random(90_000) },
    ]
    const key = (index: number): string => 'k'.repeat(500) + index
    const lines = values.map((value, index) => ({
      uri: here + key(index),
      value: { $type: thing, ...value },
    }))
    const outcome = await (way === 'batch' ? store.apply(...lines) : store.load(lines))
    const refusals = await store.database.read.readSteps(() => readRejections(9, null))
    assert.deepEqual([outcome.stored, refusals.map(({ message }) => message)], [values.length, []])
    assert.equal((await store.rows(`select rkey from "${thing}"`)).length, values.length)
  })

onEveryEngine('a rejection is stored for a URI of any length', async (database) => {
  await using store = await openTestStore({ path: await empty(database), lexicons: [lexicon] })
  const refused = {
    kind: 'reject',
    source: 'f:1',
    reason: 'bad-uri',
    message: 'No.',
    record: '{}',
  } as const
  const uri = `at://${random(9000)}`
  for (const once of [1, 2]) {
    const outcome = await store.database.write.applyBatch([{ ...refused, uri }])
    assert.equal(outcome.rejected, 1, String(once))
  }
  const kept = await store.database.read.readSteps(() => readRejections(9, null))
  assert.deepEqual(
    kept.map((one) => one.uri),
    [uri],
  )
})

/** Of what cannot be made shorter by compressing it, fit for any part of a URI. */
function random(length: number): string {
  return randomBytes(length).toString('base64url').replaceAll(/[-_]/g, 'x').slice(0, length)
}
