/**
 * The size of each thing that an operation requests; docs/prices.md explains the weights, and bench/costs/cost-search.ts
 * checks them.
 */
export const weights = {
  /** Size of one point. */
  point: 1_000,
  /** A printed value, and each record, object or group around values. */
  value: 1,
  /** Values of an export for the size of one: its rows are read, printed and sent as a stream, in another process. */
  exportedValues: 10,
  /** `recordJson`, and any other value of type JSON: some kilobytes. */
  json: 20,
  /** A snippet: finding the words of a text, of up to 5,000 bytes or of any length. */
  snippet: 50,
  longSnippet: 300,
  /** A field of the operation, an operator or an object of a `where`: the work of planning, independent of the data. */
  written: 12,
  /** A list with its page, at any level. */
  list: 20,
  /** A record that is found by its URI. */
  reference: 5,
  /** Assumed number of elements of an array of objects or references. */
  elements: 5,
  /** `totalCount`, or the `count` of an aggregate that is not grouped, without its `where`. */
  total: 2_000,
  /** Maximum size of `indexStatus`, however many collections it counts. */
  status: 100_000,
  /** Maximum size of introspection, however large the schema is; each of its fields is a value. */
  introspection: 100_000,

  /** A `where` whose records are adjacent in an index. */
  narrow: 500,
  /** A `where` of one condition that an index answers, in the default order or for a total. */
  indexLookup: 5_000,
  /** Any other `where`: all records may be read, and each of its conditions is added. */
  tableScan: 15_000,
  /** Added if the page is in another order than the default. */
  inOrder: 5_000,
  /** A condition on a field with an index. */
  indexed: 500,
  /** `contains` or `startsWith` on free text, which has a trigram index. */
  search: 6_000,
  /** Each word of a search, and each word that stands for all that begin with it: with one or two characters, or more. */
  word: 200,
  shortPrefix: 5_000,
  prefix: 1_000,
  /** Any other comparison with text without an index, with URIs, or with elements of arrays. */
  text: 7_000,
  /** `has`, `hasAny` or `hasAll` on an array with an index. */
  has: 10_000,
  /** `contains` or `startsWith` without a trigram index. */
  scan: 22_000,
  /** A comparison with `cid`. */
  cid: 30_000,
  /** Conditions on a referenced record, on referring records, or on elements, without those conditions themselves. */
  join: 22_000,
  /** `isCurrent`. */
  pin: 50_000,
  /** A value in a list, as in `in`. */
  listValue: 20,
  /** An order that no index provides. */
  sort: 20_000,
  /** Each further field of `sortBy`. */
  sortField: 12_000,
  /** The first record of each combination of values: all matching records are read. */
  distinct: 80_000,
  /** A list within a record is assumed to read this fraction (one in 20) of a collection. */
  linked: 20,

  /** Groups, or measures of the whole: all records are read once. */
  grouping: 16_000,
  /** Groups by one field whose values are counted as records change, of all records and without measures. */
  countedGrouping: 5_000,
  /** A facet that shares the records of another. */
  furtherFacet: 12_000,
  /** Each field of `groupBy` after the first. */
  groupField: 6_000,
  /** A time bucket. */
  bucket: 8_000,
  /** Its time zone. */
  timeZone: 4_000,
  /** Ranges of an integer. */
  interval: 4_000,
  /** Each reference on the way to a field that is grouped by or counted, and each count of referring records. */
  groupJoin: 20_000,
  /** A long text that is grouped by or counted. */
  groupText: 60_000,
  /** An array that is grouped by or counted. */
  groupArray: 15_000,
  /** An array of objects, of which a field is grouped by or measured, and each further field of it. */
  groupObjects: 60_000,
  furtherObjects: 10_000,
  /** Names of elements alone, from a column that has those of each record. */
  groupNames: 30_000,
  /** Each further array multiplies the rows of the arrays before it. */
  furtherArray: 3,
  /** Comparing the elements of each array with each other. */
  pairs: 24_000,
  /** `avg`, `sum`, `min`, `max` of a field. */
  measure: 4_000,
  /** `median`, `stddev`, `percentile` of a field, of which all values are collected. */
  orderedMeasure: 10_000,
  countDistinct: 18_000,
  /** `change` of one value of groups. */
  change: 4_000,
  /** Whether any record has a word, and which words are near to it. */
  missingWord: 100,
  nearWords: 5_000,
  /** Counting the words of a sample of records. */
  words: 40_000,
} as const
