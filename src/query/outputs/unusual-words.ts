/**
 * `unusualWords` of an aggregate: the words of a sample of records are counted, as are those of the background, and
 * compared like groups. src/search/sample.ts says which records are read.
 */
import type { Table, WordIndex } from '../../database/layout/tables.ts'
import type { SearchField } from '../../schema/model/model.ts'
import { mostRead, sampleParts } from '../../search/sample.ts'
import { join, raw, type Sql, sql } from '../../sql/sql.ts'
import { emitAccess } from '../emit/emit-access-path.ts'
import { emitObject, emitRowsArray } from '../emit/emit-output.ts'
import { columnOf, type Emitter, newRow } from '../emit/emitter.ts'
import { emitRecordCount } from '../emit/groups/emit-counts.ts'
import { describeAccess, describeWhere } from '../optimize/describe-access.ts'
import { planCount, planCountedRows } from '../optimize/groups/optimize-count.ts'
import { joinWords } from '../optimize/match-words.ts'
import { countFound, planFilter } from '../optimize/optimize-filter.ts'
import { isUnhinted, type Optimizer, rowsOf } from '../optimize/optimizer.ts'
import { limits } from '../parse/limits.ts'
import { argumentsOf, type Collected, integerArgument } from '../parse/prepare.ts'
import { fieldsBelow, namedBelow } from '../plan/build-fields.ts'
import type { Condition } from '../plan/conditions.ts'
import type { UnusualWordOutput, UnusualWordsOutput, UnusualWordsPlan } from '../plan/groups/group-plan.ts'
import type { CountedRows, PhysicalUnusualWords, SampledRecords } from '../plan/physical-plan.ts'
import { selectedSize, sum, weights } from '../price/cost-weights.ts'
import { whereSize } from '../price/cost-where.ts'
import type { AggregateContext } from './measures.ts'
import { emitSignificance, scoreSteps } from './scores.ts'
import { comparison, readForBackground } from './significance.ts'

const defaultLimit = 20

export function buildUnusualWords(context: AggregateContext, collected: Collected): UnusualWordsPlan {
  const { table, where } = context
  const { field, limit, ...compared } = argumentsOf(context.selection, collected)
  const { name } = field as SearchField
  return {
    kind: 'unusualWords',
    table,
    where,
    ...comparison(context, table, where, compared),
    field: table.words?.fields.findIndex((each) => each.name === name) ?? -1,
    limit: integerArgument('limit', limit, limits.unusualWords, defaultLimit, 1),
    fields: fieldsBelow(context, collected, (below): UnusualWordsOutput => {
      if (below.name !== 'words') return { kind: below.name as 'recordsRead' | 'againstRecordsRead' }
      return {
        kind: 'words',
        fields: fieldsBelow(context, below, (inner): UnusualWordOutput => {
          if (inner.name !== 'significance') return { kind: inner.name as 'word' | 'count' }
          return { kind: 'significance', fields: namedBelow(context, inner) }
        }),
      }
    }),
  }
}

/** Counting the words of both samples, finding which records these are, and printing the words. */
export function unusualWordsSize(plan: UnusualWordsPlan): number {
  const { table, where, background, fields, limit } = plan
  const sizeOf = (part: Condition): number => whereSize({ table, where: part, link: null }, 'all')
  const read =
    2 * weights.total +
    weights.words +
    sum([where, where, background, readForBackground(where, plan)], sizeOf)
  const printed = selectedSize(fields, (output) =>
    output.kind === 'words'
      ? weights.value + limit * (weights.value + selectedSize(output.fields, unusualWordSize))
      : weights.value,
  )
  return read + weights.value + printed
}

function unusualWordSize(output: UnusualWordOutput): number {
  return weights.value + (output.kind === 'significance' ? output.fields.length * weights.value : 0)
}

export function planUnusualWords(optimizer: Optimizer, words: UnusualWordsPlan): PhysicalUnusualWords {
  const { table, where, background } = words
  const sampled = (condition: Condition): SampledRecords => ({
    count: planCount(optimizer, { table, where: condition }),
    rows: planSample(optimizer, table, condition),
  })
  optimizer.estimate.rows = Number.POSITIVE_INFINITY
  return { ...words, own: sampled(joinWords(where)), others: sampled(joinWords(background)) }
}

/**
 * Of n records of N, the index of samples finds those that are read among about N × `mostRead` / n of all records. Where
 * that is more than n, the n records are looked at for their CIDs. Only engines that take hints have that index.
 */
function planSample(optimizer: Optimizer, table: Table, where: Condition): CountedRows {
  const counted = planCountedRows(optimizer, { table, where })
  const index = table.indexes.find(({ kind }) => kind === 'sample')
  if (isUnhinted(optimizer) || index === undefined || counted.path.kind !== 'planner') return counted
  const many = Math.ceil(Math.sqrt(mostRead * rowsOf(optimizer, table)))
  // What is not counted may be few.
  if (!optimizer.statistics.affordsCount(many)) return counted
  if (countFound(optimizer, table, planFilter(optimizer, where), many) < many) return counted
  return { ...counted, path: { kind: 'index-scan', index: index.name } }
}

/** The object `unusualWords` as JSON text. */
export function emitUnusualWords(emitter: Emitter, words: PhysicalUnusualWords): Sql {
  const { dialect } = emitter
  const { table, field, fields, minCount, limit } = words
  const counted = countWords(emitter, table, field, words.own)
  const others = countWords(emitter, table, field, words.others)
  const scored = scoreSteps(emitter, {
    keys: [raw('word')],
    values: [raw('n')],
    parts: [
      sql`select word, n, cast(0 as bigint) as against from ${counted.name} where n >= ${minCount}`,
      // Words without an `n` get no score. PostgreSQL, which expects few words, would look up each in all of the others.
      sql`select word, null, n from ${others.name}`,
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

/** The name of `word` and `n`, how many of the records read have it, and the number of these records. */
function countWords(emitter: Emitter, table: Table, field: number, { count, rows }: SampledRecords) {
  const { wordCounts } = emitter.dialect
  const all = sql`(select ${emitRecordCount(emitter, count, table, null)} as n) ${emitter.alias()}`
  const sample = emitter.step(sql`select ${partOf(emitter)} as part from ${all}`)
  const row = newRow(emitter, table)
  const part = sql`(select part from ${sample})`
  const isRead = wordCounts.isSampled(sql`${row.alias}.cid`, part)
  const { from, where } = emitAccess(emitter, rows, row, null, [isRead])
  const { fields } = table.words as WordIndex
  const texts = fields.slice(0, field + 1).map(({ text }) => columnOf(emitter, row.alias, text))
  const read = emitter.step(sql`select ${wordCounts.read(row.alias, texts)} from ${from} where ${where}`)
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

export function describeUnusualWords({ own, others, ...words }: PhysicalUnusualWords): string {
  const { name } = words.table.words?.fields[words.field] ?? {}
  return `words of ${name} from ${describeAccess(own.rows)}, compared with records ${describeWhere(words.background)}, their words from ${describeAccess(others.rows)}`
}
