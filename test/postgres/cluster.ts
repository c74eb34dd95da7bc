/**
 * A PostgreSQL server for tests, on a free port of this machine, that can be stopped, killed, followed and
 * promoted. It ends with this process, however that ends.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../support/free-port.ts'
import { childrenOf, isStopped } from '../support/processes.ts'
import { connected } from '../support/store/postgres-layout.ts'
import { until } from '../support/until.ts'
import { binariesOf, dataFolder, isRunning, owner, type Version, versions } from './binaries.ts'

export interface Cluster extends AsyncDisposable {
  /** As superuser, of the database `postgres`; it stays the same over restarts. */
  readonly url: string
  readonly port: number
  /** Runs statements on a connection of their own. */
  query(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>
  /** A role that must say its password; the URL with both. */
  addRole(name: string, password: string): Promise<string>
  /** `smart` waits for connections to end, `fast` ends them, `immediate` leaves the rest to recovery. */
  stop(mode: keyof typeof signals): Promise<void>
  /** All its processes at once, as a loss of power does; what it has not written down is gone. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Stops it too when it runs. */
  restart(): Promise<void>
  /** A copy that follows it and answers what only reads. */
  standby(): Promise<Cluster>
  /** From a standby to a server of its own, which takes writes. */
  promote(): Promise<void>
}

export interface ClusterGiven {
  readonly version?: Version
  /** As in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string | number>>
}

export async function startCluster({
  version = versions[0],
  settings = {},
}: ClusterGiven = {}): Promise<Cluster> {
  const folder = dataFolder()
  const data = join(folder, 'data')
  await copy(binariesOf(version).emptyCluster, data)
  const port = await freePort()
  const configuration = Object.entries({ ...common, ...settings, port })
  appendFileSync(
    join(data, 'postgresql.conf'),
    configuration.map(([name, value]) => `${name} = '${value}'\n`).join(''),
  )
  await writeFile(join(data, 'pg_hba.conf'), access)
  return running({ version, folder, port })
}

/** What a kill of processes cannot tell from a safe way of writing is switched off. */
const common = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // In its own folder, so that nothing of a killed server is left.
  dynamic_shared_memory_type: 'mmap',
  fsync: 'off',
  full_page_writes: 'off',
  wal_keep_size: '512MB',
  max_connections: 200,
}

/** Everybody is trusted but those who are given a password. */
const access = `
host all +with_password 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
host replication all 127.0.0.1/32 trust
`

const signals = { smart: 'SIGTERM', fast: 'SIGINT', immediate: 'SIGQUIT' } as const

/** The server stops when its standard input ends, and that ends with this process. */
const watched = `
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ cat; kill -QUIT $server; } <&3 >/dev/null 2>&1 &
watcher=$!
wait $server
kill $watcher
`

interface Place {
  readonly version: Version
  readonly folder: string
  readonly port: number
}

async function running(place: Place): Promise<Cluster> {
  const { version, folder, port } = place
  const data = join(folder, 'data')
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let shell: ChildProcess | null = null
  let ended: Promise<unknown> = Promise.resolve()

  const query: Cluster['query'] = async (text, values = []) => {
    await using connection = await connected(url)
    return (await connection.query(text, [...values])).rows
  }
  const start = async () => {
    const log = openSync(join(folder, 'log'), 'a')
    shell = spawn('sh', ['-c', watched, 'sh', binariesOf(version).postgres, '-D', data], {
      ...owner,
      cwd: folder,
      detached: true,
      stdio: ['pipe', log, log],
    })
    closeSync(log)
    ended = once(shell, 'exit')
    shell.unref()
    ;(shell.stdin as unknown as { unref(): void }).unref()
    await until(() => {
      if (shell?.exitCode !== null)
        throw new Error(
          `PostgreSQL did not start:\n${readFileSync(join(folder, 'log'), 'utf8').slice(-2000)}`,
        )
      // Of a server that was killed the file is still there.
      return statusOf(data) === 'ready' && isRunning(mainProcess(data))
    })
  }
  const gone = async () => {
    shell?.ref()
    await ended
    shell?.stdin?.destroy()
    shell = null
  }
  const stop: Cluster['stop'] = async (mode) => {
    if (shell === null) return
    process.kill(mainProcess(data), signals[mode])
    await gone()
  }
  const kill = async () => {
    if (shell === null) return
    const main = mainProcess(data)
    // Held still, so that it makes no further processes.
    process.kill(main, 'SIGSTOP')
    await until(() => isStopped(main))
    const all = [...childrenOf(main), main]
    for (const one of all) if (isRunning(one)) process.kill(one, 'SIGKILL')
    await gone()
    await until(() => all.every(hasEnded))
  }
  await start()
  return {
    url,
    port,
    query,
    async addRole(name, password) {
      const client = new pg.Client(url)
      const [known] = await query(`select 1 from pg_roles where rolname = 'with_password'`)
      if (known === undefined) await query('create role with_password')
      const role = client.escapeIdentifier(name)
      await query(
        `create role ${role} login password ${client.escapeLiteral(password)} in role with_password`,
      )
      const user = `${encodeURIComponent(name)}:${encodeURIComponent(password)}`
      return `postgres://${user}@127.0.0.1:${port}/postgres`
    },
    stop,
    kill,
    start,
    async restart() {
      await stop('fast')
      await start()
    },
    async standby() {
      const copied = { version, folder: dataFolder(), port: await freePort() }
      await backUp(url, data, copied)
      return running(copied)
    },
    async promote() {
      await query('select pg_promote(true)')
    },
    async [Symbol.asyncDispose]() {
      await stop('immediate')
      freeMemory(data)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The packages lack pg_basebackup; this is what it does, on one machine. */
async function backUp(url: string, from: string, { folder, port }: Place): Promise<void> {
  const data = join(folder, 'data')
  await using connection = await connected(url)
  await connection.query(`select pg_backup_start('standby', true)`)
  await copy(from, data)
  const { rows } = await connection.query('select labelfile from pg_backup_stop(false)')
  // Of the running server, not of the copy; what was logged since the backup began comes by streaming.
  for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(data, name), { force: true })
  for (const name of readdirSync(join(data, 'pg_wal')))
    if (/^[0-9A-F]{24}$/.test(name)) rmSync(join(data, 'pg_wal', name))
  for (const [name, text] of [
    ['backup_label', rows[0].labelfile],
    ['standby.signal', ''],
  ]) {
    await writeFile(join(data, name), text)
    await chown(join(data, name), owner.uid ?? -1, owner.gid ?? -1)
  }
  const primary = new URL(url)
  appendFileSync(
    join(data, 'postgresql.conf'),
    `port = ${port}\nprimary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres'\n`,
  )
}

/** With owners and modes. Files that go meanwhile are missed without harm, so its status says nothing. */
async function copy(from: string, to: string): Promise<void> {
  const copying = execFile('cp', ['-pR', from, to])
  await once(copying, 'exit')
  if (!existsSync(join(to, 'PG_VERSION'))) throw new Error(`${from} was not copied to ${to}.`)
}

function mainProcess(data: string): number {
  return Number(linesOfPidFile(data)[0])
}

function statusOf(data: string): string | undefined {
  return linesOfPidFile(data)[7]?.trim()
}

function linesOfPidFile(data: string): readonly string[] {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
  } catch (error) {
    // A server that ends, or starts after it was killed, removes it at any moment.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** What marks a killed server's memory as its own; the next start would free it, and there is none. */
function freeMemory(data: string): void {
  const segment = linesOfPidFile(data)[6]?.trim().split(/\s+/)[1]
  if (segment !== undefined) spawnSync('ipcrm', ['-m', segment])
}

/** Its new parent may take a while to notice, or never do. */
function hasEnded(process: number): boolean {
  try {
    return readFileSync(`/proc/${process}/stat`, 'utf8').includes(') Z ')
  } catch {
    return !isRunning(process)
  }
}
