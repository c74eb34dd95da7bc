/** Milliseconds of CPU, which other work on the machine changes less than times. Reads /proc for a PostgreSQL server. */
import { readdirSync, readFileSync } from 'node:fs'
import type { ReadDatabase, Statement } from '../../src/database/database.ts'

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
    return Number(statOf(Number(pid))[1])
  throw new Error('The server does not tell its process.')
}

/** All processes of a server, those that have ended included. */
function cpuOfServer(postmaster: number): number {
  const ticks = statOf(postmaster).slice(13, 15).map(Number)
  const ended = ticks.reduce((sum, each) => sum + each, 0) * 10
  return readdirSync('/proc').reduce((sum, name) => {
    if (!/^\d+$/.test(name)) return sum
    try {
      if (Number(statOf(Number(name))[1]) !== postmaster) return sum
      return sum + Number(readFileSync(`/proc/${name}/schedstat`, 'utf8').split(' ')[0]) / 1e6
    } catch {
      // It has ended meanwhile.
      return sum
    }
  }, ended)
}

/** What `/proc/PID/stat` has behind the name, from the state on. */
function statOf(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
}
