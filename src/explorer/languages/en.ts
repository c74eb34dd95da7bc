/** English: the catalogue that the others have the shape of. */
import { charts } from './charts-en.ts'
import type { Problem } from '../view/problem.ts'
import type { Plural } from './text-parts.ts'

export const en = {
  skip: 'Skip to the content',
  skipToResults: 'Skip to the results',
  search: 'Search',
  searchIn: (collection: string) => `Search ${collection}`,
  home: 'Home',
  playground: 'GraphQL playground',
  language: 'Language',
  collections: 'Collections',
  newest: 'Newest',
  filters: 'Filters',
  apply: 'Apply',
  clear: 'Remove all filters',
  results: 'Results',
  noResults: 'Nothing matches.',
  noResultsHint: 'Remove a filter, or search for fewer words.',
  didYouMean: 'Did you mean',
  /** Between the parts of a list. */
  comma: ', ',
  records: { one: '{n} record', other: '{n} records' } satisfies Plural,
  missing: 'missing',
  exclude: 'exclude',
  include: 'include',
  more: 'More',
  from: 'from',
  to: 'to',
  sort: 'Sort',
  newestFirst: 'Newest first',
  mostRelevant: 'Most relevant first',
  show: 'Show as',
  list: 'List',
  table: 'Table',
  cards: 'Cards',
  next: 'Next page',
  previous: 'Previous page',
  firstPage: 'First page',
  yes: 'yes',
  no: 'no',
  indexedAt: 'Indexed at',
  updated: 'Last record indexed:',
  timesInUtc: 'Times are in UTC.',
  timesInZone: (zone: string) => `Times are in your zone, ${zone}.`,
  sourceState: (name: string, state: string) => `${name}: ${state}`,
  wrongAddress: 'This address asks for something that does not exist',
  withoutProblems: 'Go on without it',
  notFound: 'This page does not exist.',
  failed: 'This page cannot be shown',
  wrongPage:
    'The address names no page of this list. Begin with the first page, without “after” and “before”.',
  tooExpensive:
    'This page would cost too much. Choose a shorter period, or fewer filters, facets and groups.',
  wrongSearch:
    'The search cannot be carried out. Write at least one word that records may have: signs are not enough.',
  wrongInput: 'The service refuses a value in this address. Change it, or go on without it. The reason:',
  tryAgain: 'Try again',
  onlyRead: 'Pages can only be read: nothing can be sent to this address.',
  openPage: 'Open the page',
  tooMany: (seconds: number) =>
    `You have sent many requests in a short time. Try again in ${seconds} seconds.`,
  operator: {
    contact: 'Contact',
    note: 'Terms and provenance',
    source: 'Source',
    about: (service: string) => `Search, compare and export the records of ${service}.`,
  },
  browse: {
    everything: 'Search everything',
    searchAll: 'Search all collections',
    searchLead: 'Words, “phrases”, prefix*, -without, OR',
    found: (words: string) => `Results for “${words}”`,
    all: 'All',
    moreFacets: 'More fields',
    allValues: (field: string) => `All values of ${field}`,
    columns: 'Columns',
    facets: 'Facets',
    ascending: (field: string) => `${field}, ascending`,
    descending: (field: string) => `${field}, descending`,
    newRecords: { one: '{n} new record', other: '{n} new records' } satisfies Plural,
    pages: 'Pages',
    dates: (field: string) => `${field}, in UTC`,
    noChart: 'The chart is left out, because these filters cost much. With fewer, it is shown.',
    fewFacets: 'Some facets are left out, because this view costs much. “More fields” leads to their values.',
    fewerFacets: 'Choose fewer facets or filters to see them here.',
    skipFilters: 'Facets are shown with the first page.',
    undated: (field: string, count: string) =>
      `In the order of indexing: records without “${field}” are among the others (${count}).`,
    missingFirst: (field: string) => `Records without “${field}” come first.`,
    missingLast: (field: string) => `Records without “${field}” come last.`,
  },
  filtering: {
    add: 'Add a filter',
    field: 'Field',
    next: 'Continue',
    condition: 'Condition',
    value: 'Value',
    between: 'Range',
    anyOf: 'Any of these values',
    present: 'Has a value',
    absent: 'Has no value',
    presence: 'With or without a value',
    find: 'Find a value',
    noValues: 'No value matches.',
    mostFrequent: (count: string) => `The ${count} most frequent values.`,
    findOthers: 'Find others by a part of them.',
    lookedThrough: (count: string) => `Only the ${count} most frequent values were looked through.`,
    back: 'Back to the records',
    by: (field: string) => `Filter by ${field}`,
    refersTo: (field: string) => `Of its ${field}`,
    referring: (collection: string) => `Of ${collection} records that refer to it`,
    operators: {
      is: 'is exactly',
      not: 'is not',
      all: 'has all of',
      missing: 'is missing',
      from: 'from',
      to: 'to',
      contains: 'contains',
      starts: 'begins with',
      matches: 'has the words',
    },
    /** What a condition says; `{value}` is the value. */
    sentences: {
      is: '{field}: {value}',
      not: '{field}: not {value}',
      all: '{field}: {value}',
      from: '{field}: from {value}',
      to: '{field}: to {value}',
      contains: '{field} contains {value}',
      starts: '{field} begins with {value}',
      matches: '{field} has the words {value}',
      isMissing: '{field} is missing',
      isPresent: '{field} has a value',
    },
    remove: (condition: string) => `Remove the filter “${condition}”`,
    reversed: (field: string) => `${field}: the range begins after it ends, so that no record matches.`,
    swap: 'Swap the two',
  },
  front: {
    lead: (records: string, collections: string) =>
      `${records} in ${collections}. Search, filter, count and compare them.`,
    collections: { one: '{n} collection', other: '{n} collections' } satisfies Plural,
    examples: 'For example',
    both: (collection: string, one: string, other: string) => `${collection}: ${one}, ${other}`,
    compare: (one: string, other: string) => `${one} and ${other} as shares over time`,
    unusual: (collection: string, day: string) => `${collection}: what was unusual in the week to ${day}`,
    index: 'How fresh the data is',
    lag: (seconds: string) => `${seconds} s behind`,
    browseAll: (collection: string) => `Browse ${collection}`,
  },
  keys: {
    title: 'Keyboard',
    search: 'Go to the search',
    next: 'Next result',
    previous: 'Previous result',
    open: 'Open the result',
    help: 'Show this list',
    close: 'Close',
  },
  charts,
  problem: (problem: Problem): string => {
    switch (problem.kind) {
      case 'unknownParameter':
        return `There is no field or parameter “${problem.name}”. Remove it from the address.`
      case 'reservedName':
        return `“${problem.name}” is a parameter of other pages. Write the field as “${problem.condition}”.`
      case 'unknownOperator':
        return `“${problem.name}” has no condition “${problem.operator}”. It has: ${problem.operators.join(', ')}.`
      case 'noSearch':
        return `“${problem.name}” searches words, and these records have no text that is searched. Leave it out, or use a filter.`
      case 'longValue':
        return `The value of “${problem.name}” is too long: at most ${problem.most} characters.`
      case 'notFlag':
        return `“${problem.name}.missing” must be 1 or 0.`
      case 'notInteger':
        return `“${problem.name}” must be a whole number, not “${problem.value}”.`
      case 'notBoolean':
        return `“${problem.name}” must be true or false, not “${problem.value}”.`
      case 'notTime':
        return `“${problem.name}” must be a date such as 2026-11-30, or a time such as 2026-11-30T12:00:00Z, not “${problem.value}”.`
      case 'tooManyConditions':
        return `A page has at most ${problem.most} filters.`
      case 'tooManyQueries':
        return `A page compares at most ${problem.most} queries.`
      case 'unknownChoice':
        return `“${problem.name}” cannot be “${problem.value}”.${problem.choices.length === 0 ? '' : ` It can be: ${problem.choices.slice(0, 30).join(', ')}${problem.choices.length > 30 ? '…' : '.'}`}`
    }
  },
  record: {
    fields: 'Fields',
    about: 'About this record',
    account: 'Account',
    uri: 'AT-URI',
    cid: 'CID',
    rev: 'Revision',
    changedAt: 'Changed at',
    json: 'The record as JSON',
    place: 'Position',
    map: 'On the map',
    file: 'File',
    bytes: (count: string) => `${count} bytes`,
    more: (count: string) => `and ${count} more`,
    ofMost: (value: string, most: string) => `${value} of ${most}`,
    between: (value: string, least: string, most: string) => `${value} (from ${least} to ${most})`,
    otherVersion: 'has changed since',
    referring: (collection: string, field: string) => `${collection} referring to this record by “${field}”`,
    newestOf: (count: string) => `the newest ${count}`,
    summary: (collection: string) => `${collection}: summary`,
    total: 'Number of records',
    first: 'First',
    last: 'Last',
    average: (field: string) => `Average of ${field}`,
    notIndexed: 'This record is not indexed here',
    notIndexedHint: 'It may have been deleted, or it has not arrived yet.',
  },
  account: {
    none: 'This account has no records here',
    noneOfThese: 'This account has no records in these collections',
    collections: (first: string, last: string, all: string) => `Collections ${first} to ${last} of ${all}`,
  },
  exportMenu: {
    titles: {
      list: 'Take these records with you',
      record: 'Take this record with you',
      chart: 'Take this chart with you',
      summary: 'Take this summary with you',
    },
    formats: { csv: 'CSV', ndjson: 'NDJSON', parquet: 'Parquet' },
    svg: 'SVG',
    atom: 'Atom',
    playground: 'Open in the GraphQL playground',
    graphql: 'GraphQL',
    embed: 'Include in a page',
    prompt: 'Prompt for an agent',
    citation: 'Citation',
    cut: (rows: string, total: string) => `The files have the first ${rows} of ${total}.`,
    indexState: (time: string) => `Index as of ${time}.`,
    copy: 'Copy',
    copied: 'Copied',
  },
}
