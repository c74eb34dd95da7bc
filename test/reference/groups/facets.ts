/** Facets, over whole arrays: the values of one field, how many records have each, and what `ignoreOwn` leaves of a `where`. */
import { groupRecords } from './aggregate.ts'
import { type GroupField, groupFields, printKey } from './group-fields.ts'
import type { Where } from '../matches.ts'
import type { PlainRecord, Dataset } from '../dataset.ts'

export interface FacetArguments {
  readonly fields: readonly string[]
  readonly limit?: number
  readonly ignoreOwn?: boolean
}

export interface Facet {
  readonly field: string
  readonly values: readonly { readonly value: string; readonly count: number }[]
  readonly missing: number
  readonly cut: boolean
}

/** `found` says which records of the list a `where` finds. */
export function facetsOf(
  data: Dataset,
  collection: string,
  where: Where,
  found: (where: Where) => readonly PlainRecord[],
  { fields, limit = 10, ignoreOwn = false }: FacetArguments,
): Facet[] {
  const all = groupFields(data, collection)
  return fields.map((name) => {
    const field = all.find((candidate) => candidate.name === name)
    if (field === undefined) throw new Error(`${collection} has no facet ${name}.`)
    const records = found(ignoreOwn ? withoutOwn(where, field.path, field.isReference) : where)
    const given = { groupBy: [name], limit: Number.POSITIVE_INFINITY }
    const { groups } = groupRecords(data, collection, records, given, [], null)
    const present = groups.filter(({ keys }) => keys[0] !== undefined)
    return {
      field: name,
      values: present.slice(0, limit).map(({ keys, members }) => ({
        value: String(printKey(field, keys[0])),
        count: members.length,
      })),
      missing: groups.find(({ keys }) => keys[0] === undefined)?.members.length ?? 0,
      cut: present.length > limit,
    }
  })
}

/** The facets that can be asked for: no periods of time. */
export function facetNames(fields: readonly GroupField[]): string[] {
  return fields
    .filter(({ prints, through }) => (prints === 'plain' || prints === 'instant') && through === null)
    .map(({ name }) => name)
}

/** What a condition on a reference says of the reference itself, and not of the record behind it. */
const ofReference = ['uri', 'isNull', 'isIndexed', 'isCurrent']

/** What is left empty is left out. */
export function withoutOwn(where: Where, path: readonly string[], isReference: boolean): Where {
  const [name = '', ...inside] = path
  const condition = where[name]
  if (condition === undefined) return where
  const members = Object.entries(condition)
  const kept = isReference ? members.filter(([key]) => !ofReference.includes(key)) : []
  const left: Where =
    inside.length > 0 ? withoutOwn(condition, inside, isReference) : Object.fromEntries(kept)
  const isAsBefore = inside.length > 0 ? left === condition : isReference && kept.length === members.length
  if (isAsBefore) return where
  const others = Object.entries(where).filter(([key]) => key !== name)
  return Object.fromEntries(Object.keys(left).length === 0 ? others : [...others, [name, left]])
}
