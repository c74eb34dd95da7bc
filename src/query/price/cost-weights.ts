/** What each thing that an operation asks for counts; docs/limits.md explains them, and bench/cost-search.ts reviews them. */
export const weights = {
  /** Size in a point. */
  point: 1_000,
  /** A value that is printed, and each record, object or group around values. */
  value: 1,
  /** `recordJson`, and any other value of type JSON: some kilobytes. */
  json: 20,
  /** A field that is written, an operator or an object of a `where`: what planning takes, whatever the data. */
  written: 12,
  /** A list with its page, wherever it stands. */
  list: 20,
  /** A record that is looked up by its URI. */
  reference: 5,
  /** Elements that an array of objects or references is taken to have. */
  elements: 5,
  /** `totalCount`, or the `count` of an aggregate that is not grouped, besides what its `where` costs. */
  total: 2_000,
  /** Most that `indexStatus` costs, however many collections it counts. */
  status: 100_000,
  /** Most that introspection costs, however large the schema is; each of its fields is a value. */
  introspection: 100_000,

  /** A `where` whose records stand next to each other in an index. */
  narrow: 500,
  /** A `where` of one condition that an index answers, in default order or for a total. */
  indexLookup: 5_000,
  /** Any other `where`: all records may be looked at, for each condition that follows. */
  tableScan: 15_000,
  /** Besides, where a page is in another order than the default. */
  inOrder: 5_000,
  /** A condition on a field with an index. */
  indexed: 500,
  /** `contains` or `startsWith` on free text, for which there is an index of its own. */
  search: 6_000,
  /** Any other comparison with text that has no index, with URIs, or with elements of arrays. */
  text: 7_000,
  /** `has`, `hasAny` or `hasAll` of an array with an index. */
  has: 10_000,
  /** `contains` or `startsWith` without such an index. */
  scan: 22_000,
  /** A comparison with `cid`. */
  cid: 30_000,
  /** Conditions on a record behind a reference, on records that refer, or on elements, besides those conditions. */
  join: 22_000,
  /** `isCurrent`. */
  pin: 50_000,
  /** A value in a list, as in `in`. */
  listValue: 20,
  /** An order that no index gives. */
  sort: 20_000,
  /** Each further field of `sortBy`. */
  sortField: 12_000,
  /** Lists within records are taken to read this part of a collection. */
  linked: 20,

  /** Groups, or measures of the whole: all records are read once. */
  grouping: 16_000,
  /** Each field of `groupBy` after the first. */
  groupField: 6_000,
  /** A bucket of time. */
  bucket: 8_000,
  /** Each reference that leads to a field that is grouped or counted by. */
  groupJoin: 20_000,
  /** Long text that is grouped or counted by. */
  groupText: 60_000,
  /** An array that is grouped or counted by. */
  groupArray: 15_000,
  /** Each further array multiplies the rows of those before. */
  furtherArray: 4,
  /** `avg`, `sum`, `min`, `max` of a field. */
  measure: 4_000,
  countDistinct: 18_000,
} as const
