/** Settings of the database, of its lexicons, and of what comes into it: files, sources and repositories. */
import { defaultMaxClockSkew } from '../../util/instant.ts'
import type { CommandName } from '../command-list.ts'
import { everyExcept, fetching, type Setting } from './setting.ts'

const reading: readonly CommandName[] = ['serve', 'status', 'rejections', 'query', 'explain']

export const storeSettings = {
  database: {
    default: './lexigraph.db',
    value: 'URL',
    help: 'Where the records are: sqlite:PATH, sqlite:///PATH from the root, or a path alone; sqlite::memory: for a database that ends with the process, or postgres://USER:PASSWORD@HOST:PORT/NAME.',
    commands: everyExcept('copy', 'schema', 'demo', 'mcp'),
  },
  'read-database': {
    value: 'postgres://HOST/NAME,…',
    help: 'Replicas of a PostgreSQL database, which answer in turn as long as they are near enough; several with commas.',
    commands: reading,
  },
  'max-replica-lag': {
    default: 10,
    min: 1,
    max: 3600,
    value: 'SECONDS',
    help: 'How far a replica may be behind the primary before it no longer answers.',
    commands: reading,
  },
  'database-connections': {
    default: 10,
    min: 1,
    max: 1000,
    value: 'NUMBER',
    help: 'The most connections for reading to each PostgreSQL server, of all workers together, but two at least in each; each worker has one more to watch it.',
    commands: ['serve'],
  },
  lexicons: {
    value: 'DIR',
    help: "Directory of the lexicons and of references.json; by default the package's own.",
    commands: everyExcept('demo'),
  },
  strict: {
    env: null,
    help: 'Exit with 1 when any record is refused; otherwise only when all are.',
    commands: ['import'],
  },
  rebuild: {
    env: null,
    help: 'Rebuild the database for these lexicons even if a collection that has records would no longer be served, or if another process replaced these lexicons within the last hour. Records are kept, and served again under lexicons that fit them.',
    commands: ['serve', 'import', ...fetching, 'rejections'],
  },
  retain: {
    value: 'NSID=AGE,…',
    help: 'For how long records of a collection are kept after they were indexed, such as org.example.note=90d, in days (d) or hours (h); by default for good. serve and ingest remove what is older as they run, purge does it once; none of these commands stores such records again.',
    commands: ['serve', 'import', ...fetching, 'rejections', 'purge'],
  },
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
