/** Settings of single commands: their arguments and output. */
import { fileFormats } from '../../files/file-spec.ts'
import type { Setting } from './setting.ts'

export const taskSettings = {
  name: {
    value: 'NAME',
    help: 'Whose key it is; it is what logs show.',
    commands: ['keys'],
  },
  tier: {
    value: 'TIER',
    help: 'Whose limits hold for the key, such as research.',
    commands: ['keys'],
  },
  contact: {
    value: 'TEXT',
    help: 'Whom to write to about the key, such as an e-mail address; it is shown by `keys list` alone.',
    commands: ['keys'],
  },
  expires: {
    value: 'DATE|DAYS',
    help: 'When the key ends by itself: 2027-01-31 (midnight UTC) or a time with its offset, or 90d from now. With rotate: when the new one does.',
    commands: ['keys'],
  },
  days: {
    default: 30,
    min: 1,
    max: 400,
    value: 'NUMBER',
    help: 'How many days of usage are shown, the present one included.',
    commands: ['keys'],
  },
  grace: {
    default: 24,
    max: 8_760,
    value: 'HOURS',
    help: 'How long the old key still works after a rotation.',
    commands: ['keys'],
  },
  'dry-run': {
    help: 'Say what would be removed, and remove nothing.',
    commands: ['purge'],
  },
  list: {
    help: 'List what was hidden or purged: when, by whom and why.',
    commands: ['hide'],
  },
  undo: {
    help: 'Show again what was hidden.',
    commands: ['hide'],
  },
  reason: {
    value: 'TEXT',
    help: 'Why it is hidden or purged; it is kept.',
    commands: ['hide', 'purge'],
  },
  by: {
    value: 'NAME',
    env: 'LEXIGRAPH_OPERATOR',
    help: 'Who does it, which is kept; by default the user of the machine.',
    commands: ['hide', 'purge'],
  },
  variables: {
    value: 'JSON',
    help: "The operation's variables: a JSON object, @FILE, or - for standard input.",
    commands: ['query', 'explain'],
  },
  operation: {
    value: 'NAME',
    help: 'Which operation of the document is meant, when it has several.',
    commands: ['query', 'explain'],
  },
  format: {
    choices: fileFormats,
    value: 'FORMAT',
    help: 'Write the rows of the one list or aggregate that the operation selects as a file, without limits of rows and time.',
    commands: ['query'],
  },
  output: {
    value: 'FILE',
    help: 'Where the file of --format goes; standard output by default. A file that is there is not overwritten.',
    commands: ['query'],
  },
  bom: {
    help: 'Begin a CSV file with a byte order mark.',
    commands: ['query'],
  },
  diff: {
    value: 'OLD.graphql',
    help: 'List the breaking and dangerous changes since that schema instead of printing; the exit status is 1 when one is breaking, 2 when the file is not a schema.',
    commands: ['schema'],
  },
} as const satisfies Record<string, Setting>
