/** Groups of records, over whole arrays. */
import { type Element, elementsIn, rememberGroup } from '../elements.ts'
import { type GroupField, groupFields } from './group-fields.ts'
import type { Where } from '../matches.ts'
import { type GroupCondition, meetsAll } from './having.ts'
import { type Measurable, type Measured, valueOf } from './measures.ts'
import { type Significance, significanceOf } from './significance.ts'
import { type Others, type Share, shareOf } from './shares.ts'
import type { TimeFrame } from '../zones.ts'
import { bucketsBetween } from '../zones.ts'
import { type Bucket, buckets, compareKeys, compareOrdered, type Key, parseInstant } from '../values.ts'
import type { PlainRecord, Dataset } from '../dataset.ts'

export interface GroupArguments extends TimeFrame {
  readonly groupBy?: readonly string[]
  readonly interval?: number
  readonly orderBy?: 'COUNT_DESC' | 'COUNT_ASC' | 'KEY_ASC' | 'KEY_DESC'
  readonly rankBy?: Measured & { readonly direction?: 'ASC' | 'DESC'; readonly nulls?: 'FIRST' | 'LAST' }
  readonly fill?: boolean
  readonly having?: readonly GroupCondition[]
  readonly significant?: { readonly against: Where; readonly minCount?: number }
  readonly denominator?: Where
  readonly numerator?: Where
  readonly limit?: number
  /** How many groups come before the page: in the program, the cursor of the last of them. */
  readonly skip?: number
}

export interface Group extends Share {
  /** Its part of all records, or of those of the group around it; null if there are none. */
  readonly countShare: number | null
  readonly keys: readonly Key[]
  readonly members: readonly PlainRecord[]
  /** Null without `significant`. */
  readonly significance: Significance | null
  /** How a value differs from that of the previous group of one time bucket; null without either. */
  readonly change: (of: Measured) => number | null
}

export interface Grouped {
  /** Whether there are groups behind the page. */
  readonly hasNextPage: boolean
  /** How many groups there are, whatever `limit` cuts; with `significant`, how many of them are significant. */
  readonly groupCount: number
  readonly groups: readonly Group[]
}

/**
 * `background`: the records with which `significant` compares.
 */
export function groupRecords(
  data: Dataset,
  collection: string,
  records: readonly PlainRecord[],
  given: GroupArguments,
  background: readonly PlainRecord[],
  divided: Others | null,
): Grouped {
  const names = given.groupBy ?? []
  if (names.length === 0) return { groupCount: 0, groups: [], hasNextPage: false }
  const fields = fieldsNamed(data, collection, names, given.interval)
  const form = (some: readonly PlainRecord[]) => formGroups(data, fields, some)
  const found = form(records)
  const others = divided === null ? null : form(divided.records)
  const added = given.fill === true ? missingGroups(fields[0], given, found, others) : []
  const groups = withChanges(
    data,
    collection,
    fields.findIndex(isBucket),
    divide([...found, ...added], divided?.of, others, records.length),
  )
  const isShown = (group: Group) => meetsAll(data, collection, group, given.having ?? [])
  if (given.significant !== undefined) {
    const significant = compareWith(groups, form(background), records, background)
      .filter((group) => group.members.length >= (given.significant?.minCount ?? 5))
      .sort(compareSignificant)
    return { groupCount: significant.length, ...pageOf(significant.filter(isShown), given) }
  }
  const shown = groups.filter(isShown)
  const isSeries = given.fill === true && isBucket(fields[0])
  const usual = isSeries ? ({ orderBy: 'KEY_ASC', limit: 1000 } as const) : {}
  shown.sort((a, b) => compareGroups(data, collection, a, b, { ...usual, ...given }))
  return { groupCount: groups.length, ...pageOf(shown, { ...usual, ...given }) }
}

function pageOf(groups: readonly Group[], { skip = 0, limit = 50 }: GroupArguments) {
  return { groups: groups.slice(skip, skip + limit), hasNextPage: groups.length > skip + limit }
}

/** The groups of `top` in a group of these keys: those of the same keys and further ones. */
export function topOf(
  data: Dataset,
  collection: string,
  records: readonly PlainRecord[],
  outer: Pick<GroupArguments, 'groupBy' | 'interval'>,
  divided: Others | null,
): (group: Pick<Group, 'keys' | 'members'>, given: GroupArguments) => readonly Group[] {
  const known = new Map<GroupArguments, readonly Group[]>()
  const allOf = (given: GroupArguments): readonly Group[] => {
    const names = [...(outer.groupBy ?? []), ...(given.groupBy ?? [])]
    const fields = fieldsNamed(data, collection, names, outer.interval)
    const form = (some: readonly PlainRecord[]) => formGroups(data, fields, some)
    return divide(form(records), divided?.of, divided === null ? null : form(divided.records))
  }
  return ({ keys, members }, given) => {
    const all = known.get(given) ?? allOf(given)
    known.set(given, all)
    return all
      .filter((group) => compareKeyLists(keys, group.keys) === 0)
      .filter((group) => meetsAll(data, collection, group, given.having ?? []))
      .sort((a, b) => compareGroups(data, collection, a, b, given))
      .slice(0, given.limit ?? 3)
      .map((group) => ({ ...group, countShare: group.members.length / members.length }))
  }
}

function fieldsNamed(
  data: Dataset,
  collection: string,
  names: readonly string[],
  interval: number | undefined,
): GroupField[] {
  const all = groupFields(data, collection)
  return names.map((name) => {
    const field = all.find((candidate) => candidate.name === name)
    if (field === undefined) throw new Error(`${collection} cannot be grouped by ${name}.`)
    return interval === undefined ? field : inRanges(field, BigInt(interval))
  })
}

/** Groups integers by the largest multiple of `size` that is not above them. */
function inRanges(field: GroupField, size: bigint): GroupField {
  const lowerBound = (key: Key): Key => {
    if (typeof key !== 'number') return key
    const value = BigInt(key)
    const multiple = value / size
    return Number((value < 0n && multiple * size !== value ? multiple - 1n : multiple) * size)
  }
  const { through } = field
  return {
    ...field,
    keysOf: (record) => [...new Set(field.keysOf(record).map(lowerBound))],
    through: through && { ...through, keyOf: (element) => lowerBound(through.keyOf(element)) },
  }
}

function isBucket(field: GroupField | undefined): field is GroupField & { prints: Bucket } {
  return buckets.some((bucket) => bucket === field?.prints)
}

/** Groups without records: the buckets between the bounds of the field, or else those of the divisors. */
function missingGroups(
  field: GroupField | undefined,
  given: GroupArguments & { readonly where?: Where },
  found: readonly Formed[],
  others: readonly Formed[] | null,
): Formed[] {
  const keys = isBucket(field)
    ? bucketsBetween(given, field.prints, boundsOf(field, given))
    : (others ?? []).flatMap((group) => group.keys)
  return keys
    .filter((key) => !found.some((group) => compareKeys(group.keys[0], key) === 0))
    .map((key) => ({ keys: [key], members: [] }))
}

/** The bounds are those of `where` if it has both, or else those of the denominator; both inclusive. */
function boundsOf({ path }: GroupField, given: GroupArguments & { readonly where?: Where }) {
  const [first, last] = [given.where, given.denominator].flatMap((where) => {
    const own = Object.assign(
      {},
      ...jointly(where).map((each) => path.reduce((inner, name) => inner?.[name], each)),
    )
    const from = own?.gte ?? own?.gt
    const to = own?.lte ?? own?.lt
    if (from === undefined || to === undefined) return []
    return [
      parseInstant(from) + (own?.gte === undefined ? 1n : 0n),
      parseInstant(to) - (own?.lte === undefined ? 1n : 0n),
    ]
  })
  if (first === undefined || last === undefined) throw new Error('There are no bounds to fill.')
  return { first, last }
}

/** The objects of which all conditions must hold. */
function jointly(where: Where | undefined): readonly Where[] {
  return where === undefined ? [] : [where, ...(where['AND'] ?? []).flatMap(jointly)]
}

/** A group with its keys and records only. */
interface Formed {
  readonly keys: readonly Key[]
  readonly members: PlainRecord[]
}

function divide(
  groups: readonly Formed[],
  of: Others['of'] = 'denominator',
  others: readonly Formed[] | null,
  all = 0,
): Group[] {
  return groups.map((group) => {
    const records = others?.find(({ keys }) => compareKeyLists(keys, group.keys) === 0)?.members ?? []
    return {
      ...group,
      countShare: all === 0 ? null : group.members.length / all,
      ...shareOf(group.members, others === null ? null : { of, records }),
      significance: null,
      change: () => null,
    }
  })
}

/** Records without a time are in no series. `time`: the place of the time bucket among the keys. */
function withChanges(data: Dataset, collection: string, time: number, groups: readonly Group[]): Group[] {
  const periods = groups
    .map(({ keys }) => keys[time])
    .filter((key) => key !== undefined)
    .sort(compareKeys)
    .filter((key, at, all) => at === 0 || compareKeys(all[at - 1], key) !== 0)
  const numberOf = (group: Measurable, of: Measured): number | null => {
    const value = valueOf(data, collection, group, of)
    return value === undefined ? null : Number(value)
  }
  return groups.map((group) => {
    const at = periods.findIndex((key) => compareKeys(key, group.keys[time]) === 0)
    if (at < 1) return group
    const keys = group.keys.with(time, periods[at - 1])
    const found = groups.find((each) => compareKeyLists(each.keys, keys) === 0)
    const before = found ?? { members: [], share: null, total: null }
    const change = (of: Measured): number | null => {
      const [from, to] = [numberOf(before, of), numberOf(group, of)]
      return from === null || to === null ? null : to - from
    }
    return { ...group, change }
  })
}

/** A record is once in a group, however many of its elements have the keys. */
function formGroups(data: Dataset, fields: readonly GroupField[], records: readonly PlainRecord[]): Formed[] {
  const groups: (Formed & { readonly chosen: Map<string, Set<string>> })[] = []
  for (const record of records)
    for (const choice of choicesOf(data, fields, records, record)) {
      const lists = fields.map(({ keysOf, through }) =>
        through === null ? keysOf(record) : [through.keyOf(choice.get(through.array.name))],
      )
      for (const keys of combinations(lists)) {
        const known = groups.find((group) => compareKeyLists(group.keys, keys) === 0)
        const group = known ?? { keys, members: [], chosen: new Map<string, Set<string>>() }
        if (known === undefined) groups.push(group)
        if (group.members.at(-1) !== record) group.members.push(record)
        for (const [name, element] of choice) {
          const ids = group.chosen.get(name) ?? new Set()
          group.chosen.set(name, ids)
          if (element !== undefined) ids.add(element.id)
        }
      }
    }
  for (const { members, chosen } of groups) rememberGroup(members, records, chosen)
  return groups
}

/** Every choice of one element of each array that keys lead through; without elements, none unless they are filtered. */
function choicesOf(
  data: Dataset,
  fields: readonly GroupField[],
  records: readonly PlainRecord[],
  record: PlainRecord,
): ReadonlyMap<string, Element | undefined>[] {
  const arrays = new Map(
    fields.flatMap(({ through }) => (through ? [[through.array.name, through.array]] : [])),
  )
  return [...arrays.values()].reduce<Map<string, Element | undefined>[]>(
    (choices, array) => {
      const { elements, isFiltered } = elementsIn(data, records, record, array)
      const options = elements.length === 0 && !isFiltered ? [undefined] : elements
      return choices.flatMap((choice) => options.map((one) => new Map([...choice, [array.name, one]])))
    },
    [new Map()],
  )
}

/** The groups that are more frequent than in the background. */
function compareWith(
  groups: readonly Group[],
  others: readonly Formed[],
  records: readonly PlainRecord[],
  background: readonly PlainRecord[],
): Group[] {
  return groups.flatMap((group) => {
    const other = others.find(({ keys }) => compareKeyLists(keys, group.keys) === 0)
    const significance = significanceOf({
      count: group.members.length,
      total: records.length,
      againstCount: other?.members.length ?? 0,
      againstTotal: background.length,
    })
    return significance === null ? [] : [{ ...group, significance }]
  })
}

function compareSignificant(a: Group, b: Group): number {
  const byScore = (b.significance?.score ?? 0) - (a.significance?.score ?? 0)
  return byScore || b.members.length - a.members.length || compareKeyLists(a.keys, b.keys)
}

function combinations(lists: readonly (readonly Key[])[]): Key[][] {
  return lists.reduce<Key[][]>(
    (done, list) => done.flatMap((keys) => list.map((key) => [...keys, key])),
    [[]],
  )
}

function compareKeyLists(a: readonly Key[], b: readonly Key[]): number {
  for (let i = 0; i < a.length; i++) {
    const order = compareKeys(a[i], b[i])
    if (order !== 0) return order
  }
  return 0
}

function compareGroups(data: Dataset, collection: string, a: Group, b: Group, given: GroupArguments): number {
  const byKeys = compareKeyLists(a.keys, b.keys)
  if (given.rankBy !== undefined) {
    const { direction = 'DESC', ...by } = given.rankBy
    const [one, other] = [a, b].map((group) => valueOf(data, collection, group, by))
    return compareOrdered(one, other, { ...by, direction }) || byKeys
  }
  const byCount = a.members.length - b.members.length
  switch (given.orderBy ?? 'COUNT_DESC') {
    case 'COUNT_DESC':
      return -byCount || byKeys
    case 'COUNT_ASC':
      return byCount || byKeys
    case 'KEY_ASC':
      return byKeys
    case 'KEY_DESC':
      return -byKeys
  }
}
