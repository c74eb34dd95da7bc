/** Parses texts such as `avg:score` or `p90:wordCount` into measures, writes their selections, and reads their values. */
import { leafPath, leafType } from '../schema/model/leaves.ts'
import type { Collection } from '../schema/model/model.ts'
import { type MeasureField, measureFields } from '../schema/model/operators.ts'
import { nearest } from '../util/text/nearest.ts'
import { EnumValue, type Literal, type Selection } from './graphql-text.ts'
import { AskError, didYouMean } from './ask-error.ts'
import type { Json } from '../util/is-object.ts'
import { parseGroup } from './groups.ts'
import { memberPath, parsePath, type SchemaContext } from './paths.ts'

const plainKinds = ['avg', 'sum', 'min', 'max', 'median', 'stddev'] as const
type PlainKind = (typeof plainKinds)[number]
const rankings = {
  avg: 'AVG',
  sum: 'SUM',
  min: 'MIN',
  max: 'MAX',
  median: 'MEDIAN',
  stddev: 'STDDEV',
  distinct: 'COUNT_DISTINCT',
  percentile: 'PERCENTILE',
} as const
type MeasureKind = keyof typeof rankings

const otherWords: ReadonlyMap<string, PlainKind | 'distinct'> = new Map([
  ['countdistinct', 'distinct'],
  ['average', 'avg'],
  ['mean', 'avg'],
  ['std', 'stddev'],
])

export interface Measure {
  /** As the table shows it. */
  readonly text: string
  readonly kind: MeasureKind
  /** The GraphQL name of the measured field; for `distinct`, of the group field. */
  readonly field: string
  /** Of a percentile, from 0 to 1. */
  readonly p: number | null
}

/** `avg:clickbaitScore`, `max:publishedAt`, `p90:wordCount`, `distinct:article.source`. */
export function parseMeasure(text: string, from: Collection, context: SchemaContext): Measure {
  const [, before = '', path = ''] = /^(\w+(?:\.\d+)?)[:(](.+?)\)?$/.exec(text.trim()) ?? []
  const { kind, p } = kindOf(before) ?? {}
  if (kind === undefined || p === undefined)
    throw new AskError(
      `"${text.slice(0, 80)}" is not a measure. Write one of ${plainKinds.join(', ')}, distinct or a percentile such as p90, a colon and a field, such as "avg:${measuredFields(from, 'avg')[0]?.name ?? 'field'}".`,
    )
  const word = kind === 'percentile' ? before.toLowerCase() : kind
  const written = `${word}:${path}`
  if (kind === 'distinct')
    return { text: written, kind, p, field: parseGroup(path, from, context).field.name }
  const parsed = parsePath(path, from, context)
  const fields = measuredFields(from, kind)
  const field = fields.find(({ leaf }) => leafPath(leaf).join('.') === memberPath(parsed))
  if (field !== undefined) return { text: written, kind, p, field: field.name }
  const { catalogue } = context
  const { label } = catalogue.of(from.nsid)
  const names = fields.map(({ leaf }) => leafPath(leaf).join('.'))
  const [step] = parsed.steps
  if (step === undefined || step.kind === 'object')
    throw new AskError(
      `${word} is taken of ${names.join(', ') || `nothing in ${label}`}, not of "${path}".${didYouMean(nearest(path, names))}`,
    )
  const instead =
    step.kind === 'reverse'
      ? ` Aggregate "${catalogue.of(step.record.nsid).label}" instead, with "${word}:${path.slice(path.indexOf('.') + 1)}".`
      : ''
  throw new AskError(
    `${word} is taken of ${label}'s own fields: ${names.join(', ') || 'it has none'}.${instead}`,
  )
}

function kindOf(word: string): { readonly kind: MeasureKind; readonly p: number | null } | null {
  const lower = word.toLowerCase()
  const plain = [...plainKinds, 'distinct' as const].find((known) => known === lower) ?? otherWords.get(lower)
  if (plain !== undefined) return { kind: plain, p: null }
  const percent = Number(/^p(\d{1,3}(?:\.\d{1,4})?)$/.exec(lower)?.[1])
  // Of at most six decimals, which the service takes.
  return percent <= 100 ? { kind: 'percentile', p: Number((percent / 100).toFixed(6)) } : null
}

function measuredFields(from: Collection, kind: MeasureKind): readonly MeasureField[] {
  const takesTimes = kind === 'min' || kind === 'max'
  return measureFields(from).filter(({ leaf }) => takesTimes || leafType(leaf).kind === 'integer')
}

/** `at`: the position of the measure in the table, which makes its alias unique. */
export function selectMeasure({ kind, field, p }: Measure, at: number): Selection {
  switch (kind) {
    case 'distinct':
      return { [`m${at}: countDistinct(field: ${field})`]: {} }
    case 'percentile':
      return { [`m${at}: percentile(field: ${field}, p: [${p}])`]: {} }
  }
  return { [kind]: { [field]: {} } }
}

export function readMeasure({ kind, field }: Measure, at: number, row: Json): unknown {
  switch (kind) {
    case 'distinct':
      return row[`m${at}`]
    case 'percentile':
      return (row[`m${at}`] as readonly unknown[] | null)?.[0] ?? null
  }
  const value = (row[kind] as Json)[field]
  const isExact = kind === 'sum' || kind === 'min' || kind === 'max'
  return typeof value === 'number' && !isExact ? Math.round(value * 1000) / 1000 : value
}

/** The argument `rankBy` that orders by the measure. */
export function rankByMeasure({ kind, field, p }: Measure, isDescending: boolean): Literal {
  return {
    measure: new EnumValue(rankings[kind]),
    field: new EnumValue(field),
    ...(p !== null && { p }),
    direction: new EnumValue(isDescending ? 'DESC' : 'ASC'),
  }
}
