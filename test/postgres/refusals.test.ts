/**
 * A database that the command line cannot use is refused with one sentence, and nothing is changed. What keeps a
 * connection from being made is in src/database/postgres/connection.test.ts; databases of another version or of
 * another program are in src/database/layout/migrate.test.ts.
 */
import assert from 'node:assert/strict'
import { cpSync, chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { commandsInTurn } from '../support/server/commands.ts'
import { onPostgres } from '../support/store/databases.ts'
import { databases } from '../support/store/postgres.ts'
import { connected } from '../support/store/postgres-layout.ts'
import { type Cluster, startCluster } from './cluster.ts'

const folder = mkdtempSync(join(tmpdir(), 'lexigraph-refusals-'))
const records = join(folder, 'records.jsonl')
writeFileSync(records, '')
const writing = [
  ['serve', '--port', '0'],
  ['import', records],
]
const commands = [...writing, ['status']]

const runCommand = commandsInTurn()

let cluster: Cluster
before(async () => {
  if (databases.includes('postgres')) cluster = await startCluster()
})
after(async () => {
  await cluster?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

onPostgres('a role without rights is told which one it lacks', async () => {
  const url = await database('locked')
  const role = (await cluster.addRole('stranger', 'right')).replace(/postgres$/, 'locked')
  const sentence =
    /^The user "stranger" lacks a right in the database "locked" \(permission denied for database locked\): connect as/
  await refused(role, sentence, writing)
  assert.equal((await lexigraph(['import', records], url)).status, 0)
  await refused(role, /\(permission denied for schema lexigraph\): connect as the role that owns it/)
})

onPostgres('a server without pg_trgm is told how to come by it', async () => {
  const extensions = join(folder, 'none')
  mkdirSync(extensions)
  for (const path of [folder, extensions]) chmodSync(path, 0o755)
  await using without = await startCluster({ settings: { extension_control_path: extensions } })
  await refused(
    without.url,
    /^The server lacks the extension pg_trgm, which belongs to PostgreSQL: install the package of its additional/,
    writing,
    without,
  )
})

onPostgres('a role that may not create pg_trgm is told what an administrator has to run', async () => {
  // As where it is not trusted, which is up to those who set the server up.
  const [row] = await cluster.query(`select setting from pg_config where name = 'SHAREDIR'`)
  const [from, to] = [join(String(row?.setting), 'extension'), join(folder, 'untrusted', 'extension')]
  cpSync(from, to, { recursive: true, filter: (path) => path === from || path.includes('pg_trgm') })
  const control = join(to, 'pg_trgm.control')
  writeFileSync(control, readFileSync(control, 'utf8').replace('trusted = true', 'trusted = false'))
  for (const path of [folder, join(folder, 'untrusted'), to]) chmodSync(path, 0o755)
  await using strict = await startCluster({ settings: { extension_control_path: join(folder, 'untrusted') } })
  const role = await strict.addRole('modest', 'right')
  await strict.query('grant create on database postgres to modest')
  const sentence =
    /^The user "modest" may not create the extension pg_trgm: have an administrator run `create extension pg_trgm` in the database "postgres"\.$/
  await refused(role, sentence, writing, strict)
  await strict.query('create extension pg_trgm')
  const imported = await lexigraph(['import', records], role)
  assert.equal(imported.status, 0, imported.stderr)
})

onPostgres('commands that only read lay nothing out', async () => {
  const url = await database('untouched')
  await refused(url, /^it is empty\. `lexigraph import FILE…` fills it\.$/, [
    ['status'],
    ['export'],
    ['rejections'],
  ])
})

/** Each of the commands fails with that sentence, behind the database's name, and leaves everything as it was. */
async function refused(url: string, why: RegExp, which = commands, server = cluster): Promise<void> {
  const before = await content(url, server)
  const outcomes = await Promise.all(which.map((command) => lexigraph(command, url)))
  for (const { stdout, stderr, status } of outcomes) {
    assert.deepEqual([stdout, status], ['', 1], stderr)
    const [, shown = '', sentence = ''] = /^The database (\S+) cannot be opened: (.+)\n$/.exec(stderr) ?? []
    assert.match(sentence, why, stderr)
    assert.doesNotMatch(shown, /secret|wrong|right/)
    assert.doesNotMatch(sentence, /secret/)
  }
  assert.deepEqual(await content(url, server), before)
}

/** What was made in the database, if it is there, and by which transaction. */
async function content(url: string, { url: own, port }: Cluster): Promise<unknown> {
  const name = /\/([a-z]+)$/.exec(url)?.[1] ?? ''
  const there = await cluster.query('select from pg_database where datname = $1', [name])
  if (!url.includes(`:${port}/`) || there.length === 0) return null
  await using client = await connected(own.replace(/postgres$/, name))
  const { rows } = await client.query(
    `select nspname as name, xmin::text from pg_namespace union all select relname, xmin::text from pg_class
     union all select proname, xmin::text from pg_proc union all select extname, xmin::text from pg_extension
     order by 1, 2`,
  )
  return rows
}

function lexigraph(args: readonly string[], url: string) {
  return runCommand(args, { env: { LEXIGRAPH_DATABASE: url } })
}

async function database(name: string): Promise<string> {
  await cluster.query(`create database ${name}`)
  return cluster.url.replace(/postgres$/, name)
}
