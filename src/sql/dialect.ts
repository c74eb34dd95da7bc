/** The few expressions that databases spell differently. A dialect says how, never what. */
import type { Sql } from 'sql-template-tag'
import type { Bucket } from './common.ts'
import type { Value } from './sql.ts'

export interface Dialect {
  /** For the few statements that look into what one engine alone has, such as its text indexes. */
  readonly engine: 'sqlite' | 'postgres'
  /** The statement's text with this engine's placeholders. */
  text(statement: Sql): string
  /** Texts and numbers one after the other. Nothing else may be null than what joining no texts comes to. */
  concat(parts: readonly Sql[]): Sql
  /** All texts of a group in row order, with commas; null, or empty, when there are none. */
  joined(text: Sql, filter: Sql | null): Sql
  /** The same of rows that were joined with others since they were in order, which `number` tells. */
  joinedBy(number: Sql, text: Sql, filter: Sql | null): Sql
  /** Whether a join keeps the order of its left side, so that rows need no number for `joinedBy`. */
  readonly joinKeepsOrder: boolean
  /** A join that reads its left side first. */
  readonly join: Sql
  /** Joins the base of that id, or nothing, to each row before it, in their order. */
  joinBase(alias: Sql, id: Sql): Sql
  /** What follows a sort key; a missing value is smaller than any, where values may be missing. */
  ordering(direction: 'asc' | 'desc', mayMiss: boolean): Sql
  /** Bytes in UTF-8, so that an answer is encoded once. */
  body(text: Sql): Sql
  /** A value as JSON text: quoted, escaped, `null`. */
  toJson(value: Sql): Sql
  /** A boolean expression as JSON text; null stays null. */
  booleanJson(condition: Sql): Sql
  /** A kept record as JSON text. */
  recordJson(record: Sql): Sql
  /** JSON text at a path of a JSON value; SQL null when there is nothing or null there. */
  jsonAt(json: Sql, path: readonly string[]): Sql
  /** The scalar at a path, as text, integer or 0 and 1; SQL null when missing. */
  scalarAt(json: Sql, path: readonly string[], as?: 'text' | 'integer' | 'boolean'): Sql
  /** A text that is kept in its record alone. */
  virtualText(alias: Sql, name: string, path: readonly string[]): Sql
  /** The same text is one of these; texts of any length can be looked up so. */
  isOneOf(text: Sql, values: readonly Value[]): Sql
  /** `in`, or `not in` when negated, for a list of `manyValues` and more; false where the value is missing. */
  isOneOfMany(value: Sql, values: readonly Value[], negated: boolean): Sql
  /** The account of a record's row, and the record's URI. */
  did(alias: Sql): Sql
  uri(alias: Sql, collection: string): Sql
  /** A value that is compared and never searched for in an index. */
  unindexed(value: Sql): Sql
  /** Elements of the array at a path, as rows of `value`; none when it is missing or null. */
  each(json: Sql, path: readonly string[], alias: Sql): Sql
  /** A JSON array of values; instants go in as text. */
  jsonArray(values: readonly Sql[]): Sql
  asText(value: Sql): Sql
  /** A text of ours that is compared with others. */
  constant(text: string): Sql
  asFloat(value: Sql): Sql
  /** A URI up to and including its last slash, and what follows. */
  uriBase(uri: Sql): Sql
  uriKey(uri: Sql): Sql
  /** CID as text, from the bytes that are stored. */
  cidText(cid: Sql): Sql
  fold(text: Sql): Sql
  /** Folds text that is known to be ASCII. */
  lower(ascii: Sql): Sql
  /** Folded text from a text column and its `folded` column. */
  foldedColumn(text: Sql, folded: Sql): Sql
  /** Whether such a text is missing, without reading it where its `folded` column tells. */
  textMissing(text: Sql, folded: Sql): Sql
  /** Whether a folded text has, or begins with, a folded needle. */
  hasText(folded: Sql, needle: string, atStart: boolean): Sql
  /** Microseconds of a record's datetime text. */
  instant(text: Sql): Sql
  /** Microseconds as RFC 3339 in UTC. */
  instantText(micros: Sql): Sql
  /** This moment, in microseconds: an answer with it is true only when it is given. */
  now(): Sql
  /** What a table of counts counts by, from what it has there; null for what is missing. */
  countedValue(key: Sql): Sql
  /** What a bucket is grouped and ordered by, and its first moment as text. */
  bucketKey(micros: Sql, bucket: Bucket): Sql
  bucketText(key: Sql, bucket: Bucket): Sql
  /** What rows are sorted by to be grouped by a text that may be missing. */
  groupedText(text: Sql): Sql
  /** The sum of what counts rows, or an error when it is past 64 bits. */
  sum(value: Sql): Sql
  /** The exact sum of a group's integers: values that order as sums do. A wide one may be past 64 bits. */
  exactSum(value: Sql, isWide: boolean): readonly Sql[]
  /** Such a sum as one number, or an error when it is no exact JSON number. */
  checkedSum(sum: readonly Sql[]): Sql
  /** Such a sum divided by how many integers it is of, rounded once; null when that is null. */
  mean(sum: readonly Sql[], count: Sql): Sql
  /** A page cursor from a JSON array of key values. */
  cursor(binding: string, position: Sql): Sql
  /** How many rows at most. */
  limit(rows: number): Sql
  /** What follows a table's alias to make the engine scan that index, or (null) the table in id order; nothing where it cannot be told. */
  scan(index: string | null): Sql
  /** Whether a query has rows: evaluated for each row around it, or, where it can be, once for all of them. */
  exists(query: Sql, often: 'each' | 'once'): Sql
  /** A row in the list that a query gives, which is evaluated once and kept as a hash. */
  hashed(isInList: Sql): Sql
  /** Rows that such a list may have, about. */
  readonly mostHashed: number
  readonly plannerControl: OptimizerHints | OptimizationFences
}

/** An engine that is told which index to go along, and whose text indexes give ids in order. */
export interface OptimizerHints {
  readonly kind: 'hints'
  readonly ids: IdLists
  /** Ids of records whose indexed text may hold the needle's trigrams, or may begin any of them with it. */
  trigramIds(
    index: string,
    match: TrigramMatch,
  ): { readonly from: Sql; readonly id: Sql; readonly where: Sql }
}

/** Ids of rows, in their order, as one value. */
export interface IdLists {
  /** An aggregate over rows in order. */
  of(id: Sql): Sql
  length(ids: Sql): Sql
  /** The id at a place, counted from 0; null when there is none. */
  at(ids: Sql, place: Sql): Sql
  /** Rows of `key`, a place, and `value`, the id there; in order or against it. */
  rows(ids: Sql, alias: Sql, backward: boolean): Sql
}

/** An engine that takes the one index that is of use, once it sees nothing but what that index answers. */
export interface OptimizationFences {
  readonly kind: 'fences'
  /** Rows under those conditions, found before anything else that is asked of them. */
  fence(rows: Sql, alias: Sql, conditions: readonly Sql[]): Sql
  /** Those columns of the same in order; of a span the first so many rows, or those after them. */
  fenceAlong(
    rows: Sql,
    alias: Sql,
    columns: Sql,
    conditions: readonly Sql[],
    order: Sql,
    span: { readonly side: 'near' | 'far'; readonly rows: number | null } | null,
  ): Sql
  /** Whether an indexed text may hold the needle's trigrams, or does hold a needle of one or two characters. */
  mayHold(folded: Sql, match: TrigramMatch): Sql
}

/** `all`: every one of these trigrams; `prefix`: a needle of one or two characters, with which some trigram begins. */
export type TrigramMatch =
  | { readonly kind: 'all'; readonly trigrams: readonly string[] }
  | { readonly kind: 'prefix'; readonly needle: string }

/** For plans that are made for such an engine alone. */
export function hintsOf({ plannerControl }: Dialect): OptimizerHints {
  if (plannerControl.kind !== 'hints') throw new Error('The plan is for an engine with optimizer hints.')
  return plannerControl
}

/** For plans that are made for such an engine alone. */
export function fencesOf({ plannerControl }: Dialect): OptimizationFences {
  if (plannerControl.kind !== 'fences') throw new Error('The plan is for an engine with optimization fences.')
  return plannerControl
}
