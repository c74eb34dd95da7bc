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
    help: 'The collection of the file; --format needs it.',
    commands: ['export'],
  },
  where: {
    value: 'JSON',
    help: 'Only records that meet these conditions, as in GraphQL.',
    commands: ['export'],
  },
  search: {
    value: 'WORDS',
    help: 'Only records with these words, as in GraphQL.',
    commands: ['export'],
  },
  'sort-by': {
    value: 'ORDER',
    help: 'The order of the rows, such as publishedAt:desc,title; newest indexed first by default.',
    commands: ['export'],
  },
  fields: {
    value: 'NAME,…',
    help: 'The columns, such as uri,title,source.displayName; all scalar fields by default.',
    commands: ['export'],
  },
  limit: {
    type: 'integer',
    min: 1,
    value: 'NUMBER',
    help: 'The largest number of rows.',
    commands: ['export'],
  },
  bom: {
    type: 'flag',
    help: 'Begin a CSV file with a byte order mark.',
    commands: ['export'],
  },
} as const satisfies Record<string, Setting>
