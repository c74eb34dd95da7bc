/** The few expressions that databases spell differently. A dialect says how, never what. */
import type { Sql } from 'sql-template-tag'

export interface Dialect {
  /** The statement's text with this engine's placeholders. */
  text(statement: Sql): string
  /** Texts one after the other; null counts as empty. */
  concat(parts: readonly Sql[]): Sql
  /** All texts of a group in row order, with commas; null when there are none. */
  joined(text: Sql, filter: Sql | null): Sql
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
  scalarAt(json: Sql, path: readonly string[]): Sql
  /** Elements of the array at a path, as rows of `value`; none when it is missing. */
  each(json: Sql, path: readonly string[], alias: Sql): Sql
  /** A JSON array of values; instants go in as text. */
  jsonArray(values: readonly Sql[]): Sql
  asText(value: Sql): Sql
  asFloat(value: Sql): Sql
  /** A URI up to and including its last slash, and what follows. */
  uriBase(uri: Sql): Sql
  uriKey(uri: Sql): Sql
  /** CID as text, from the bytes that are stored. */
  cidText(cid: Sql): Sql
  fold(text: Sql): Sql
  /** Folded text from a text column and its `folded` column. */
  foldedColumn(text: Sql, folded: Sql): Sql
  /** Whether a folded text has, or begins with, a folded needle. */
  hasText(folded: Sql, needle: string, atStart: boolean): Sql
  /** Microseconds of a record's datetime text. */
  instant(text: Sql): Sql
  /** Microseconds as RFC 3339 in UTC. */
  instantText(micros: Sql): Sql
  /** This moment, in microseconds: an answer with it is true only when it is given. */
  now(): Sql
  /** What a bucket is grouped and ordered by, and its first moment as text. */
  bucketKey(micros: Sql, bucket: 'hour' | 'day' | 'week' | 'month' | 'year'): Sql
  bucketText(key: Sql, bucket: 'hour' | 'day' | 'week' | 'month' | 'year'): Sql
  /** A sum, or an error when it is no exact JSON number. */
  checkedSum(sum: Sql): Sql
  /** A page cursor from a JSON array of key values. */
  cursor(binding: string, position: Sql): Sql
  /** How many rows at most. */
  limit(rows: number): Sql
  /** Makes the engine walk that index, or (null) the table in id order. */
  walk(index: string | null): Sql
  /** Ids of records whose indexed text may hold the needle's trigrams, or may begin any of them with it. */
  trigramIds(
    index: string,
    match: TrigramMatch,
  ): { readonly from: Sql; readonly id: Sql; readonly where: Sql }
}

/** `all`: every one of these trigrams; `prefix`: some trigram that begins with a needle of one or two characters. */
export type TrigramMatch =
  | { readonly kind: 'all'; readonly trigrams: readonly string[] }
  | { readonly kind: 'prefix'; readonly needle: string }
