/** Parses texts such as `avg:score` or `p90:wordCount` into measures, writes their selections, and reads their values. */
import { leafPath, leafType } from '../schema/model/leaves.ts'
import type { Collection } from '../schema/model/model.ts'
import { type FieldMeasureName, fieldMeasures, measureConstant, measures } from '../schema/model/measures.ts'
import { type MeasureField, measureFields, timeFields, wherePath } from '../schema/model/operators.ts'
import { nearest } from '../util/text/nearest.ts'
import { EnumValue, type Literal, printField, type Selection } from './graphql-text.ts'
import { AskError, didYouMean } from './ask-error.ts'
import type { Json } from '../util/is-object.ts'
import { parseGroup } from './groups.ts'
import { memberPath, parsePath, type RecordStep, reverseNames, type SchemaContext } from './paths.ts'

export interface Measure {
  /** As the table shows it. */
  readonly text: string
  readonly name: FieldMeasureName
  /** The GraphQL name of the measured field, of the group field whose values are counted, or of the time of an end. */
  readonly field: string
  /** Of a duration: the GraphQL name of the time at which it begins. */
  readonly from: string | null
  /** Of a percentile, from 0 to 1. */
  readonly p: number | null
}

/** The words for measures of fields, without percentiles. */
export const measureWords = fieldMeasures.flatMap(([, { words }]) => words.slice(0, 1)).join(', ')

const durations = { avg: 'avgDuration', median: 'medianDuration' } as const

/**
 * `avg:clickbaitScore`, `max:publishedAt`, `p90:wordCount`, `distinct:article.source`; `avg:enrichment` of how many
 * refer; `avg:article.publishedAt..createdAt` of the seconds between two times.
 */
export function parseMeasure(text: string, from: Collection, context: SchemaContext): Measure {
  const [, before = '', path = ''] = /^(\w+(?:\.\d+)?)[:(](.+?)\)?$/.exec(text.trim()) ?? []
  const { name, word = '', p = null } = nameOf(before) ?? {}
  const nameIn = ({ leaf }: MeasureField) =>
    leaf.kind === 'count' ? reverseNames(from, context).get(leaf.reference) : leafPath(leaf).join('.')
  if (name === undefined)
    throw new AskError(
      `"${text.slice(0, 80)}" is not a measure. Write one of ${measureWords} or a percentile such as p90, a colon and a field, such as "avg:${measuredFields(from, 'avg').map(nameIn)[0] ?? 'field'}".`,
    )
  const written = `${word}:${path}`
  const [start = '', end] = path.split('..')
  if (end !== undefined) {
    if (name !== 'avg' && name !== 'median')
      throw new AskError(`Between two times there are avg and median, not "${word}".`)
    const [since, field] = [start, end].map((time) => parseTime(time, from, context))
    return { text: written, name: durations[name], p, field: field ?? '', from: since ?? null }
  }
  if (measures[name].of === 'groupable')
    return { text: written, name, p, field: parseGroup(path, from, context).field.name, from: null }
  const parsed = parsePath(path, from, context)
  const fields = measuredFields(from, name)
  const { end: last, steps } = parsed
  const wanted =
    last.kind === 'records' && steps.length === 1
      ? reverseNames(from, context).get(last.last.reference)
      : memberPath(parsed)
  const field = fields.find((each) => nameIn(each) === wanted)
  if (field !== undefined) return { text: written, name, p, field: field.name, from: null }
  const { catalogue } = context
  const { label } = catalogue.of(from.nsid)
  const names = fields.flatMap((each) => nameIn(each) ?? [])
  const [step] = steps
  if (step === undefined || step.kind === 'object')
    throw new AskError(
      `${word} is taken of ${names.join(', ') || `nothing in ${label}`}, not of "${path}".${didYouMean(nearest(path, names))}`,
    )
  const inside = path.slice(path.indexOf('.') + 1)
  const instead =
    step.kind === 'reverse'
      ? ` Aggregate "${catalogue.of(step.record.nsid).label}" instead, with "${word}:${inside}".`
      : step.kind === 'reference' && steps.length === 1
        ? measuredThere(name, word, inside, step, context)
        : ''
  throw new AskError(
    `${word} is taken of ${label}'s own fields: ${names.join(', ') || 'it has none'}.${instead}`,
  )
}

/** No call has groups of a record and measures of what it refers to. */
function measuredThere(
  name: FieldMeasureName,
  word: string,
  path: string,
  { record, reference }: RecordStep,
  context: SchemaContext,
): string {
  const back = reverseNames(record, context).get(reference)
  const isMeasured = measuredFields(record, name).some(({ leaf }) => leafPath(leaf).join('.') === path)
  if (back === undefined || !isMeasured) return ''
  const there = context.catalogue.of(record.nsid).label
  return ` Each ${there} is measured by itself: aggregate "${there}" with "${word}:${path}", for groups once for each, with a filter on "${back}.…".`
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

/** The GraphQL name of a time, the record's own or behind references. */
function parseTime(text: string, from: Collection, context: SchemaContext): string {
  const { model } = context.catalogue
  const wanted = memberPath(parsePath(text, from, context))
  const times = timeFields(from, model).map((field) => ({ field, path: wherePath(field, model).join('.') }))
  const found = times.find(({ path }) => path === wanted)
  if (found !== undefined) return found.field.name
  throw new AskError(`"${text}" is not a time. There are: ${times.map(({ path }) => path).join(', ')}.`)
}

/** Measures whose fields are arguments. */
function hasArguments(name: FieldMeasureName): boolean {
  const { of, result } = measures[name]
  return of === 'times' || result === 'integer' || result === 'ranks'
}

function argumentsOf({ field, from }: Measure): Readonly<Record<string, Literal>> {
  const end = new EnumValue(field)
  return from === null ? { field: end } : { from: new EnumValue(from), to: end }
}

/** Such as `distinct_section`, a column of files; `taken`: names of groups, which it must not be. */
function aliasOf({ text, field, from }: Measure, taken: readonly string[]): string {
  const word = text.slice(0, text.indexOf(':')).replace('.', '_')
  const name = [word, ...(from === null ? [] : [from]), field].join('_')
  return taken.includes(name) ? `${name}_` : name
}

export function selectMeasure(measure: Measure, taken: readonly string[]): Selection {
  const { name, field, p } = measure
  if (!hasArguments(name)) return { [name]: { [field]: {} } }
  const given = { ...argumentsOf(measure), ...(p !== null && { p: [p] }) }
  return { [`${aliasOf(measure, taken)}: ${printField(name, given)}`]: {} }
}

export function readMeasure(measure: Measure, taken: readonly string[], row: Json): unknown {
  const { name, field } = measure
  const found = hasArguments(name) ? row[aliasOf(measure, taken)] : (row[name] as Json)[field]
  const value: unknown = Array.isArray(found) ? found[0] : found
  const isDouble = typeof value === 'number' && measures[name].result === 'double'
  return isDouble ? Math.round(value * 1000) / 1000 : value
}

/** Missing values are last in either direction: in descending order they are without saying so. */
export function directionOf(isDescending: boolean): Readonly<Record<string, EnumValue>> {
  return isDescending
    ? { direction: new EnumValue('DESC') }
    : { direction: new EnumValue('ASC'), nulls: new EnumValue('LAST') }
}

/** The argument `rankBy` that orders by the measure. */
export function rankByMeasure(measure: Measure, isDescending: boolean): Literal {
  const { name, p } = measure
  return {
    measure: new EnumValue(measureConstant(name)),
    ...argumentsOf(measure),
    ...(p !== null && { p }),
    ...directionOf(isDescending),
  }
}
