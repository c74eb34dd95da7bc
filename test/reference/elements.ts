/** Elements of arrays of objects, and which of them a list of records stands for: those of a group, under a `where`. */
import { objectMatches, type Where } from './matches.ts'
import { readPath } from './places.ts'
import type { Json, Kind } from './shapes.ts'
import type { Key } from './values.ts'
import { type PlainRecord, scalarKey, type Subject, type Dataset } from './dataset.ts'

export interface ElementArray {
  /** The names of the fields that lead to it, joined by underscores. */
  readonly name: string
  /** The keys of a `where` that lead to conditions on its elements; null behind a reference. */
  readonly path: readonly string[] | null
  readonly of: ObjectKind
  readonly read: (record: PlainRecord) => readonly Json[]
}

export type ObjectKind = Extract<Kind, { kind: 'object' }>

export interface Element {
  /** Different for each element, though elements may be equal. */
  readonly id: string
  readonly subject: Subject
}

export type Chosen = ReadonlyMap<string, ReadonlySet<string>>

/** What is known of a list of records: the `where` that it was found under, and, in a group, which elements are its own. */
const sights = new WeakMap<readonly PlainRecord[], { readonly where: Where; readonly chosen: Chosen }>()

export function seenUnder(records: readonly PlainRecord[], where: Where): readonly PlainRecord[] {
  const list = [...records]
  sights.set(list, { where, chosen: new Map() })
  return list
}

/** `chosen`: by the names of arrays, the ids of the elements of a group that was formed from those records. */
export function rememberGroup(
  members: readonly PlainRecord[],
  from: readonly PlainRecord[],
  chosen: Chosen,
): void {
  const known = sights.get(from)
  sights.set(members, {
    where: known?.where ?? {},
    chosen: new Map([...(known?.chosen ?? []), ...chosen]),
  })
}

/** The elements of one record in a list, and whether a condition restricts them. */
export function elementsIn(
  data: Dataset,
  records: readonly PlainRecord[],
  record: PlainRecord,
  array: ElementArray,
): { readonly elements: readonly Element[]; readonly isFiltered: boolean } {
  const { where, chosen } = sights.get(records) ?? { where: {}, chosen: new Map() as Chosen }
  const filters = array.path === null ? [] : filtersOn(where, array.path)
  const all = array.read(record).map((value, at): Element => {
    const subject = { kind: 'object', value, fields: array.of.fields(), within: null } as const
    return { id: `${record.uri} ${at}`, subject }
  })
  const elements = all
    .filter(({ id }) => chosen.get(array.name)?.has(id) ?? true)
    .filter(({ subject }) => filters.every((filter) => objectMatches(data, subject, filter)))
  return { elements, isFiltered: filters.length > 0 }
}

export function elementKey(element: Element, path: readonly string[], kind: Kind): Key {
  return scalarKey(kind, readPath(element.subject, path))
}

/** The conditions in `some` of the array at that path, at the top level of a `where` or in an AND there. */
function filtersOn(where: Where, path: readonly string[]): readonly Where[] {
  const [name = '', ...rest] = path
  return Object.entries(where).flatMap(([key, condition]): readonly Where[] => {
    if (key === 'AND') return condition.flatMap((each: Where) => filtersOn(each, path))
    if (key !== name) return []
    if (rest.length > 0) return filtersOn(condition, rest)
    return condition.some === undefined ? [] : [condition.some]
  })
}
