/** Milliseconds of CPU, which other work on the machine changes less than times. Reads /proc for a PostgreSQL server. */
import { readdirSync, readFileSync } from 'node:fs'
import type { ReadDatabase, Statement } from '../../src/database/database.ts'
import { parentOf, statOf, sumOfFamily } from '../../test/support/processes.ts'

/** Runs long statements in this process too, so that their CPU is counted. */
export function runningHere(database: ReadDatabase): ReadDatabase {
  return new Proxy<ReadDatabase>(database, {
    get(_, name: keyof ReadDatabase) {
      if (name === 'readAnswer')
        return (statement: Statement) => database.readAnswer(statement, { kind: 'short' })
      const value: unknown = database[name]
      return typeof value === 'function' ? value.bind(database) : value
    },
  })
}

/** Of this process and of the database's server, which has to run on this machine. */
export async function cpuMeter(database: ReadDatabase): Promise<(work: () => unknown) => Promise<number>> {
  const server = database.isRemote ? await serverOf(database) : null
  const ofServer = (): number => (server === null ? 0 : cpuOfServer(server))
  return async (work) => {
    const serverBefore = ofServer()
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000 + ofServer() - serverBefore
  }
}

/** The process that all of a PostgreSQL server's are children of. */
async function serverOf(read: ReadDatabase): Promise<number> {
  for await (const { pid } of read.readRows({ text: 'select pg_backend_pid() as pid', values: [] }))
    return parentOf(Number(pid))
  throw new Error('The server does not tell its process.')
}

/** All processes of a server, those that have ended included. */
function cpuOfServer(postmaster: number): number {
  const [ended, endedInSystem] = statOf(postmaster).slice(13, 15).map(Number)
  const ownChildren = sumOfFamily(postmaster, (pid) => (pid === postmaster ? 0 : mainThreadCpuOf(pid)))
  return ownChildren + ((ended ?? 0) + (endedInSystem ?? 0)) * 10
}

/**
 * Milliseconds that a process and all below it have computed, in threads that are there: to the nanosecond, where
 * /proc/PID/stat has hundredths of a second.
 */
export function cpuOf(root: number): number {
  return sumOfFamily(root, (pid) =>
    readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + scheduled(`${pid}/task/${thread}`), 0),
  )
}

/** Milliseconds that the main thread of a process has computed, without those that compile and collect garbage. */
export function mainThreadCpuOf(pid: number): number {
  return scheduled(String(pid))
}

/** Nothing of a thread that has ended. */
function scheduled(path: string): number {
  try {
    return Number(readFileSync(`/proc/${path}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}
