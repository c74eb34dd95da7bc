/**
 * The dialect once more, plain and slow: conditions, orders, pages and groups over arrays of records.
 * It shares no code with the program except the words of texts and the syntax of searches; where the two differ, one of them has misread the dialect.
 */
import { type Group, type GroupArguments, type Grouped, groupRecords, topOf } from './groups/aggregate.ts'
import { type GroupField, groupFields, momentFields } from './groups/group-fields.ts'
import {
  countDistinct,
  deviation,
  type Duration,
  duration,
  extreme,
  mean,
  median,
  percentile,
  total,
} from './groups/measures.ts'
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
import { type Others, type Share, shareOf } from './groups/shares.ts'
import {
  compareRecords,
  firstOfEach,
  type Page,
  type PageArguments,
  pageOf,
  type SortField,
} from './order.ts'
import {
  createShapes,
  type HeldReference,
  type Json,
  type References,
  type Shapes,
  type Stories,
} from './shapes.ts'
import type { Key } from './values.ts'
import {
  isCurrent,
  type Link,
  type PlainRecord,
  recordsOf,
  referredBy,
  resolve,
  reverse,
  type Dataset,
} from './dataset.ts'

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
  /** All that match, with those that `having` and `limit` leave out. */
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
  /** The names of the times from and to which durations are measured. */
  timeNames(collection: string): readonly string[]
  /** Sum and number of the present integers. */
  total(members: readonly PlainRecord[], field: string): { sum: bigint; count: bigint }
  /** Their average; null when there are none. */
  mean(members: readonly PlainRecord[], field: string): number | null
  extreme(members: readonly PlainRecord[], field: string, which: 'MIN' | 'MAX'): Key
  median(members: readonly PlainRecord[], field: string): number | null
  percentile(members: readonly PlainRecord[], field: string, p: number): bigint | undefined
  /** The sample standard deviation. */
  deviation(members: readonly PlainRecord[], field: string): number | null
  duration(collection: string, members: readonly PlainRecord[], asked: Duration): number | null
  countDistinct(collection: string, members: readonly PlainRecord[], field: string, time?: TimeFrame): number
  resolve(uri: string): PlainRecord | null
  isCurrent(link: Link): boolean | null
  referredBy(collection: string): readonly HeldReference[]
  reverse(record: PlainRecord, held: HeldReference, given: ListArguments): Listed
}

/** The score of each of these records, which match the search. */
function relevance(data: Dataset, found: readonly PlainRecord[], text: string): Map<PlainRecord, number> {
  const collection = found[0]?.collection ?? ''
  const texts = (records: readonly PlainRecord[]) => records.map((record) => searchedFields(data, record))
  const all = texts(recordsOf(data, collection))
  const search = parseSearch(
    text,
    (all[0] ?? []).map(({ name }) => name),
  )
  const scores = search === null ? [] : scoresOf(search, all, texts(found))
  return new Map(found.map((record, index) => [record, scores[index] ?? 0]))
}

function isFound(data: Dataset, record: PlainRecord, text: string): boolean {
  const fields = searchedFields(data, record)
  const search = parseSearch(
    text,
    fields.map(({ name }) => name),
  )
  return search === null || searchHolds(fields, search)
}

/** Collections without free text are not searched; any field may be named. */
function foundInAll(data: Dataset, text: string): PlainRecord[] {
  const searched = data.records
    .map((record) => ({ record, fields: searchedFields(data, record) }))
    .filter(({ fields }) => fields.length > 0)
  const names = searched.flatMap(({ fields }) => fields.map(({ name }) => name))
  const search = parseSearch(text, names)
  const found = searched.filter(({ fields }) => search === null || searchHolds(fields, search))
  return found
    .map(({ record }) => record)
    .sort((a, b) => compareRecords(data, a, b, []) || (a.collection < b.collection ? -1 : 1))
}

/** Records have their stories, where there are any: `withStories`. */
export function createReference(
  documents: readonly Json[],
  references: References,
  records: readonly PlainRecord[],
  stories: Stories = {},
): Reference {
  const data = { shapes: createShapes(documents, references, stories), records }
  const found = (candidates: readonly PlainRecord[], { where = {}, search = '' }: Found) =>
    candidates.filter(
      (record) => matches(data, record, where) && (search === '' || isFound(data, record, search)),
    )
  const order = (candidates: readonly PlainRecord[], given: ListArguments) =>
    firstOfEach(data, inOrder(candidates, given), given.distinctOn ?? [])
  const inOrder = (candidates: readonly PlainRecord[], given: ListArguments) => {
    const matching = found(candidates, given)
    const [first] = given.sortBy ?? []
    if (first?.field !== 'RELEVANCE')
      return matching.sort((a, b) => compareRecords(data, a, b, given.sortBy ?? []))
    const scores = relevance(data, matching, given.search ?? '')
    const sign = first.direction === 'ASC' ? 1 : -1
    return matching.sort(
      (a, b) => sign * ((scores.get(a) ?? 0) - (scores.get(b) ?? 0)) || compareRecords(data, a, b, []),
    )
  }
  const list = (collection: string, candidates: readonly PlainRecord[], given: ListArguments): Listed => {
    const ordered = order(candidates, given)
    const matching = (where: Where) => found(candidates, { ...given, where })
    return {
      ...pageOf(ordered, given),
      totalCount: ordered.length,
      facets: (asked) => facetsOf(data, collection, given.where ?? {}, matching, asked),
    }
  }
  return {
    ...data,
    list: (collection, given) => list(collection, recordsOf(data, collection), given),
    sorted: (collection, given) => order(recordsOf(data, collection), given),
    scores: (collection, given) =>
      relevance(data, found(recordsOf(data, collection), given), given.search ?? ''),
    search: (text, page) => pageOf(foundInAll(data, text), page),
    missingWords: (collection, text) => {
      const texts = (collection === null ? records : recordsOf(data, collection)).map((record) =>
        searchedFields(data, record),
      )
      const search = parseSearch(text, [...new Set(texts.flat().map(({ name }) => name))])
      return search === null ? [] : missingWords(texts, search)
    },
    count: (collection, where) => order(recordsOf(data, collection), { where }).length,
    matches: (record, where) => matches(data, record, where),
    compare: (a, b, sortBy) => compareRecords(data, a, b, sortBy),
    aggregate: (collection, given) => {
      const framed = { ...data, time: given }
      const all = recordsOf(data, collection)
      const seen = (some: readonly PlainRecord[]) => seenUnder(some, given.where ?? {})
      const members = seen(found(all, given))
      const { significant, denominator, numerator } = given
      const both = { AND: [given.where ?? {}, numerator ?? {}] }
      const others: Others | null =
        numerator !== undefined
          ? { of: 'numerator', records: seenUnder(found(all, { ...given, where: both }), both) }
          : denominator !== undefined
            ? { of: 'denominator', records: seen(found(all, { where: denominator })) }
            : null
      const background = seen(
        all.filter(
          (record) => significant && matches(data, record, significant.against) && !members.includes(record),
        ),
      )
      return {
        count: members.length,
        members,
        ...shareOf(members, others),
        ...groupRecords(framed, collection, members, given, background, others),
        top: topOf(framed, collection, members, given, others),
      }
    },
    unusualWords: (collection, given, asked) => {
      const members = found(recordsOf(data, collection), given)
      const background = found(recordsOf(data, collection), { where: asked.against })
      return unusualWords(
        data,
        members,
        background.filter((record) => !members.includes(record)),
        asked,
      )
    },
    pairs: (collection, members, given) => pairsOf(data, collection, members, given),
    groupFields: (collection, time) => groupFields({ ...data, time }, collection),
    timeNames: (collection) => momentFields(data, collection).map(({ name }) => name),
    total: (members, field) => total(data, members, field),
    mean: (members, field) => mean(data, members, field),
    median: (members, field) => median(data, members, field),
    percentile: (members, field, p) => percentile(data, members, field, p),
    deviation: (members, field) => deviation(data, members, field),
    extreme: (members, field, which) => extreme(data, members, field, which),
    duration: (collection, members, asked) => duration(data, collection, members, asked),
    countDistinct: (collection, members, field, time) =>
      countDistinct({ ...data, time }, collection, members, field),
    resolve: (uri) => resolve(data, uri),
    isCurrent: (link) => isCurrent(data, link),
    referredBy: (collection) => referredBy(data, collection),
    reverse: (record, held, given) => list(held.collection, reverse(data, record, held), given),
  }
}
