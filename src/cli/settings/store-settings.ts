/** Settings of the database and of its lexicons. */
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
} as const satisfies Record<string, Setting>
