/**
 * The logical plan: one operation in terms of tables, as plain data. It does not say how a database is read: the
 * physical plan (physical-plan.ts) has the same outputs around its own lists, aggregates and conditions, which are type
 * parameters here.
 */
import type { ColumnValue } from '../../database/database.ts'
import type { Column, Table, WordIndex } from '../../database/layout/tables.ts'
import type { WordMatch } from '../../sql/dialect.ts'
import type { Model, SystemField } from '../../schema/model/model.ts'
import type {
  ElementFilter,
  FillPlan,
  GroupKey,
  GroupOrder,
  GroupPage,
  GroupValue,
  HavingPlan,
  MeasurePlan,
  MeasuresOutput,
  PairsPlan,
  SharePlan,
  SignificanceOutput,
  SignificancePlan,
  UnusualWordsPlan,
} from './groups/group-plan.ts'
import type { Direction, Fields, MissingPlace } from './fields.ts'
import type { Condition, Link, Path, ReferenceShape, ReferringCount } from './conditions.ts'
import type { Selection } from '../parse/prepare.ts'
import type { Introspection } from '../parse/introspect.ts'
import type { OperationCounts } from '../parse/limits.ts'

export interface Plan {
  /** Number of fields with fragments expanded, plus the operators and objects of every `where`. */
  readonly written: number
  readonly roots: Fields<RootOutput>
  /** The snippets of all lists, by number. */
  readonly snippets: readonly SnippetPlan[]
}

/** What is asked of a file: its rows with their number, or this alone. */
export type FilePart = 'rows' | 'total'

/** The input of plan building besides the operation. */
export interface PlanContext {
  readonly version: string
  readonly model: Model
  readonly tables: readonly Table[]
  /** Maximum value of `first` and `last`. */
  readonly maxPageSize: number
  /** Null unless rows become a file: as many as possible where the operation has no `first` or `limit`. */
  readonly file: FilePart | null
  readonly selection: Selection
  readonly counts: OperationCounts
  /** Collects the snippets of the operation. */
  readonly snippets: SnippetPlan[]
}

export type RootOutput<List = ListPlan, Aggregate = AggregatePlan, Collection = Table> =
  /** Executed only after the request has been charged. */
  | ({ readonly kind: 'introspection' } & Introspection)
  | { readonly kind: 'list'; readonly list: List }
  | { readonly kind: 'aggregate'; readonly aggregate: Aggregate }
  | {
      readonly kind: 'byUri'
      readonly table: Table
      readonly uri: string
      readonly fields: Fields<Output<List>>
    }
  /** One result for each URI, in order; `records` has the served collections that the URIs name. */
  | { readonly kind: 'nodes'; readonly uris: readonly string[]; readonly records: RecordSelections<List> }
  /** Lists of several collections, at least one, as one list: in the default order, then by collection. */
  | { readonly kind: 'merged'; readonly lists: readonly List[] }
  | { readonly kind: 'status'; readonly fields: Fields<StatusOutput<Collection>> }

/** JSON text derived from a row: a record, or a JSON object inside one. Paths start at that row. */
export type Output<List = ListPlan> =
  | { readonly kind: 'system'; readonly name: SystemField }
  /** The value exactly as the record holds it: a scalar, or an array of scalars. */
  | { readonly kind: 'json' | 'jsonArray'; readonly path: Path }
  /** The same for a value of unknown shape, which can be as large as the record. */
  | { readonly kind: 'anyJson'; readonly path: Path }
  /** The text at `$bytes` or `$link`. */
  | { readonly kind: 'wrapped'; readonly path: Path; readonly key: '$bytes' | '$link' }
  | { readonly kind: 'blobField'; readonly path: Path; readonly name: 'ref' | 'mimeType' | 'size' }
  | { readonly kind: 'object'; readonly path: Path; readonly fields: Fields<Output<List>> }
  | {
      readonly kind: 'union'
      readonly path: Path
      readonly cases: readonly { readonly origin: string; readonly fields: Fields<Output<List>> }[]
      readonly otherwise: Fields<Output<List>> | null
    }
  | { readonly kind: 'array'; readonly path: Path; readonly element: Output<List> }
  | { readonly kind: 'isCurrent'; readonly path: Path }
  | {
      readonly kind: 'resolved'
      readonly path: Path
      readonly from: ReferenceShape
      readonly records: RecordSelections<List>
    }
  | { readonly kind: 'list'; readonly list: List }

/** The selected fields of a record, for each collection; every collection has an entry. */
export type RecordSelections<List = ListPlan> = readonly {
  readonly table: Table
  readonly fields: Fields<Output<List>>
}[]

export interface ListPlan {
  readonly table: Table
  readonly link: Link | null
  readonly where: Condition
  readonly sort: readonly SortKey[]
  /** Only the first record of each combination of these values is in the list; without values, all are. */
  readonly distinct: readonly KeyValue[]
  readonly page: Page
  /** How `search` ranks records, if the list is in that order. */
  readonly ranking: Ranking | null
  /** List field and order; cursors of the list are bound to them. */
  readonly binding: string
  readonly fields: Fields<ListOutput>
}

export type ListOutput =
  | RowsOutput
  | { readonly kind: 'pageInfo'; readonly fields: Fields<PageInfoOutput> }
  | { readonly kind: 'totalCount' }
  /** How many records are ranked by relevance. */
  | { readonly kind: 'ranked' }
  | { readonly kind: 'facets'; readonly facets: readonly FacetPlan[] }
  | MissingWordsPlan

export type RowsOutput<List = ListPlan> =
  | { readonly kind: 'edges'; readonly fields: Fields<EdgeOutput<List>> }
  | { readonly kind: 'nodes'; readonly fields: Fields<Output<List>> }

/** The words that no record of some collections has, each with the nearest words that records have. */
export interface MissingWordsPlan {
  readonly kind: 'missingWords'
  readonly indexes: readonly WordIndex[]
  /** Those of a search, without what it excludes, each once; at least one. */
  readonly words: readonly string[]
  readonly fields: Fields<MissingWordOutput>
}

export type MissingWordOutput =
  | { readonly kind: 'word' }
  | { readonly kind: 'nearest'; readonly fields: Fields<{ readonly kind: 'word' | 'count' }> }

export type EdgeOutput<List = ListPlan> =
  | { readonly kind: 'cursor' | 'score' }
  | {
      readonly kind: 'snippet'
      readonly path: Path
      /** Of the snippet in the plan. */
      readonly number: number
      /** Whether the text may have more than 5,000 bytes. */
      readonly isLong: boolean
    }
  | { readonly kind: 'node'; readonly fields: Fields<Output<List>> }

export interface PageInfoOutput {
  readonly kind: 'hasNextPage' | 'hasPreviousPage' | 'startCursor' | 'endCursor'
}

/** Number of characters at the beginning of a text from which a snippet is taken. */
export const snippetSource = 10_000

/** What stands before and after a text of which a snippet is to be shown: U+0001 and U+0002. */
export const snippetStart = 0x01
export const snippetEnd = 0x02

/** A part of a text, which is cut out after the statement has returned the whole text. */
export interface SnippetPlan {
  /** What to show, of the search of the list. */
  readonly terms: readonly WordTerm[]
  /** Maximum number of words. */
  readonly words: number
  readonly fields: Fields<
    | { readonly kind: 'text' }
    | { readonly kind: 'ranges'; readonly fields: Fields<{ readonly kind: 'start' | 'end' }> }
  >
}

/** The order of a list by relevance. */
export interface Ranking {
  readonly index: WordIndex
  /** What the search asks for, without what it excludes. */
  readonly terms: readonly WordTerm[]
  /** As the first page of the list had them; null on the first page. */
  readonly statistics: RankingStatistics | null
}

export type WordTerm = Extract<WordMatch, { kind: 'term' }>

export interface RankingStatistics {
  /** The same as JSON text, which cursors hold. */
  readonly text: string
  /** Number of records of the collection. */
  readonly records: number
  /** Weighted number of words of all ranked records, and the number of these. */
  readonly words: number
  readonly ranked: number
  /** Number of records with each term, counted up to a limit. */
  readonly frequencies: readonly number[]
  /** The values of the default order of the last ranked record; null if all matching records are ranked. */
  readonly last: readonly ColumnValue[] | null
}

/** The groups of a list's records by one key. */
export interface FacetPlan {
  /** Name of the group field. */
  readonly name: string
  readonly key: GroupKey
  /** The condition of the list, or what `ignoreOwn` leaves of it. */
  readonly where: Condition
  /** Maximum number of values. */
  readonly limit: number
  readonly fields: Fields<FacetOutput>
}

export type FacetOutput =
  | { readonly kind: 'values'; readonly fields: Fields<{ readonly kind: 'value' | 'count' }> }
  | { readonly kind: 'missing' | 'cut' }

export interface Page {
  readonly backward: boolean
  readonly size: number
  /** Values of the sort keys of the row after which the page begins. */
  readonly from: readonly ColumnValue[] | null
  /** Whether the page begins with that row instead. */
  readonly inclusive: boolean
}

/** One key of a total order; every order ends with `rkey` and `did`, in the direction of the key before them. */
export interface SortKey {
  readonly value: KeyValue
  readonly direction: Direction
  readonly nullable: boolean
  /** Undefined in the usual place. */
  readonly missing?: MissingPlace | undefined
}

export type KeyValue =
  | { readonly kind: 'column'; readonly column: Column }
  | { readonly kind: 'uriText'; readonly base: Column; readonly key: Column }
  | { readonly kind: 'system'; readonly name: 'indexed_at' | 'changed_at' | 'rkey' | 'did' | 'baseUri' }
  | ReferringCount
  /** The relevance for the list's search; missing if the record is not among those that are ranked. */
  | { readonly kind: 'relevance' }

export interface AggregatePlan {
  readonly table: Table
  readonly where: Condition
  readonly keys: readonly GroupKey[]
  readonly measures: readonly MeasurePlan[]
  readonly elements: readonly ElementFilter[]
  readonly order: GroupOrder
  readonly having: readonly HavingPlan[]
  readonly significance: SignificancePlan | null
  /** Null without `fill`. */
  readonly fill: FillPlan | null
  /** Null without `denominator` and `numerator`. */
  readonly share: SharePlan | null
  /** The values whose changes from group to group are selected. */
  readonly changes: readonly GroupValue[]
  readonly limit: number
  readonly page: GroupPage
  readonly fields: Fields<AggregateOutput>
}

export type AggregateOutput =
  | { readonly kind: 'count' | 'groupCount' | ShareOutput }
  | MeasuresOutput
  | UnusualWordsPlan
  | PairsPlan
  | { readonly kind: 'groups'; readonly fields: Fields<GroupOutput> }
  | { readonly kind: 'groupsPageInfo'; readonly fields: Fields<GroupPageInfoOutput> }

/** What groups and the whole have with a denominator or numerator. */
export type ShareOutput = 'total' | 'matching' | 'share'

export interface GroupPageInfoOutput {
  readonly kind: 'hasNextPage' | 'endCursor'
}

export type GroupOutput = GroupValueOutput | KeyRecords | TopPlan | SamplesPlan

/** What is known of a group without reading further records. */
export type GroupValueOutput =
  | { readonly kind: 'count' | ShareOutput | 'cursor' }
  | { readonly kind: 'key'; readonly key: number }
  | { readonly kind: 'significance'; readonly fields: Fields<SignificanceOutput> }
  /** The difference from the previous group of a series in time; the position of the value in `changes`. */
  | { readonly kind: 'change'; readonly change: number }
  /** `count` divided by that of all records, or by that of the outer group. */
  | { readonly kind: 'countShare'; readonly of: 'whole' | 'outer' }
  | MeasuresOutput

/** The record to which a key refers. */
export interface KeyRecords<List = ListPlan> {
  readonly kind: 'keyResolved'
  readonly key: number
  readonly records: RecordSelections<List>
}

/** Groups within each group: those of an aggregate by the keys of the outer groups and further keys. */
export interface TopPlan {
  readonly kind: 'top'
  /** Number of the keys of the outer groups, which come first. */
  readonly outer: number
  readonly aggregate: AggregatePlan
}

/** Sample records of each group. */
export interface SamplesPlan<List = ListPlan> {
  readonly kind: 'nodes'
  readonly sort: readonly SortKey[]
  /** Maximum number of records of each group. */
  readonly first: number
  readonly fields: Fields<Output<List>>
}

export type StatusOutput<Collection = Table> =
  | {
      readonly kind: 'collections'
      readonly tables: readonly Collection[]
      readonly fields: Fields<CollectionStatusOutput>
    }
  | { readonly kind: 'sources'; readonly fields: Fields<SourceStatusOutput> }

export interface CollectionStatusOutput {
  readonly kind: 'name' | 'records' | 'newestIndexedAt' | 'storiesComplete'
}

export interface SourceStatusOutput {
  readonly kind: 'name' | 'state' | 'lagSeconds' | 'lastEventAt'
}
