/**
 * What a growing corpus costs: a news corpus of several sizes is imported into SQLite and PostgreSQL, served, and asked.
 * Prints a table for each database. Files are made in a folder that is gone afterwards; on the PostgreSQL server a
 * database is made for each size, and left there for bench/growth/index-costs.ts. Reads /proc, so it runs on Linux.
 * Usage: node bench/growth/growth.ts FOLDER [postgres=URL] [sqlite=no] [sizes=100000,350000,1000000] [seconds=1].
 * FOLDER has an imported news corpus as *.jsonl.gz; the URL is one of a user who may create databases.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import type pg from 'pg'
import { privateMemoryOf } from '../../test/support/processes.ts'
import { textOf } from '../compare/ask.ts'
import { names, questions, titles } from '../compare/questions.ts'
import { writeCorpora } from '../support/growing-corpus.ts'
import { readOptions } from '../support/options.ts'
import { withClient } from '../support/postgres-client.ts'
import { medianAlone, post, startServer } from '../support/server.ts'

const [folder = '', ...options] = process.argv.slice(2)
if (folder === '' || folder.includes('=')) throw new Error('Name the folder of the corpus first.')
const given = readOptions(options, {
  postgres: '',
  sqlite: 'yes',
  sizes: '100000,350000,1000000',
  seconds: 1,
})
const { postgres: server, seconds } = given
const sizes = given.sizes.split(',').map(Number)
/** Records that are added to what is there. */
const added = 10_000

/** By what was measured, in the order of the table. */
type Figures = Map<string, string>
/** Bytes by kind. */
type Sizes = Readonly<Record<string, number>>

const program = new URL('../../bin/lexigraph.js', import.meta.url).pathname
const work = mkdtempSync(join(tmpdir(), 'lexigraph-growth-'))
try {
  const columns: { sqlite: Figures | null; postgres: Figures | null }[] = []
  for (const size of sizes) {
    const [corpus, more] = [join(work, 'corpus.jsonl'), join(work, 'more.jsonl')]
    await writeCorpora(folder, [
      { path: corpus, records: size },
      { path: more, records: added },
    ])
    const file = join(work, 'growth.db')
    const sqlite =
      given.sqlite === 'no'
        ? null
        : await measure(`sqlite:${file}`, size, corpus, more, () => sqliteSizes(file))
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
    const postgres = server === '' ? null : await measurePostgres(size, corpus, more)
    columns.push({ sqlite, postgres })
  }
  print(
    'SQLite',
    columns.flatMap(({ sqlite }) => sqlite ?? []),
  )
  print(
    'PostgreSQL',
    columns.flatMap(({ postgres }) => postgres ?? []),
  )
} finally {
  rmSync(work, { recursive: true })
}

async function measurePostgres(size: number, corpus: string, more: string): Promise<Figures> {
  const name = `lexigraph_growth_${size}`
  await withClient(server, async (client) => {
    await client.query(`drop database if exists ${name}`)
    await client.query(`create database ${name} encoding 'UTF8' template template0`)
  })
  const url = Object.assign(new URL(server), { pathname: name }).href
  return measure(url, size, corpus, more, () => withClient(url, postgresSizes))
}

async function measure(
  database: string,
  size: number,
  corpus: string,
  more: string,
  sizesOf: () => Promise<Sizes> | Sizes,
): Promise<Figures> {
  const figures: Figures = new Map()
  const note = (name: string, value: number, digits = 0): void => {
    figures.set(
      name,
      value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits }),
    )
    process.stderr.write(`${database.split(':')[0]} ${size}: ${name} ${figures.get(name)}\n`)
  }
  note('bytes of JSON per record', statSync(corpus).size / size)
  const whole = await importFile(database, corpus)
  note('import, records/s', whole.recordsPerSecond)
  note('import, seconds', whole.seconds)
  note('import, peak memory, MB', whole.peak)
  for (const [kind, bytes] of Object.entries(await sizesOf()))
    note(`bytes per record: ${kind}`, bytes / whole.stored)
  note('added to what is there, records/s', (await importFile(database, more)).recordsPerSecond)

  await using service = await startServer(database)
  note('start-up, ms', service.startTook)
  const { url } = service
  // Until its code is compiled, a server is several times as slow.
  await medianAlone(url, await textOf(url, questions.Q1), seconds * 1000)
  for (const name of names) {
    const query = await textOf(url, questions[name])
    const answer = await (await post(url, query)).text()
    if (answer.includes('"errors"')) throw new Error(`${name}: ${answer.slice(0, 500)}`)
    // Plans are made with guesses until figures are there.
    await post(url, query).then((response) => response.arrayBuffer())
    note(`${titles[name]}, ms`, await medianAlone(url, query, seconds * 1000), 2)
  }
  const ready = performance.now()
  await (await fetch(new URL('/readyz', url))).arrayBuffer()
  note('/readyz, ms', performance.now() - ready)
  note('memory of the server, MB', privateMemoryOf(service.pid))
  return figures
}

interface Imported {
  readonly stored: number
  readonly seconds: number
  readonly recordsPerSecond: number
  /** Megabytes. */
  readonly peak: number
}

async function importFile(database: string, file: string): Promise<Imported> {
  const child = spawn(process.execPath, [program, 'import', '--json', '--database', database, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let peak = 0
  const watching = setInterval(() => {
    peak = Math.max(peak, residentOf(child.pid ?? 0))
  }, 200)
  const printed = await text(child.stdout)
  clearInterval(watching)
  return { ...JSON.parse(printed), peak }
}

/** 0 when the process has just ended; then the file is gone, or says nothing of memory. */
function residentOf(pid: number): number {
  try {
    return privateMemoryOf(pid)
  } catch {
    return 0
  }
}

function sqliteSizes(file: string): Sizes {
  using database = new DatabaseSync(file, { readOnly: true })
  const rows = database
    .prepare(
      `select s.name, s.pgsize as bytes, m.type from dbstat s left join sqlite_master m on m.name = s.name
       where s.aggregate = true`,
    )
    .all()
  const kindOf = (name: string, type: unknown): string =>
    /\/trigram(_|\/)/.test(name) ? 'trigrams' : type === 'index' ? 'indexes' : 'tables'
  return sumByKind(
    rows.map(({ name, bytes, type }) => ({ kind: kindOf(String(name), type), bytes: Number(bytes) })),
  )
}

async function postgresSizes(client: pg.Client): Promise<Sizes> {
  const { rows } = await client.query(
    `select relname as name, relkind as type, pg_table_size(pg_class.oid) as bytes from pg_class
     join pg_namespace on pg_namespace.oid = relnamespace
     where nspname in ('lexigraph', 'lexigraph_records') and relkind in ('r', 'i')`,
  )
  const kindOf = (name: string, type: string): string => {
    if (name.endsWith('/trigram')) return 'trigrams'
    if (name.endsWith('/trigram/short')) return 'short sequences'
    return type === 'i' ? 'indexes' : 'tables'
  }
  return sumByKind(rows.map(({ name, bytes, type }) => ({ kind: kindOf(name, type), bytes: Number(bytes) })))
}

function sumByKind(parts: readonly { readonly kind: string; readonly bytes: number }[]): Sizes {
  const sums: Record<string, number> = { all: 0, tables: 0, indexes: 0, trigrams: 0 }
  for (const { kind, bytes } of parts) {
    sums[kind] = (sums[kind] ?? 0) + bytes
    sums.all = (sums.all ?? 0) + bytes
  }
  return sums
}

function print(title: string, columns: readonly Figures[]): void {
  if (columns.length === 0) return
  const names = [...(columns[0]?.keys() ?? [])]
  const head = sizes.map((size) => size.toLocaleString('en')).join(' | ')
  const rows = names.map((name) => `| ${name} | ${columns.map((column) => column.get(name)).join(' | ')} |`)
  console.log([`| ${title} | ${head} |`, `|---|${'---|'.repeat(sizes.length)}`, ...rows, ''].join('\n'))
}
