/**
 * The dialect once more, plain and slow: conditions, orders, pages and groups over arrays of records.
 * It shares no code with the program except the words of texts and the syntax of searches; where the two differ, one of them has misread the dialect.
 */
import { type Group, type GroupArguments, type Grouped, groupRecords, topOf } from './groups/aggregate.ts'
import { type GroupField, groupFields } from './groups/group-fields.ts'
import { countDistinct, deviation, extreme, mean, median, percentile, total } from './groups/measures.ts'
import { type Facet, type FacetArguments, facetsOf } from './groups/facets.ts'
import { seenUnder } from './elements.ts'
import { type Pair, type PairArguments, pairsOf } from './groups/pairs.ts'
import type { TimeFrame } from './zones.ts'
import { parseSearch } from '../../src/search/parse-search.ts'
import { matches, type Where } from './matches.ts'
import { scoresOf } from './words/relevance.ts'
import { type UnusualArguments, type UnusualWords, unusualWords } from './words/unusual-words.ts'
import { type MissingWord, missingWords } from './words/missing-words.ts'
import { searchedFields, searchHolds } from './words/search.ts'
import { type Share, shareOf } from './groups/shares.ts'
import {
  compareRecords,
  firstOfEach,
  type Page,
  type PageArguments,
  pageOf,
  type SortField,
} from './order.ts'
import { createShapes, type HeldReference, type Json, type References, type Shapes } from './shapes.ts'
import type { Key } from './values.ts'
import {
  isCurrent,
  type Link,
  type PlainRecord,
  recordsOf,
  referredBy,
  resolve,
  reverse,
  type World,
} from './world.ts'

export interface ListArguments extends PageArguments {
  readonly where?: Where
  readonly search?: string
  readonly sortBy?: readonly SortField[]
  readonly distinctOn?: readonly string[]
}

export interface Listed extends Page {
  readonly totalCount: number
  facets(given: FacetArguments): readonly Facet[]
}

export interface AggregateArguments extends GroupArguments {
  readonly where?: Where
  readonly search?: string
}

export interface Aggregated extends Grouped, Share {
  /** All that match, whatever `minCount` and `limit` leave out. */
  readonly count: number
  readonly members: readonly PlainRecord[]
  /** The groups within one of the groups. */
  top(group: Pick<Group, 'keys'>, given: GroupArguments): readonly Group[]
}

type Found = Pick<ListArguments, 'where' | 'search'>

export interface Reference {
  readonly shapes: Shapes
  readonly records: readonly PlainRecord[]
  list(collection: string, given: ListArguments): Listed
  /** All matching records in order, without pages. */
  sorted(collection: string, given: ListArguments): readonly PlainRecord[]
  /** The relevance of the records that a search finds. */
  scores(collection: string, given: ListArguments): ReadonlyMap<PlainRecord, number>
  /** The records of all collections that a search finds, in the default order, then by collection. */
  search(text: string, page: PageArguments): Page
  /** Null: in all collections. */
  missingWords(collection: string | null, search: string): readonly MissingWord[]
  count(collection: string, where: Where): number
  matches(record: PlainRecord, where: Where): boolean
  compare(a: PlainRecord, b: PlainRecord, sortBy: readonly SortField[]): number
  aggregate(collection: string, given: AggregateArguments): Aggregated
  unusualWords(collection: string, given: Found, asked: UnusualArguments): UnusualWords
  pairs(collection: string, members: readonly PlainRecord[], given: PairArguments): readonly Pair[]
  groupFields(collection: string, time?: TimeFrame): readonly GroupField[]
  /** Sum and number of the present integers. */
  total(members: readonly PlainRecord[], field: string): { sum: bigint; count: bigint }
  /** Their average; null when there are none. */
  mean(members: readonly PlainRecord[], field: string): number | null
  extreme(members: readonly PlainRecord[], field: string, which: 'MIN' | 'MAX'): Key
  median(members: readonly PlainRecord[], field: string): number | null
  percentile(members: readonly PlainRecord[], field: string, p: number): bigint | undefined
  /** The sample standard deviation. */
  deviation(members: readonly PlainRecord[], field: string): number | null
  countDistinct(collection: string, members: readonly PlainRecord[], field: string, time?: TimeFrame): number
  resolve(uri: string): PlainRecord | null
  isCurrent(link: Link): boolean | null
  referredBy(collection: string): readonly HeldReference[]
  reverse(record: PlainRecord, held: HeldReference, given: ListArguments): Listed
}

/** The score of each of these records, which match the search. */
function relevance(world: World, found: readonly PlainRecord[], text: string): Map<PlainRecord, number> {
  const collection = found[0]?.collection ?? ''
  const texts = (records: readonly PlainRecord[]) => records.map((record) => searchedFields(world, record))
  const all = texts(recordsOf(world, collection))
  const search = parseSearch(
    text,
    (all[0] ?? []).map(({ name }) => name),
  )
  const scores = search === null ? [] : scoresOf(search, all, texts(found))
  return new Map(found.map((record, index) => [record, scores[index] ?? 0]))
}

function isFound(world: World, record: PlainRecord, text: string): boolean {
  const fields = searchedFields(world, record)
  const search = parseSearch(
    text,
    fields.map(({ name }) => name),
  )
  return search === null || searchHolds(fields, search)
}

/** Collections without free text are not searched; any field may be named. */
function foundInAll(world: World, text: string): PlainRecord[] {
  const searched = world.records
    .map((record) => ({ record, fields: searchedFields(world, record) }))
    .filter(({ fields }) => fields.length > 0)
  const names = searched.flatMap(({ fields }) => fields.map(({ name }) => name))
  const search = parseSearch(text, names)
  const found = searched.filter(({ fields }) => search === null || searchHolds(fields, search))
  return found
    .map(({ record }) => record)
    .sort((a, b) => compareRecords(world, a, b, []) || (a.collection < b.collection ? -1 : 1))
}

export function createReference(
  documents: readonly Json[],
  references: References,
  records: readonly PlainRecord[],
): Reference {
  const world = { shapes: createShapes(documents, references), records }
  const found = (candidates: readonly PlainRecord[], { where = {}, search = '' }: Found) =>
    candidates.filter(
      (record) => matches(world, record, where) && (search === '' || isFound(world, record, search)),
    )
  const order = (candidates: readonly PlainRecord[], given: ListArguments) =>
    firstOfEach(world, inOrder(candidates, given), given.distinctOn ?? [])
  const inOrder = (candidates: readonly PlainRecord[], given: ListArguments) => {
    const matching = found(candidates, given)
    const [first] = given.sortBy ?? []
    if (first?.field !== 'RELEVANCE')
      return matching.sort((a, b) => compareRecords(world, a, b, given.sortBy ?? []))
    const scores = relevance(world, matching, given.search ?? '')
    const sign = first.direction === 'ASC' ? 1 : -1
    return matching.sort(
      (a, b) => sign * ((scores.get(a) ?? 0) - (scores.get(b) ?? 0)) || compareRecords(world, a, b, []),
    )
  }
  const list = (collection: string, candidates: readonly PlainRecord[], given: ListArguments): Listed => {
    const ordered = order(candidates, given)
    const matching = (where: Where) => found(candidates, { ...given, where })
    return {
      ...pageOf(ordered, given),
      totalCount: ordered.length,
      facets: (asked) => facetsOf(world, collection, given.where ?? {}, matching, asked),
    }
  }
  return {
    ...world,
    list: (collection, given) => list(collection, recordsOf(world, collection), given),
    sorted: (collection, given) => order(recordsOf(world, collection), given),
    scores: (collection, given) =>
      relevance(world, found(recordsOf(world, collection), given), given.search ?? ''),
    search: (text, page) => pageOf(foundInAll(world, text), page),
    missingWords: (collection, text) => {
      const texts = (collection === null ? records : recordsOf(world, collection)).map((record) =>
        searchedFields(world, record),
      )
      const search = parseSearch(text, [...new Set(texts.flat().map(({ name }) => name))])
      return search === null ? [] : missingWords(texts, search)
    },
    count: (collection, where) => order(recordsOf(world, collection), { where }).length,
    matches: (record, where) => matches(world, record, where),
    compare: (a, b, sortBy) => compareRecords(world, a, b, sortBy),
    aggregate: (collection, given) => {
      const framed = { ...world, time: given }
      const all = recordsOf(world, collection)
      const seen = (some: readonly PlainRecord[]) => seenUnder(some, given.where ?? {})
      const members = seen(found(all, given))
      const { significant, denominator } = given
      const divisors = denominator === undefined ? null : seen(found(all, { where: denominator }))
      const background = seen(
        all.filter(
          (record) => significant && matches(world, record, significant.against) && !members.includes(record),
        ),
      )
      return {
        count: members.length,
        members,
        ...shareOf(members, divisors),
        ...groupRecords(framed, collection, members, given, background, divisors),
        top: topOf(framed, collection, members, given, divisors),
      }
    },
    unusualWords: (collection, given, asked) => {
      const members = found(recordsOf(world, collection), given)
      const background = found(recordsOf(world, collection), { where: asked.against })
      return unusualWords(
        world,
        members,
        background.filter((record) => !members.includes(record)),
        asked,
      )
    },
    pairs: (collection, members, given) => pairsOf(world, collection, members, given),
    groupFields: (collection, time) => groupFields({ ...world, time }, collection),
    total: (members, field) => total(world, members, field),
    mean: (members, field) => mean(world, members, field),
    median: (members, field) => median(world, members, field),
    percentile: (members, field, p) => percentile(world, members, field, p),
    deviation: (members, field) => deviation(world, members, field),
    extreme: (members, field, which) => extreme(world, members, field, which),
    countDistinct: (collection, members, field, time) =>
      countDistinct({ ...world, time }, collection, members, field),
    resolve: (uri) => resolve(world, uri),
    isCurrent: (link) => isCurrent(world, link),
    referredBy: (collection) => referredBy(world, collection),
    reverse: (record, held, given) => list(held.collection, reverse(world, record, held), given),
  }
}
