import assert from 'node:assert/strict'
import type { PoolClient } from 'pg'
import { onUntimedPostgres } from '../../../../test/support/store/databases.ts'
import { openNotes } from '../../../../test/support/records/notes.ts'
import { freshDatabase } from '../../../../test/support/store/postgres.ts'
import { connect } from '../connection.ts'
import { PostgresStatistics } from './statistics.ts'

onUntimedPostgres('statistics that are lacking are read at once, and not again', async () => {
  await using database = await freshDatabase()
  await using store = await openNotes(database.url)
  const client = await connect(database.url, 'read')
  let readings = 0
  const statistics = new PostgresStatistics((work) => {
    readings += 1
    return work(client as unknown as PoolClient)
  })
  const [table] = store.tables.filter(({ texts }) => texts.length > 0)
  const [index] = table?.texts ?? []
  assert.ok(table !== undefined && index !== undefined)
  const look = () => [
    statistics.countUpTo({ text: 'select 1 from base where did = $1', values: ['nobody'] }, 100),
    statistics.trigram(index, 'abc'),
    statistics.trigram(index, 'bcd'),
    statistics.prefix(index, 'a').records,
  ]
  assert.deepEqual(look(), [100, 1_000, 1_000, 1_000])
  assert.equal(await statistics.complete(), true)
  assert.deepEqual(look(), [0, 0, 0, 0])
  assert.equal(await statistics.complete(), false)
  assert.equal(readings, 1)
  await client.end()
})
