/**
 * The unusual words of a field as SQL: the words of a sample of records are counted, as are those of the background, and
 * compared like groups. src/search/sample.ts says which records are read.
 */
import type { Table, WordIndex } from '../../../database/layout/tables.ts'
import { sampleParts } from '../../../search/sample.ts'
import { allOf, join, raw, type Sql, sql } from '../../../sql/sql.ts'
import { emitFilters } from '../emit-access-path.ts'
import { emitObject, emitRowsArray } from '../emit-output.ts'
import { columnOf, type Emitter, newRow } from '../emitter.ts'
import type { PhysicalUnusualWords, SampledRecords } from '../../plan/physical-plan.ts'
import { emitCount, fromRows } from './emit-counts.ts'
import { emitSignificance, scoreSteps } from './emit-significance.ts'
import type { StepEmitter } from '../steps.ts'

/** The object `unusualWords` as JSON text. */
export function emitUnusualWords(emitter: StepEmitter, words: PhysicalUnusualWords): Sql {
  const { dialect } = emitter
  const { table, field, fields, minCount, limit } = words
  const counted = countWords(emitter, table, field, words.own)
  const others = countWords(emitter, table, field, words.others)
  const isLarge = sql`n >= ${minCount}`
  const scored = scoreSteps(emitter, {
    keys: [raw('word')],
    values: [raw('n')],
    parts: [
      sql`select word, n, cast(0 as bigint) as against from ${counted.name} where ${isLarge}`,
      sql`select word, null, n from ${others.name} where word in (select word from ${counted.name} where ${isLarge})`,
    ],
    totals: sql`select ${counted.records} as total, ${others.records} as others`,
  })
  return emitObject(emitter, fields, (output) => {
    if (output.kind !== 'words') return output.kind === 'recordsRead' ? counted.records : others.records
    const row = emitter.alias()
    const text = emitObject(emitter, output.fields, (inner) => {
      if (inner.kind === 'significance') return emitSignificance(emitter, inner.fields, row)
      return inner.kind === 'count' ? sql`${row}.n` : dialect.toJson(sql`${row}.word`)
    })
    const page = sql`select * from ${scored} order by score desc, n desc, word limit ${dialect.limit(limit)}`
    return emitRowsArray(emitter, page, row, text)
  })
}

interface CountedWords {
  /** `word`, and how many of the records read have it as `n`. */
  readonly name: Sql
  /** How many records are read. */
  readonly records: Sql
}

function countWords(
  emitter: StepEmitter,
  table: Table,
  field: number,
  { count, rows }: SampledRecords,
): CountedWords {
  const { wordCounts } = emitter.dialect
  const all = sql`(select ${emitCount(emitter, count, table, null)} as n) ${emitter.alias()}`
  const sample = emitter.step(sql`select ${partOf(emitter)} as part from ${all}`)
  const row = newRow(emitter, table)
  const { from, on } = fromRows(emitter, rows, row, null)
  const part = sql`(select part from ${sample})`
  const isRead = sql`(${part} is null or ${wordCounts.isSampled(sql`${row.alias}.cid`, part)})`
  const conditions = allOf([...on, emitFilters(emitter, rows.rows.filter, row), isRead])
  const { fields } = table.words as WordIndex
  const texts = fields.slice(0, field + 1).map(({ text }) => columnOf(emitter, row.alias, text))
  const read = emitter.step(sql`select ${wordCounts.read(row.alias, texts)} from ${from} where ${conditions}`)
  return { name: emitter.step(wordCounts.words(read, field)), records: wordCounts.records(read) }
}

/** The part of `n` records that is read; null: all of them. */
function partOf({ dialect }: Emitter): Sql {
  const { partText } = dialect.wordCounts
  const [all, ...parts] = sampleParts
  const cases = parts.map(
    ({ records, part }) => sql`when n <= ${raw(String(records))} then ${partText(part)}`,
  )
  return sql`case when n <= ${raw(String(all?.records))} then null ${join(cases, ' ')} else ${partText(1)} end`
}
