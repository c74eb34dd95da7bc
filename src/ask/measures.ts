/** Parses texts such as `avg:score` or `p90:wordCount` into measures, writes their selections, and reads their values. */
import { leafPath, leafType } from '../schema/model/leaves.ts'
import type { Collection } from '../schema/model/model.ts'
import { type FieldMeasureName, fieldMeasures, measureConstant, measures } from '../schema/model/measures.ts'
import { type MeasureField, measureFields } from '../schema/model/operators.ts'
import { nearest } from '../util/text/nearest.ts'
import { EnumValue, type Literal, type Selection } from './graphql-text.ts'
import { AskError, didYouMean } from './ask-error.ts'
import type { Json } from '../util/is-object.ts'
import { parseGroup } from './groups.ts'
import { memberPath, parsePath, type SchemaContext } from './paths.ts'

export interface Measure {
  /** As the table shows it. */
  readonly text: string
  readonly name: FieldMeasureName
  /** The GraphQL name of the measured field, or, if groups of it are counted, of the group field. */
  readonly field: string
  /** Of a percentile, from 0 to 1. */
  readonly p: number | null
}

/** `avg:clickbaitScore`, `max:publishedAt`, `p90:wordCount`, `distinct:article.source`. */
export function parseMeasure(text: string, from: Collection, context: SchemaContext): Measure {
  const [, before = '', path = ''] = /^(\w+(?:\.\d+)?)[:(](.+?)\)?$/.exec(text.trim()) ?? []
  const { name, word, p = null } = nameOf(before) ?? {}
  if (name === undefined)
    throw new AskError(
      `"${text.slice(0, 80)}" is not a measure. Write one of ${fieldMeasures.flatMap(([, { words }]) => words.slice(0, 1)).join(', ')} or a percentile such as p90, a colon and a field, such as "avg:${measuredFields(from, 'avg')[0]?.name ?? 'field'}".`,
    )
  const written = `${word}:${path}`
  if (measures[name].of === 'groupable')
    return { text: written, name, p, field: parseGroup(path, from, context).field.name }
  const parsed = parsePath(path, from, context)
  const fields = measuredFields(from, name)
  const field = fields.find(({ leaf }) => leafPath(leaf).join('.') === memberPath(parsed))
  if (field !== undefined) return { text: written, name, p, field: field.name }
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

function nameOf(
  before: string,
): { readonly name: FieldMeasureName; readonly word: string; readonly p?: number } | null {
  const word = before.toLowerCase()
  const [name, { words: [first = ''] = [] } = {}] =
    fieldMeasures.find(([, { words }]) => words.includes(word)) ?? []
  if (name !== undefined) return { name, word: first }
  const percent = Number(/^p(\d{1,3}(?:\.\d{1,4})?)$/.exec(word)?.[1])
  // Of at most six decimals, which the service takes.
  return percent <= 100 ? { name: 'percentile', word, p: Number((percent / 100).toFixed(6)) } : null
}

function measuredFields(from: Collection, name: FieldMeasureName): readonly MeasureField[] {
  const isOrdered = measures[name].of === 'ordered'
  return measureFields(from).filter(({ leaf }) => isOrdered || leafType(leaf).kind === 'integer')
}

/** `at`: the position of the measure in the table, which makes its alias unique. */
export function selectMeasure({ name, field, p }: Measure, at: number): Selection {
  switch (measures[name].result) {
    case 'integer':
      return { [`m${at}: ${name}(field: ${field})`]: {} }
    case 'ranks':
      return { [`m${at}: ${name}(field: ${field}, p: [${p}])`]: {} }
  }
  return { [name]: { [field]: {} } }
}

export function readMeasure({ name, field }: Measure, at: number, row: Json): unknown {
  const { result } = measures[name]
  switch (result) {
    case 'integer':
      return row[`m${at}`]
    case 'ranks':
      return (row[`m${at}`] as readonly unknown[] | null)?.[0] ?? null
  }
  const value = (row[name] as Json)[field]
  return typeof value === 'number' && result === 'double' ? Math.round(value * 1000) / 1000 : value
}

/** The argument `rankBy` that orders by the measure. */
export function rankByMeasure({ name, field, p }: Measure, isDescending: boolean): Literal {
  return {
    measure: new EnumValue(measureConstant(name)),
    field: new EnumValue(field),
    ...(p !== null && { p }),
    direction: new EnumValue(isDescending ? 'DESC' : 'ASC'),
  }
}
