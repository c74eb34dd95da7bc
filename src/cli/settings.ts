/**
 * Every setting of the program, once: parsing, `--help` and docs/settings.md all follow from this table,
 * and so does the type of the configuration.
 */

import { defaultMaxClockSkew } from '../util/tid.ts'
import { type CommandName, commands } from './command-list.ts'

export interface Setting {
  readonly type: 'text' | 'integer' | 'flag' | 'choice'
  /** Null when the program finds it (as help says), or when it is simply absent. */
  readonly default: string | number | boolean | null
  readonly min?: number
  readonly max?: number
  readonly choices?: readonly string[]
  /** What stands for the value in help; options without one are flags. */
  readonly value?: string
  /** Absent where an environment variable would only surprise. */
  readonly env?: string
  readonly help: string
  readonly commands: readonly CommandName[]
}

const every = Object.keys(commands) as CommandName[]
const serving: readonly CommandName[] = ['serve', 'demo']
const fetching: readonly CommandName[] = ['ingest', 'backfill', 'reconcile']
const writing: readonly CommandName[] = [
  ...fetching,
  'rejections',
  'keys',
  'hide',
  'unhide',
  'hidden',
  'purge',
]
const reading: readonly CommandName[] = ['serve', 'status', 'rejections', 'query', 'explain']

export const settings = {
  database: {
    type: 'text',
    default: './lexigraph.db',
    value: 'URL',
    env: 'LEXIGRAPH_DATABASE',
    help: 'Where the records are: sqlite:PATH, sqlite:///PATH from the root, or a path alone; sqlite::memory: for a database that ends with the process, or postgres://USER:PASSWORD@HOST:PORT/NAME.',
    commands: [
      ...writing,
      'serve',
      'import',
      'export',
      'backup',
      'restore',
      'status',
      'query',
      'explain',
      'check',
    ],
  },
  'read-database': {
    type: 'text',
    default: null,
    value: 'postgres://HOST/NAME,…',
    env: 'LEXIGRAPH_READ_DATABASE',
    help: 'Replicas of a PostgreSQL database, which answer in turn as long as they are near enough; several with commas.',
    commands: reading,
  },
  'max-replica-lag': {
    type: 'integer',
    default: 10,
    min: 1,
    max: 3600,
    value: 'SECONDS',
    env: 'LEXIGRAPH_MAX_REPLICA_LAG',
    help: 'How far a replica may be behind the primary before it no longer answers.',
    commands: reading,
  },
  'database-connections': {
    type: 'integer',
    default: 10,
    min: 1,
    max: 1000,
    value: 'NUMBER',
    env: 'LEXIGRAPH_DATABASE_CONNECTIONS',
    help: 'The most connections for reading to each PostgreSQL server, of all workers together, but two at least in each; each worker has one more to watch it.',
    commands: ['serve'],
  },
  lexicons: {
    type: 'text',
    default: null,
    value: 'DIR',
    env: 'LEXIGRAPH_LEXICONS',
    help: "Directory of the lexicons and of references.json; by default the package's own.",
    commands: every.filter((command) => command !== 'demo'),
  },
  strict: {
    type: 'flag',
    default: false,
    help: 'Exit with 1 when any record is refused; otherwise only when all are.',
    commands: ['import'],
  },
  rebuild: {
    type: 'flag',
    default: false,
    help: 'Rebuild the database for these lexicons even if a collection with records disappears by it. The records are kept, and served again under lexicons that fit them.',
    commands: ['serve', 'import', ...fetching, 'rejections'],
  },
  from: {
    type: 'text',
    default: null,
    value: 'SOURCE,…',
    env: 'LEXIGRAPH_FROM',
    help: 'What to follow: firehose:URL, jetstream:URL, tap:URL, repo-export:TARGET or import:FILE; several with commas. For copy: the database that is copied, written as for --database.',
    commands: ['ingest', 'copy'],
  },
  to: {
    type: 'text',
    default: null,
    value: 'URL',
    help: 'The database that becomes the copy, written as for --database: an empty one, or the same again when a copy was broken off.',
    commands: ['copy'],
  },
  ingest: {
    type: 'text',
    default: null,
    value: 'SOURCE,…',
    env: 'LEXIGRAPH_INGEST',
    help: 'Follow these sources in the same process, as `lexigraph ingest --from` does in one of its own.',
    commands: ['serve'],
  },
  publishers: {
    type: 'text',
    default: null,
    value: 'ACCOUNT,…',
    env: 'LEXIGRAPH_PUBLISHERS',
    help: 'DIDs or handles of the accounts whose records are taken; by default those of all.',
    commands: [...fetching, 'serve'],
  },
  'max-clock-skew': {
    type: 'integer',
    default: defaultMaxClockSkew,
    min: 1,
    max: 86_400,
    value: 'SECONDS',
    env: 'LEXIGRAPH_MAX_CLOCK_SKEW',
    help: "How far revisions and other clocks may be ahead of this machine's clock; what is further ahead is not believed.",
    commands: [...fetching, 'serve', 'import', 'rejections'],
  },
  'max-publisher-rate': {
    type: 'integer',
    default: 60_000,
    min: 1,
    max: 100_000_000,
    value: 'NUMBER',
    env: 'LEXIGRAPH_MAX_PUBLISHER_RATE',
    help: 'Records that a live source may bring of one account in a minute; of an account that sends more the repository is fetched ten minutes later.',
    commands: ['ingest', 'serve'],
  },
  parallel: {
    type: 'integer',
    default: 4,
    min: 1,
    max: 64,
    value: 'NUMBER',
    env: 'LEXIGRAPH_PARALLEL',
    help: 'How many repositories are fetched at once.',
    commands: [...fetching, 'serve'],
  },
  plc: {
    type: 'text',
    default: 'https://plc.directory',
    value: 'URL',
    env: 'LEXIGRAPH_PLC',
    help: 'The directory of did:plc identities. With http: the network is a private one, and private addresses may be reached.',
    commands: [...fetching, 'serve'],
  },
  'handle-resolver': {
    type: 'text',
    default: null,
    value: 'URL',
    env: 'LEXIGRAPH_HANDLE_RESOLVER',
    help: 'A service, such as a PDS, that is asked which account a handle belongs to; by default DNS and HTTPS are.',
    commands: [...fetching, 'serve'],
  },
  host: {
    type: 'text',
    default: '127.0.0.1',
    value: 'ADDRESS',
    env: 'LEXIGRAPH_HOST',
    help: 'Address to listen on; 0.0.0.0 or :: for every one of the machine.',
    commands: serving,
  },
  port: {
    type: 'integer',
    default: 4000,
    min: 0,
    max: 65_535,
    value: 'NUMBER',
    env: 'LEXIGRAPH_PORT',
    help: 'Port to listen on; 0 takes a free one.',
    commands: serving,
  },
  mcp: {
    type: 'flag',
    default: false,
    env: 'LEXIGRAPH_MCP',
    help: 'Serve agents too, at /mcp (Model Context Protocol). Behind a proxy on the same machine it takes --trusted-proxies: otherwise only names of this machine are answered.',
    commands: serving,
  },
  endpoint: {
    type: 'text',
    default: 'http://127.0.0.1:4000/api/graphql',
    value: 'URL',
    env: 'LEXIGRAPH_ENDPOINT',
    help: 'The GraphQL service that answers; it must have the lexicons that this program has.',
    commands: ['mcp'],
  },
  'api-key': {
    type: 'text',
    default: null,
    value: 'KEY',
    env: 'LEXIGRAPH_API_KEY',
    help: 'Sent to the service as X-API-Key; with --listen for those alone who send none of their own. Others on the machine see arguments: the environment variable is better.',
    commands: ['mcp'],
  },
  listen: {
    type: 'text',
    default: null,
    value: 'HOST:PORT',
    env: 'LEXIGRAPH_LISTEN',
    help: 'Answer over HTTP at /mcp there, instead of on standard input and output.',
    commands: ['mcp'],
  },
  'log-level': {
    type: 'choice',
    default: 'info',
    choices: ['silent', 'error', 'warn', 'info', 'debug'],
    value: 'LEVEL',
    env: 'LEXIGRAPH_LOG_LEVEL',
    help: 'How much is said on standard error; debug adds the causes of failures.',
    commands: every,
  },
  workers: {
    type: 'integer',
    default: null,
    min: 1,
    max: 64,
    value: 'NUMBER',
    env: 'LEXIGRAPH_WORKERS',
    help: 'Processes that answer at the one port; by default as many as there are cores.',
    commands: ['serve'],
  },
  tiers: {
    type: 'text',
    default: null,
    value: 'FILE',
    env: 'LEXIGRAPH_TIERS',
    help: 'A JSON file with the limits of each tier of callers, where they differ from those in docs/limits.md.',
    commands: ['serve', 'demo', 'keys'],
  },
  'trusted-proxies': {
    type: 'text',
    default: null,
    value: 'ADDRESS,…',
    env: 'LEXIGRAPH_TRUSTED_PROXIES',
    help: 'Addresses or networks (10.0.0.0/8) of proxies in front, whose X-Forwarded-For names the caller; by default nobody is believed.',
    commands: serving,
  },
  'max-connections': {
    type: 'integer',
    default: 2_000,
    min: 1,
    max: 100_000,
    value: 'NUMBER',
    env: 'LEXIGRAPH_MAX_CONNECTIONS',
    help: 'Open connections at most; one address may have a tenth of them, proxies that are trusted all.',
    commands: serving,
  },
  'answer-cache': {
    type: 'integer',
    default: 32,
    min: 0,
    max: 65_536,
    value: 'MEGABYTES',
    env: 'LEXIGRAPH_ANSWER_CACHE',
    help: 'Memory in each worker for answers that are given again while nothing was written to a SQLite file; 0 for none.',
    commands: ['serve'],
  },
  'cache-seconds': {
    type: 'integer',
    default: 0,
    min: 0,
    max: 86_400,
    value: 'SECONDS',
    env: 'LEXIGRAPH_CACHE_SECONDS',
    help: 'How long browsers and caches may keep an answer that was asked for with GET; 0: they ask whether it is still the same.',
    commands: serving,
  },
  'request-log': {
    type: 'choice',
    default: 'all',
    choices: ['none', 'failures', 'all'],
    value: 'WHICH',
    env: 'LEXIGRAPH_REQUEST_LOG',
    help: "Which requests get a line of JSON on standard error; failures are those that are not the caller's.",
    commands: ['serve'],
  },
  'log-variables': {
    type: 'flag',
    default: false,
    env: 'LEXIGRAPH_LOG_VARIABLES',
    help: 'Log the variables of requests too; callers may have put anything there.',
    commands: ['serve'],
  },
  'slow-query': {
    type: 'integer',
    default: 1_000,
    min: 1,
    max: 3_600_000,
    value: 'MILLISECONDS',
    env: 'LEXIGRAPH_SLOW_QUERY',
    help: 'An operation that takes longer is logged with its statement and plan.',
    commands: serving,
  },
  'metrics-port': {
    type: 'integer',
    default: null,
    min: 0,
    max: 65_535,
    value: 'NUMBER',
    env: 'LEXIGRAPH_METRICS_PORT',
    help: 'Serve /metrics for Prometheus at this port of --metrics-host, for all workers; by default nowhere.',
    commands: serving,
  },
  'metrics-host': {
    type: 'text',
    default: '127.0.0.1',
    value: 'ADDRESS',
    env: 'LEXIGRAPH_METRICS_HOST',
    help: 'Address at which /metrics is served.',
    commands: serving,
  },
  threads: {
    type: 'integer',
    default: null,
    min: 1,
    max: 64,
    value: 'NUMBER',
    env: 'LEXIGRAPH_THREADS',
    help: 'Threads that read records beside the writing; by default as many as there are cores.',
    commands: ['import', 'check', ...fetching, 'serve'],
  },
  name: {
    type: 'text',
    default: null,
    value: 'NAME',
    help: 'Whose key it is; it is what logs show.',
    commands: ['keys'],
  },
  tier: {
    type: 'text',
    default: null,
    value: 'TIER',
    help: 'Whose limits hold for the key, such as research.',
    commands: ['keys'],
  },
  contact: {
    type: 'text',
    default: null,
    value: 'TEXT',
    help: 'Whom to write to about the key, such as an e-mail address; it is shown by `keys list` alone.',
    commands: ['keys'],
  },
  expires: {
    type: 'text',
    default: null,
    value: 'DATE|DAYS',
    help: 'When the key ends by itself: 2027-01-31 (midnight UTC) or a time with its offset, or 90d from now. With rotate: when the new one does.',
    commands: ['keys'],
  },
  days: {
    type: 'integer',
    default: 30,
    min: 1,
    max: 400,
    value: 'NUMBER',
    help: 'How many days of usage are shown, the present one included.',
    commands: ['keys'],
  },
  grace: {
    type: 'integer',
    default: 24,
    min: 0,
    max: 8_760,
    value: 'HOURS',
    help: 'How long the old key still works after a rotation.',
    commands: ['keys'],
  },
  retain: {
    type: 'text',
    default: null,
    value: 'NSID=AGE,…',
    env: 'LEXIGRAPH_RETAIN',
    help: 'For how long records of a collection are kept after they were indexed, such as org.example.note=90d, in days (d) or hours (h); by default for good. serve and ingest remove what is older as they run, purge does it once; none of these commands stores such records again.',
    commands: ['serve', 'import', ...fetching, 'rejections', 'purge'],
  },
  'dry-run': {
    type: 'flag',
    default: false,
    help: 'Say what would be removed, and remove nothing.',
    commands: ['purge'],
  },
  reason: {
    type: 'text',
    default: null,
    value: 'TEXT',
    help: 'Why it is hidden or purged; it is kept.',
    commands: ['hide', 'purge'],
  },
  by: {
    type: 'text',
    default: null,
    value: 'NAME',
    env: 'LEXIGRAPH_OPERATOR',
    help: 'Who does it, which is kept; by default the user of the machine.',
    commands: ['hide', 'unhide', 'purge'],
  },
  variables: {
    type: 'text',
    default: null,
    value: 'JSON',
    help: "The operation's variables: a JSON object, @FILE, or - for standard input.",
    commands: ['query', 'explain'],
  },
  operation: {
    type: 'text',
    default: null,
    value: 'NAME',
    help: 'Which operation of the document is meant, when it has several.',
    commands: ['query', 'explain'],
  },
  diff: {
    type: 'text',
    default: null,
    value: 'OLD.graphql',
    help: 'List the breaking and dangerous changes since that schema instead of printing; the exit status is 1 when one is breaking, 2 when the file is not a schema.',
    commands: ['schema'],
  },
  json: {
    type: 'flag',
    default: false,
    help: 'Print the result as JSON, for scripts.',
    commands: [
      'import',
      'check',
      'explain',
      'backfill',
      'reconcile',
      'status',
      'rejections',
      'copy',
      'backup',
      'restore',
      'keys',
      'hidden',
    ],
  },
  help: { type: 'flag', default: false, help: 'Print this help.', commands: every },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof settings

type ValueOf<S extends Setting> =
  | (S['type'] extends 'integer'
      ? number
      : S['type'] extends 'flag'
        ? boolean
        : S['type'] extends 'choice'
          ? ChoiceOf<S>
          : string)
  | (S['default'] extends null ? null : never)
type ChoiceOf<S extends Setting> = S extends { readonly choices: readonly (infer C)[] } ? C : never

/** Values of all settings; a command sees its own and the defaults of the rest. */
export type Config = { readonly [K in SettingName]: ValueOf<(typeof settings)[K]> }

/** The settings of one command, in the order of the table. */
export function settingsOf(command: CommandName): [SettingName, Setting][] {
  return (Object.entries(settings) as [SettingName, Setting][]).filter(([, setting]) =>
    setting.commands.includes(command),
  )
}
