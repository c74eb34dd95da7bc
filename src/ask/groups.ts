/** Parses paths into groups of an aggregate, and names the records that are their values. */
import type { Collection } from '../schema/model/model.ts'
import { isArray, leafPath, leafType } from '../schema/model/leaves.ts'
import { buckets, groupFields, isTimePart, timeParts, wherePath } from '../schema/model/operators.ts'
import { recordLabel, resolvedName, selectDisplay } from './selection.ts'
import type { Selection } from './graphql-text.ts'
import { isReference, memberPath, parsePath, type Path, pathsNearby, type SchemaContext } from './paths.ts'
import { AskError } from './ask-error.ts'
import type { Json } from '../util/is-object.ts'

export type Group = ReturnType<typeof parseGroup>

const timeUnits = [...buckets, ...timeParts]
type TimeUnit = (typeof timeUnits)[number]

/** GraphQL's largest `Int`. */
const mostSize = 2 ** 31 - 1

/**
 * `path`, `path:bucket`, or the name of the group in GraphQL. `resolved`: the field with the records whose URIs are the
 * values; null if the values are shown themselves. `reference`: null if the records may be of any collection.
 */
export function parseGroup(text: string, from: Collection, context: SchemaContext) {
  const { model } = context.catalogue
  const fields = groupFields(from, model)
  const [, before = '', unit] = /^(.*?)(?::(\w+))?$/.exec(text.trim()) ?? []
  const named = fields.find(({ name }) => name === before)
  const path =
    named === undefined
      ? readPath(before, from, context)
      : parsePath(wherePath(named, model).join('.'), from, context)
  const bucket = bucketOf(unit ?? named?.bucket ?? null, path)
  const members = memberPath(path)
  const field = fields.find((one) => one.bucket === bucket && wherePath(one, model).join('.') === members)
  if (field === undefined) throw cannotGroup(before, path, from, context)
  const reference = path.end.kind === 'property' ? path.end.reference : null
  const isNamed = path.end.kind === 'property' && isReference(leafType(field.leaf))
  const resolved = isNamed ? resolvedName(fields, field.name) : null
  return { text: text.trim(), field, resolved, reference }
}

export type Groups = ReturnType<typeof parseGroups>

/**
 * Paths, of which those to integers may end with the size of ranges: `wordCount:100`. `interval`: this size, which all
 * integers have; undefined if values are grouped by themselves.
 */
export function parseGroups(by: readonly string[], from: Collection, context: SchemaContext) {
  const parsed = by.map((text) => {
    const [, path = text, size] = /^(.*):(-?[\d.]+)\s*$/.exec(text) ?? []
    const group = { ...parseGroup(path, from, context), text: text.trim() }
    if (size === undefined) return { group, size: null }
    if (!isInteger(group))
      throw new AskError(`"${group.text}": only integers have ranges of a size; leave the number out.`)
    const number = Number(size)
    if (!(Number.isInteger(number) && number >= 1 && number <= mostSize))
      throw new AskError(`"${group.text}": the size of ranges is an integer from 1 to ${mostSize}.`)
    return { group, size: number }
  })
  const sized = parsed.find(({ size }) => size !== null)?.group
  const part = parsed.find(({ group: { field } }) => field.bucket !== null && isTimePart(field.bucket))?.group
  // The service makes ranges of parts of time too.
  if (sized !== undefined && part !== undefined)
    throw new AskError(
      `"${part.text}" and ranges of a size exclude each other: ask for "${sized.text}" in another call, or leave its number out.`,
    )
  const sizes = new Set(parsed.flatMap(({ group, size }) => (isInteger(group) ? [size] : [])))
  if (sizes.size > 1)
    throw new AskError('All integers in by have ranges of one size: write the same number after each path.')
  return { groups: parsed.map(({ group }) => group), interval: [...sizes][0] ?? undefined }
}

function isInteger({ field: { leaf, bucket } }: Group): boolean {
  return bucket === null && !isArray(leaf) && leafType(leaf).kind === 'integer'
}

/** A path that is unknown here, but that of a field of records that refer to this one, is refused as such. */
function readPath(text: string, from: Collection, context: SchemaContext): Path {
  try {
    return parsePath(text, from, context)
  } catch (error) {
    const same = pathsNearby(from, context).get(text)?.[0]
    if (!(error instanceof AskError) || same === undefined) throw error
    const path = parsePath(same, from, context)
    throw path.steps.some(({ kind }) => kind === 'reverse') ? cannotGroup(same, path, from, context) : error
  }
}

/**
 * The group of the path's values, in the collection of its last reverse reference (without one, of its start); null if
 * the values cannot be grouped by.
 */
export function findGroupAtEnd({ text, from, steps }: Path, suffix: string, context: SchemaContext) {
  const at = steps.findLastIndex(({ kind }) => kind === 'reverse')
  const holder = steps[at]?.record ?? from
  const own = text.split('.').slice(at + 1)
  try {
    return { holder, group: parseGroup(`${own.join('.')}${suffix}`, holder, context) }
  } catch (error) {
    if (error instanceof AskError) return { holder, group: null }
    throw error
  }
}

export function selectGroup({ field, resolved, reference }: Group, context: SchemaContext): Selection {
  return { [field.name]: {}, ...(resolved !== null && { [resolved]: selectDisplay(reference, context) }) }
}

/** Instants default to days, because two instants are hardly ever equal. */
function bucketOf(named: string | null, path: Path): TimeUnit | null {
  if (named === null) return isMoment(path) ? 'day' : null
  const bucket = timeUnits.find((known) => known.toLowerCase() === named.toLowerCase())
  if (!isMoment(path)) throw new AskError(`"${path.text}" is not a time: group by it without ":${named}".`)
  if (bucket !== undefined) return bucket
  throw new AskError(`"${named}" is not a unit of time to group by: write ${timeUnits.join(', ')}.`)
}

export function isMoment({ end }: Path): boolean {
  return end.kind !== 'records' && end.field.type.kind === 'datetime'
}

function cannotGroup(text: string, path: Path, from: Collection, context: SchemaContext): AskError {
  const { model } = context.catalogue
  const { label } = context.catalogue.of(from.nsid)
  const reverse = path.steps.find(({ kind }) => kind === 'reverse')
  if (reverse?.kind === 'reverse') {
    const { record, reference } = reverse
    const other = context.catalogue.of(record.nsid).label
    const own = reference.path.join('.')
    if (path.end.kind === 'records' && path.end.isCount && path.steps.length === 1) {
      const isGrouped = groupFields(record, model).some((field) => wherePath(field, model).join('.') === own)
      const grouped = isGrouped ? `; aggregate ${other} by "${own}" counts them for each ${label}` : ''
      return new AskError(
        `"${text}" is a number of records, which is not grouped by. search_records sorts ${label} by "-${text}", and filters take "${text}"${grouped}.`,
      )
    }
    const isField = path.end.kind !== 'records'
    const named = isField ? ` there it is "${text.slice(text.indexOf('.') + 1)}", and` : ''
    const each = ` For measures of the ${label} ask once for each value, with a filter on "${text}" instead of the group.`
    return new AskError(
      `"${text}" leads to many records for one ${label}. Aggregate the collection "${other}" instead:${named} fields of the ${label} are "${own}.…".${isField ? each : ''}`,
    )
  }
  const own = groupFields(from, model).filter(({ bucket, joins }) => bucket === null && joins.length === 0)
  const shown = own.map(({ leaf }) => leafPath(leaf).join('.'))
  return new AskError(
    `${label} cannot be grouped by "${text}": groups are values of the record, of its objects, or of records of other collections up to two references away. Its own are ${shown.slice(0, 25).join(', ')}.`,
  )
}

/** What records are called by their URIs, which are the values of the group. */
export function groupNames(
  { field, resolved, reference }: Group,
  rows: readonly Json[],
  context: SchemaContext,
): ReadonlyMap<unknown, string> {
  // With further groups, a record stands in several rows.
  return new Map(
    rows.flatMap((row) => {
      const uri = String(row[field.name])
      const name = recordLabel(uri, resolved && row[resolved], reference, context)
      return name === null ? [] : [[uri, name]]
    }),
  )
}
