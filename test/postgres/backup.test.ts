/**
 * What docs/backups.md says of PostgreSQL: a dump and a copied cluster, both taken while records are written, answer as
 * one moment of the index. The tools are PostgreSQL's own; where they are not found, these tests are left out.
 */
import { execFile, spawnSync } from 'node:child_process'
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { longTest } from '../support/rounds.ts'
import { type Cluster, databases, startCluster } from '../support/store/postgres.ts'
import { roundOf, whileWriting } from '../support/records/rounds.ts'
import { owner } from './binaries.ts'

const isLeftOut = !databases.includes('postgres') && 'PostgreSQL is left out'
/** The oldest version that is supported: tools of any that may be there can dump it. */
const version = 15
const tools = ['', ...globSync(`/usr/lib/postgresql/*/bin/`)].find(
  (folder) => spawnSync(`${folder}pg_dump`, ['--version']).status === 0,
)
const toolVersion =
  tools === undefined
    ? 0
    : Number(/(\d+)/.exec(spawnSync(`${tools}pg_dump`, ['--version'], { encoding: 'utf8' }).stdout)?.[1])
const skip = isLeftOut || (toolVersion < version && 'pg_dump is not installed')
const skipCopy = skip || (toolVersion !== version && `pg_ctl of version ${version} is not installed`)

const folder = mkdtempSync(join(tmpdir(), 'lexigraph-backup-'))
let cluster: Cluster
before(async () => {
  if (isLeftOut) return
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid)
  cluster = await startCluster({ version })
})
after(async () => {
  await cluster?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

test('a dump is one moment of an index that is written to, and serves when restored', { skip }, async () => {
  const url = await emptyDatabase('dumped')
  const dump = join(folder, 'lexigraph.dump')
  await whileWriting(url, () => tool('pg_dump', '--format=custom', `--file=${dump}`, url))
  const restored = await emptyDatabase('restored')
  await tool('pg_restore', '--no-owner', '--exit-on-error', `--dbname=${restored}`, dump)
  await roundOf(restored)
})

longTest('a copied cluster is one moment of an index that is written to', { skip: skipCopy }, async () => {
  const url = await emptyDatabase('copied')
  const data = join(folder, 'copy')
  const from = new URL(url)
  const source = `--host=${from.hostname}`
  await whileWriting(url, () =>
    tool(
      'pg_basebackup',
      source,
      `--port=${from.port}`,
      '--username=postgres',
      '--checkpoint=fast',
      `--pgdata=${data}`,
    ),
  )
  // The copy has the source's configuration, its port included.
  await cluster.stop('fast')
  await tool('pg_ctl', 'start', '--wait', '--silent', `--pgdata=${data}`, `--log=${join(folder, 'log')}`)
  try {
    await roundOf(url)
  } finally {
    await tool('pg_ctl', 'stop', '--mode=immediate', `--pgdata=${data}`)
    await cluster.start()
  }
})

async function emptyDatabase(name: string): Promise<string> {
  await cluster.query(`create database ${name} encoding 'UTF8' template template0`)
  return Object.assign(new URL(cluster.url), { pathname: name }).href
}

/** As the user that servers of tests run as, because a cluster belongs to who runs it. */
async function tool(name: string, ...args: readonly string[]): Promise<void> {
  await promisify(execFile)(`${tools}${name}`, [...args], { ...owner, cwd: folder })
}
