import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../sql/sql.ts'
import { onEveryDatabase } from '../../../test/support/store/databases.ts'
import { buildRecord } from '../../../test/support/records/records.ts'
import { openLibrary } from '../../../test/support/service/library.ts'
import { sqliteDialect } from '../../database/sqlite/dialect.ts'
import { createEmitter } from './emitter.ts'
import { emitQuery } from './steps.ts'

const state = { version: 1, hiding: false, ordered: new Set<string>() }

function stepsOf(...queries: ReturnType<typeof sql>[]): number {
  const emitter = createEmitter({ dialect: sqliteDialect, state, tables: [] })
  const { text } = emitQuery(emitter, (within) => {
    return sql`select * from ${within.step(queries[0] ?? sql``)}, ${within.step(queries[1] ?? sql``)}`
  })
  return text.match(/ as materialized /g)?.length ?? 0
}

test('queries that differ in aliases alone are one step', () => {
  assert.equal(stepsOf(sql`select t1.a from b t1`, sql`select t7.a from b t7`), 1)
  assert.equal(stepsOf(sql`select t1.a, t2.a from b t1, b t2`, sql`select t4.a, t3.a from b t4, b t3`), 1)
})

test('queries that differ in anything else are two', () => {
  assert.equal(stepsOf(sql`select t1.a, t2.a from b t1, b t2`, sql`select t4.a, t4.a from b t4, b t3`), 2)
  assert.equal(
    stepsOf(sql`select t1.a from b t1 where c = ${1}`, sql`select t1.a from b t1 where c = ${2}`),
    2,
  )
  assert.equal(stepsOf(sql`select ${1}`, sql`select ${'1'}`), 2)
  // What looks like an alias in a name or a text is none.
  assert.equal(stepsOf(sql`select t1."t2" from b t1`, sql`select t1."t3" from b t1`), 2)
  assert.equal(stepsOf(sql`select 'it''s t2'`, sql`select 'it''s t3'`), 2)
})

onEveryDatabase('aggregates of one operation that count the same share it', async (database) => {
  const books = await Promise.all(
    Array.from({ length: 9 }, (_, n) =>
      buildRecord('org.example.library.book', {
        rkey: `b${n}`,
        value: { title: `Book ${n}`, pages: n % 3, language: n < 6 ? 'en' : 'nl' },
      }),
    ),
  )
  await using service = await openLibrary(database, books)
  const part = (order: string, language = 'en') =>
    `orgExampleLibraryBookAggregate(where: {language: {eq: "${language}"}, pages: {lt: 2}}, denominator: {language: {eq: "${language}"}}, groupBy: [pages], ${order}) { count share groups { pages count share } }`
  const passes = async (query: string) => {
    const data = await service.data(query)
    const { length } =
      service.opened.lastStatement().match(/as materialized \(select [^()]*count\(\*\) as n/g) ?? []
    return { data, length }
  }
  const alone = await passes(`{ a: ${part('limit: 1')} }`)
  const both = await passes(`{ a: ${part('limit: 1')} b: ${part('limit: 5, orderBy: KEY_ASC')} }`)
  assert.deepEqual(both.data.a, alone.data.a)
  assert.equal(both.data.b.groups.length, 2)
  assert.equal(both.length, alone.length)
  const other = await passes(`{ a: ${part('limit: 1')} b: ${part('limit: 1', 'nl')} }`)
  assert.equal(other.length, 2 * alone.length)
})
