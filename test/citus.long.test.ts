/** What only a real cluster shows: TEST_CITUS_URL names one (test/support/clusters/citus.ts). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { noteLexicons } from './support/records/notes.ts'
import { openTestService } from './support/service/service.ts'
import { citusUrl } from './support/clusters/citus.ts'

const skip = citusUrl === undefined && 'TEST_CITUS_URL names no cluster'
const notes = 100
const query = '{ orgExampleNote(first: 100) { totalCount nodes { text } } }'

test('connections to workers that are lost cost answers at most, and the next ones come', {
  skip,
}, async () => {
  const records = Array.from({ length: notes }, (_, n) => ({
    uri: `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/org.example.note/n${n}`,
    value: { $type: 'org.example.note', text: `note ${n}` },
  }))
  await using service = await openTestService({ lexicons: noteLexicons, database: 'postgres', records })
  const whole = await service.data(query)
  assert.equal(whole.orgExampleNote.totalCount, notes)
  const [database] = await service.opened.database.read.readSteps(function* () {
    return (yield { text: 'select current_database() as name', values: [] }) as readonly { name: string }[]
  })
  const nodes = await rowsOn(
    citusUrl as string,
    database?.name ?? '',
    'select nodename, nodeport from citus_shards group by 1, 2',
  )
  assert.ok(nodes.length > 1, 'The records lie on one node.')
  for (let round = 0; round < 5; round += 1) {
    const asked = Array.from({ length: 8 }, () => service.query(query))
    for (const { nodename, nodeport } of nodes.slice(1)) {
      const worker = Object.assign(new URL(citusUrl as string), {
        hostname: nodename,
        port: String(nodeport),
      }).href
      await rowsOn(
        worker,
        database?.name ?? '',
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
    }
    for (const answer of await Promise.all(asked))
      if (answer.errors === undefined) assert.deepEqual(answer.data, whole)
      else assert.equal(answer.code, 'UNAVAILABLE')
    assert.deepEqual(await service.data(query), whole)
  }
})

async function rowsOn(
  url: string,
  database: string,
  statement: string,
): Promise<readonly Record<string, string>[]> {
  const client = new pg.Client(Object.assign(new URL(url), { pathname: database }).href)
  await client.connect()
  const { rows } = await client.query(statement)
  await client.end()
  return rows
}
