/** Settings of the command `export` for files of one collection. */
import { fileFormats } from '../../files/file-spec.ts'
import type { Setting } from './setting.ts'

export const exportSettings = {
  format: {
    type: 'choice',
    choices: fileFormats,
    value: 'FORMAT',
    help: 'Write a file of one collection for other programs, as GET /export does, instead of all records for `import`.',
    commands: ['export'],
  },
  collection: {
    value: 'NSID',
    help: 'The collection of the file; --format needs it. With `explain`, the export of it is explained.',
    commands: ['export', 'explain'],
  },
  where: {
    value: 'JSON',
    help: 'Only records that meet these conditions, as in GraphQL.',
    commands: ['export', 'explain'],
  },
  search: {
    value: 'WORDS',
    help: 'Only records with these words, as in GraphQL.',
    commands: ['export', 'explain'],
  },
  'sort-by': {
    value: 'ORDER',
    help: 'The order of the rows, such as publishedAt:desc,title; newest indexed first by default.',
    commands: ['export', 'explain'],
  },
  fields: {
    value: 'NAME,…',
    help: 'The columns, such as uri,title,source.displayName; all scalar fields by default.',
    commands: ['export', 'explain'],
  },
  'group-by': {
    value: 'FIELD,…',
    help: 'Write the groups by these fields instead of records, as GET /export/NSID/aggregate does; `fields` are then measures such as avg.wordCount.',
    commands: ['export', 'explain'],
  },
  denominator: {
    value: 'JSON',
    help: 'The records of which the share of each group is the part; {} for all.',
    commands: ['export', 'explain'],
  },
  'time-zone': {
    value: 'ZONE',
    help: 'The time zone of days and other times, such as Europe/Berlin; UTC by default.',
    commands: ['export', 'explain'],
  },
  'week-start': {
    value: 'DAY',
    help: 'The first day of weeks, such as SUNDAY; MONDAY by default.',
    commands: ['export', 'explain'],
  },
  interval: {
    value: 'NUMBER',
    help: 'Group integers in ranges of this size.',
    commands: ['export', 'explain'],
  },
  'order-by': {
    value: 'ORDER',
    help: 'The order of groups: COUNT_DESC (by default), COUNT_ASC, KEY_ASC or KEY_DESC.',
    commands: ['export', 'explain'],
  },
  'rank-by': {
    value: 'JSON',
    help: 'Order groups by a measure, as in GraphQL.',
    commands: ['export', 'explain'],
  },
  having: {
    value: 'JSON',
    help: 'Only groups that meet these conditions, as in GraphQL.',
    commands: ['export', 'explain'],
  },
  significant: {
    value: 'JSON',
    help: 'Only groups that are more frequent than among other records, as in GraphQL.',
    commands: ['export', 'explain'],
  },
  'min-count': {
    value: 'NUMBER',
    help: 'Leave out groups of fewer records.',
    commands: ['export', 'explain'],
  },
  fill: {
    type: 'flag',
    help: 'Add the groups without records, as in GraphQL.',
    commands: ['export', 'explain'],
  },
  limit: {
    type: 'integer',
    min: 1,
    value: 'NUMBER',
    help: 'The largest number of rows.',
    commands: ['export', 'explain'],
  },
  bom: {
    type: 'flag',
    help: 'Begin a CSV file with a byte order mark.',
    commands: ['export'],
  },
} as const satisfies Record<string, Setting>
