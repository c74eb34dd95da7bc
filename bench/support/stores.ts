/** Databases of the systems that are compared, made once from a corpus and used again; what it took is kept beside them. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  createReadStream,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createGunzip } from 'node:zlib'
import { startCluster } from '../../test/postgres/cluster.ts'
import { parentOf } from '../../test/support/processes.ts'
import { benchCorpus, workFolder } from './options.ts'
import { withClient } from './postgres-client.ts'

export interface Corpus {
  readonly records: number
  readonly articles: number
}

export interface LoadFigures {
  readonly seconds: number
  readonly recordsPerSecond: number
  /** On disk, and of each article with what belongs to it. */
  readonly bytes: number
  readonly bytesPerArticle: number
}

/** A corpus whose records are counted. */
export interface CountedCorpus extends Corpus {
  readonly folder: string
  readonly files: readonly string[]
  /** Differs for another corpus. */
  readonly id: string
}

export interface Loaded {
  /** A path, or a URL of PostgreSQL. */
  readonly database: string
  readonly load: LoadFigures
}

export interface PostgresServer extends AsyncDisposable {
  readonly url: string
  /** Of its main process. */
  readonly pid: number
}

/** Loads a database, and says how long the loading took when that is not the whole of it. */
export type Loader = (database: string) => Promise<{ readonly seconds?: number }>

const checkout = fileURLToPath(new URL('../../bin/lexigraph.js', import.meta.url))

/** Options of benches over one database. */
export const databaseOptions = {
  database: '',
  engine: 'sqlite',
  corpus: benchCorpus,
  work: workFolder,
  postgres: '',
}

/** The database that is named; or else one is made of the corpus, and used again under the same name. */
export async function findDatabase(
  stack: AsyncDisposableStack,
  name: string,
  { database, engine, work, postgres }: typeof databaseOptions,
  corpusFolder: () => Promise<string>,
): Promise<string> {
  if (database !== '') return database
  const corpus = await countCorpus(await corpusFolder())
  const load = importInto(corpus.files)
  if (engine === 'sqlite') return (await loadSQLite(work, name, corpus, load)).database
  const server = stack.use(await openPostgres(postgres))
  return (await loadPostgres(server.url, name, corpus, load)).database
}

export async function countCorpus(folder: string): Promise<CountedCorpus> {
  const files = globSync(join(folder, '*.jsonl*')).toSorted()
  if (files.length === 0)
    throw new Error(`There is no *.jsonl.gz in ${folder}: name another with corpus=FOLDER.`)
  const hash = createHash('sha256')
  let [records, articles] = [0, 0]
  for (const file of files) {
    hash.update(`${basename(file)} ${statSync(file).size} `)
    const bytes = createReadStream(file)
    const lines = createInterface({ input: file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes })
    for await (const line of lines) {
      if (line === '') continue
      records += 1
      if (line.slice(0, 200).includes('/tech.service.news.article/')) articles += 1
    }
  }
  return { folder, files, records, articles, id: hash.digest('hex').slice(0, 8) }
}

/** Ours; the program is a file, by default the checkout's. */
export function importInto(files: readonly string[], program = checkout): Loader {
  return async (database) => {
    const printed = await run([program, 'import', '--json', '--database', database, ...files], {})
    return { seconds: (JSON.parse(printed) as { readonly seconds: number }).seconds }
  }
}

/** A peer's own program. */
export function loadWith(file: string, corpus: string): Loader {
  return async (database) => {
    await run([file], { DATABASE: database, CORPUS: corpus })
    return {}
  }
}

export async function loadSQLite(
  work: string,
  name: string,
  corpus: CountedCorpus,
  load: Loader,
): Promise<Loaded> {
  mkdirSync(work, { recursive: true })
  const database = join(work, `${name}-${corpus.id}.db`)
  const note = `${database}.json`
  if (existsSync(note)) return { database, load: JSON.parse(readFileSync(note, 'utf8')) }
  for (const suffix of ['', '-wal', '-shm']) rmSync(database + suffix, { force: true })
  const seconds = await timed(name, () => load(database))
  const bytes = ['', '-wal'].reduce(
    (sum, it) => sum + (statSync(database + it, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
  const figures = figuresOf(corpus, seconds, bytes)
  writeFileSync(note, JSON.stringify(figures))
  return { database, load: figures }
}

export async function loadPostgres(
  server: string,
  name: string,
  corpus: CountedCorpus,
  load: Loader,
): Promise<Loaded> {
  const called = `lexigraph_bench_${name}_${corpus.id}`.replaceAll(/\W/g, '_')
  const database = Object.assign(new URL(server), { pathname: called }).href
  return withClient(server, async (client) => {
    const noted = 'select shobj_description(oid, $1) as note from pg_database where datname = $2'
    const { rows } = await client.query(noted, ['pg_database', called])
    if (typeof rows[0]?.note === 'string') return { database, load: JSON.parse(rows[0].note) }
    await client.query(`drop database if exists "${called}"`)
    await client.query(`create database "${called}" encoding 'UTF8' template template0`)
    const seconds = await timed(name, () => load(database))
    await withClient(database, (inside) => inside.query('vacuum analyze'))
    const size = await client.query('select pg_database_size($1) as bytes', [called])
    const figures = figuresOf(corpus, seconds, Number(size.rows[0]?.bytes))
    // Kept with the database, so that it is gone when the database is.
    await client.query(`comment on database "${called}" is '${JSON.stringify(figures)}'`)
    return { database, load: figures }
  })
}

/** The server that is given, or one of its own, which ends with this process. */
export async function openPostgres(given: string): Promise<PostgresServer> {
  const cluster = given === '' ? await startCluster({ settings: sensible }) : null
  const url = cluster?.url ?? given
  const pid = await withClient(url, async (client) => {
    const { rows } = await client.query('select pg_backend_pid() as pid')
    return parentOf(Number(rows[0]?.pid))
  })
  return { url, pid, [Symbol.asyncDispose]: async () => cluster?.[Symbol.asyncDispose]() }
}

/** For a machine with a few gigabytes and a fast disk, where others use memory too. */
const sensible = {
  shared_buffers: '512MB',
  effective_cache_size: '2GB',
  work_mem: '32MB',
  maintenance_work_mem: '256MB',
  random_page_cost: '1.1',
  max_wal_size: '2GB',
}

async function timed(name: string, load: () => ReturnType<Loader>): Promise<number> {
  process.stderr.write(`Loading ${name}.\n`)
  const start = performance.now()
  const { seconds } = await load()
  return seconds ?? (performance.now() - start) / 1_000
}

function figuresOf({ records, articles }: Corpus, seconds: number, bytes: number): LoadFigures {
  return { seconds, recordsPerSecond: records / seconds, bytes, bytesPerArticle: bytes / articles }
}

async function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  const printed = await text(child.stdout)
  const status = await ended
  if (status !== 0) throw new Error(`${args.slice(0, 2).join(' ')} ended with ${status}.`)
  return printed
}
