/**
 * The few expressions that databases spell differently. A dialect decides the spelling, never the meaning. Both engines
 * define `normalized_url`, `instant`, `instant_text` and `page_cursor` as functions (layout/functions.ts).
 */
import type { Sql } from 'sql-template-tag'
import type { Value } from './sql.ts'
import type { TimeBucket } from './time-buckets.ts'

export interface Dialect {
  /** For the few statements that use features of one engine, such as its text indexes. */
  readonly engine: 'sqlite' | 'postgres'
  /** The text of the statement with placeholders of this engine. */
  text(statement: Sql): string
  /** Concatenates texts and numbers. A part may be null only if it is an aggregate of no texts. */
  concat(parts: readonly Sql[]): Sql
  /** All texts of a group in row order, separated by commas; null or empty if there are none. */
  joined(text: Sql, filter: Sql | null): Sql
  /** The same for rows that were joined after they were ordered; `number` restores their order. */
  joinedBy(number: Sql, text: Sql, filter: Sql | null): Sql
  /** All texts of a group, separated by commas, in ascending order of `number`; null or empty if there are none. */
  joinedInOrder(number: Sql, text: Sql): Sql
  /** Whether a join keeps the order of its left side, so that `joinedBy` needs no row numbers. */
  readonly joinKeepsOrder: boolean
  /** A join that reads its left side first. */
  readonly join: Sql
  /** Joins the repo collection with this id, if there is one, to each row on the left, keeping their order. */
  joinRepoCollection(alias: Sql, id: Sql): Sql
  /** The suffix of a sort key. Nulls are smaller than any value, unless `nulls` says where they are; `mayMiss` says whether there can be nulls. */
  ordering(direction: 'asc' | 'desc', mayMiss: boolean, nulls?: 'first' | 'last'): Sql
  /** The text as UTF-8 bytes, so that an answer is encoded only once. */
  body(text: Sql): Sql
  /** A value as JSON text: quoted, escaped, or `null`. */
  toJson(value: Sql): Sql
  /** A boolean expression that is never null, as JSON text. */
  booleanJson(condition: Sql): Sql
  /** A stored record as JSON text. */
  recordJson(record: Sql): Sql
  /** JSON text of the scalar at a path of a JSON value; SQL null if the value there is absent or null. */
  jsonAt(json: Sql, path: readonly string[]): Sql
  /** The same of any value. */
  nestedJsonAt(json: Sql, path: readonly string[]): Sql
  /** The scalar at a path, as text, integer, or 0 and 1; SQL null if it is missing. */
  scalarAt(json: Sql, path: readonly string[], as?: 'text' | 'integer' | 'boolean'): Sql
  /** A text that is stored only inside its record. */
  virtualText(alias: Sql, name: string, path: readonly string[]): Sql
  /** Whether the text equals one of the values; works for texts of any length and can use an index. */
  isOneOf(text: Sql, values: readonly Value[]): Sql
  /** `in`, or `not in` if negated, for a list of at least `manyValues` values; never true if the value is missing. */
  isOneOfMany(value: Sql, values: readonly Value[], negated: boolean): Sql
  /** The DID of the account, and the URI, of a row with a record. */
  did(alias: Sql): Sql
  uri(alias: Sql, collection: string): Sql
  /** A value to compare without searching for it in an index. */
  unindexed(value: Sql): Sql
  /** Elements of the array at a path, as rows with `value`; no rows if the array is missing or null. */
  each(json: Sql, path: readonly string[], alias: Sql): Sql
  /** The same for an array of objects: `value` is JSON that is fast to read repeatedly, `key` the position. */
  objects(json: Sql, path: readonly string[], alias: Sql): Sql
  /** A JSON array of values; instants are passed as text. */
  jsonArray(values: readonly Sql[]): Sql
  /** A constant text, to compare with other texts. */
  constant(text: string): Sql
  asFloat(value: Sql): Sql
  /** The decimal text of a number of at most 53 bits, as JavaScript writes it; null stays null. */
  numberText(value: Sql): Sql
  /** A URI up to and including its last slash (the repo collection), and the part after that slash. */
  repoCollectionOfUri(uri: Sql): Sql
  uriKey(uri: Sql): Sql
  /** The CID as text, from its stored bytes. */
  cidText(cid: Sql): Sql
  fold(text: Sql): Sql
  /** Folds text that is known to be ASCII. */
  lower(ascii: Sql): Sql
  /** Folded text from a text column and its `folded` column. */
  foldedColumn(text: Sql, folded: Sql): Sql
  /** Whether an indexed text is missing, without reading the text if its `folded` column suffices. */
  textMissing(text: Sql, folded: Sql): Sql
  /** Whether a folded text matches a folded needle, by operator. */
  readonly textMatch: Readonly<Record<'contains' | 'startsWith', (folded: Sql, needle: string) => Sql>>
  /** Whether the words of a row match. `lookup` is for an engine whose index is apart from the rows. */
  wordsMatch(alias: Sql, index: IndexedFields, match: WordMatch, lookup: WordLookup): Sql
  /** The ids of exactly the records of a table whose words match. */
  wordIds(table: string, index: IndexedFields, match: WordMatch): FoundIds
  /** How the words of a field are counted, each once for each record that has it. */
  readonly wordCounts: {
    /** A part of all records, in 1024ths, below 1024, as `isSampled` takes it. */
    partText(part: number): Sql
    /** Whether a record is in such a part, by its stored CID (search/sample.ts); a null part has all. */
    isSampled(cid: Sql, part: Sql): Sql
    /** What is selected of the records; `texts`: those of the fields up to the one whose words are counted. */
    read(row: Sql, texts: readonly Sql[]): Sql
    /** The number of records, and a query for each `word` and its count `n`, from the name of that selection. */
    records(read: Sql): Sql
    words(read: Sql, field: number): Sql
  }
  /** The words of all records of a table, from the name of its word index; those of hidden accounts included. */
  readonly vocabulary: {
    has(index: string, word: string): Sql
    /** A query for each `word` at most so many `edits` from one, and the number `n` of records that have it. */
    near(index: string, word: string, most: number): Sql
  }
  /** The current time in microseconds. An answer that contains it is valid only at this moment. */
  now(): Sql
  /** The counted value, from its key in a table of counts; null if the key stands for a missing value. */
  countedValue(key: Sql): Sql
  /** The expression by which time buckets are grouped and ordered, and the start of a bucket as text. */
  bucketKey(micros: Sql, bucket: TimeBucket): Sql
  bucketText(key: Sql, bucket: TimeBucket): Sql
  /** Rows with the integer `value`, from one parameter. */
  integers(values: readonly string[], alias: Sql): Sql
  /** The sort expression for grouping by a text that may be missing. */
  groupedText(text: Sql): Sql
  /**
   * A query for each combination of values, under their names, and the number `n` of records that have it, from rows in
   * which those of a record are adjacent; null if the engine groups as fast. `rows` is given what to select.
   */
  readonly countRecords:
    | ((id: Sql, values: readonly NamedValue[], rows: (selected: Sql) => Sql) => Sql)
    | null
  /** A query for each name in a column of kind `names`, as `name`, and the number `n` of records that have it. */
  countNames(names: Sql, name: Sql, rows: (selected: Sql) => Sql): Sql
  /** The sum of row counts, or an error if it exceeds 64 bits. */
  sum(value: Sql): Sql
  /** The exact sum of the integers in a group, as values that sort like the sum. A wide sum may exceed 64 bits. */
  exactSum(value: Sql, isWide: boolean): readonly Sql[]
  /** The values of such a sum. */
  sumParts(sum: bigint, isWide: boolean): readonly bigint[]
  /** The decimal text of an exact sum. */
  sumText(sum: readonly Sql[]): Sql
  /** An exact sum as one number, or an error if it is not an exact JSON number. */
  checkedSum(sum: readonly Sql[]): Sql
  /** An exact sum divided by the number of its integers, rounded once; null if the sum is null. */
  mean(sum: readonly Sql[], count: Sql): Sql
  /** Statistics of the integers in a group in ascending order; null if there are none. */
  readonly ordered: {
    /** The mean of the two middle integers, or of an odd number the middle one, divided by `unit` and rounded once. */
    median(value: Sql, unit: number): Sql
    /** The integers at nearest ranks, which are in millionths of their number, as one column. */
    percentiles(value: Sql, ranks: readonly number[]): Sql
    /** One of them, and all of them as JSON text, from that column. */
    percentileAt(column: Sql, index: number): Sql
    percentilesJson(column: Sql): Sql
  }
  /** The sample standard deviation of the integers in a group, from exact sums; null below two of them. */
  stddev(value: Sql, isWide: boolean): Sql
  limit(rows: number): Sql
  /**
   * The suffix of a table's alias that forces a scan of the index, or (null) in id order; empty without such a hint.
   */
  scan(index: string | null): Sql
  /** Whether a query has rows: evaluated for each outer row, or, if the engine can, once for all of them. */
  exists(query: Sql, often: 'each' | 'once'): Sql
  /** Whether a row is in the list that a query returns, which is evaluated once and kept as a hash. */
  hashed(isInList: Sql): Sql
  /** Approximate maximum number of rows in such a hash. */
  readonly mostHashed: number
  readonly plannerControl: OptimizerHints | OpaqueTerms
  /**
   * Whether the tables of records are spread over several nodes by their column `shard`. A part of a statement then reads
   * such tables alone, joined by `shard`, or the results of earlier parts: statements consist of stages.
   */
  readonly isSpread: boolean
}

/** The ids that an index finds. */
export interface FoundIds {
  readonly from: Sql
  readonly id: Sql
  readonly where: Sql
}

export interface NamedValue {
  readonly value: Sql
  readonly name: Sql
  /** Whether it is a text, if it is not null. */
  readonly isText: boolean
}

/** An engine that takes optimizer hints (which index to scan), and whose text indexes return ids in order. */
export interface OptimizerHints {
  readonly kind: 'hints'
  /** Ordered ids of rows as one value. */
  readonly ids: {
    /** An aggregate over rows in order. */
    of(id: Sql): Sql
    length(ids: Sql): Sql
    /** The id at a position, counted from 0; null if there is none. */
    at(ids: Sql, place: Sql): Sql
    /** Rows with `key` (a position) and `value` (the id at it), in order or reversed. */
    rows(ids: Sql, alias: Sql, backward: boolean): Sql
  }
  /** Ids of records whose indexed text may contain the trigrams of the needle, or whose trigrams may start with it. */
  trigramIds(index: string, match: TrigramMatch): FoundIds
  /**
   * A query for each candidate's `id`, its weighted number of `words`, and for each term, as `x0`, `x1` …, how much it
   * counts in the record (search/indexed-words.ts).
   */
  amounts(asked: RankedTerms): Sql
}

/** An engine without hints: its planner recognizes only what one index answers, and so uses that index. */
export interface OpaqueTerms {
  readonly kind: 'opaque'
  /** A condition for which the planner uses no index. It assumes that half of the rows meet it. */
  condition(condition: Sql): Sql
  /** The same value, written so that the planner recognizes no index in its order. */
  value(value: Sql): Sql
  /** A number of rows (null: all) that the planner does not know. It assumes a tenth of what it finds. */
  limit(rows: number | null): Sql
  /** Whether an indexed text may contain the needle's trigrams, or does contain a needle of one or two characters. */
  mayHold(folded: Sql, match: TrigramMatch): Sql
  /** How much a term counts in a row (search/indexed-words.ts), without regard to `countsOnce`; 0 if the row lacks it. */
  amount(row: Sql, index: IndexedFields, term: RankedTerm): Sql
}

export interface RankedTerms {
  readonly index: string
  /** The name of a relation with the `id` of each candidate. */
  readonly candidates: Sql
  readonly terms: readonly RankedTerm[]
  /** Finds at least all candidates; null if no query does. */
  readonly match: WordMatch | null
  /** A bound on the ids of candidates, such as `>= 5`; null if there is none. */
  readonly bound: Sql | null
}

/** A word in any field counts by its occurrences; other terms count as much as the weightiest field that has them. */
export interface RankedTerm extends Omit<Extract<WordMatch, { kind: 'term' }>, 'fields'> {
  /** Null: a word in any field. */
  readonly fields: readonly { readonly field: number; readonly weight: number }[] | null
  /** Whether every candidate has it. */
  readonly isRequired: boolean
  /** Whether more records are expected to have it than are candidates. */
  readonly isFrequent: boolean
  /** Whether it counts once, however often it occurs, because so many records have it. */
  readonly countsOnce: Sql
}

/** A collection's index over words: its name, and an entry for each field. */
export interface IndexedFields {
  readonly name: string
  readonly fields: readonly unknown[]
}

/**
 * How a word index is asked: once for all rows, in which the engine may find the rows; once, for rows that are found
 * otherwise; or for each row. The optimizer decides.
 */
export type WordLookup = 'set' | 'filter' | 'row'

/** A condition on words that one query of a word index answers. */
export type WordMatch =
  | {
      readonly kind: 'term'
      /** Words that follow one another in a field. */
      readonly words: readonly string[]
      /** Whether the last one stands for all words that begin with it. */
      readonly prefix: boolean
      /** Positions of fields in the index; null: any field. */
      readonly fields: readonly number[] | null
    }
  | { readonly kind: 'any'; readonly of: readonly WordMatch[] }
  /** `of` is not empty. */
  | { readonly kind: 'all'; readonly of: readonly WordMatch[]; readonly except: readonly WordMatch[] }

/** `all`: the text has all of these trigrams. `prefix`: one of them starts with a needle of one or two characters. */
export type TrigramMatch =
  | { readonly kind: 'all'; readonly trigrams: readonly string[] }
  | { readonly kind: 'prefix'; readonly needle: string }
