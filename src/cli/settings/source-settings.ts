/** Settings of inputs: files, sources and repositories. */
import { defaultMaxClockSkew } from '../../util/instant.ts'
import { fetching, type Setting } from './setting.ts'

export const sourceSettings = {
  from: {
    value: 'SOURCE,…',
    help: 'What to follow: firehose:URL, jetstream:URL, tap:URL, repo-export:TARGET or import:FILE; several with commas. NAME= before one is what callers are told of it.',
    helpOf: { copy: { value: 'URL', help: 'The database that is copied, written as for --database.' } },
    commands: ['ingest', 'copy'],
  },
  to: {
    value: 'URL',
    env: null,
    help: 'The database that becomes the copy, written as for --database: an empty one, or the same again when a copy was broken off.',
    commands: ['copy'],
  },
  ingest: {
    value: 'SOURCE,…',
    help: 'Follow these sources in the same process, as `lexigraph ingest --from` does in one of its own.',
    commands: ['serve'],
  },
  publishers: {
    value: 'ACCOUNT,…',
    help: 'DIDs or handles of the accounts whose records are taken; by default those of all.',
    commands: [...fetching, 'serve'],
  },
  'max-clock-skew': {
    default: defaultMaxClockSkew,
    min: 1,
    max: 86_400,
    value: 'SECONDS',
    help: "How far revisions and other clocks may be ahead of this machine's clock; what is further ahead is not believed.",
    commands: [...fetching, 'serve', 'import', 'rejections'],
  },
  'max-publisher-rate': {
    default: 60_000,
    min: 1,
    max: 100_000_000,
    value: 'NUMBER',
    help: 'Records that a live source may bring of one account in a minute; of an account that sends more the repository is fetched ten minutes later.',
    commands: ['ingest', 'serve'],
  },
  parallel: {
    default: 4,
    min: 1,
    max: 64,
    value: 'NUMBER',
    help: 'How many repositories are fetched at once.',
    commands: [...fetching, 'serve'],
  },
  plc: {
    default: 'https://plc.directory',
    value: 'URL',
    help: 'The directory of did:plc identities. With http: the network is a private one, and private addresses may be reached.',
    commands: [...fetching, 'serve'],
  },
  'handle-resolver': {
    value: 'URL',
    help: 'A service, such as a PDS, that is asked which account a handle belongs to; by default DNS and HTTPS are.',
    commands: [...fetching, 'serve'],
  },
  threads: {
    min: 1,
    max: 64,
    value: 'NUMBER',
    help: 'Threads that read records beside the writing; by default as many as there are cores.',
    commands: ['import', 'check', ...fetching, 'serve'],
  },
} as const satisfies Record<string, Setting>
