/**
 * Answers what bench/cost-search.ts asks, in a process that can be killed: what it costs in points and in milliseconds
 * of CPU. A question that takes long runs here too, and not in a process of its own.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { parseConfig } from '../src/cli/settings/config.ts'
import { loadProject, openExistingStore } from '../src/cli/store/project.ts'
import type { ReadDatabase, Statement } from '../src/database/database.ts'
import { createEngine } from '../src/query/execute/engine.ts'
import { unlimited } from '../src/query/execute/execute.ts'
import { buildGraphQLSchema } from '../src/schema/graphql/graphql.ts'

/** Shape of a question. */
export interface Asked {
  readonly text: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** `points` is sent as soon as it is known; `cpu` in milliseconds, of the database server too. */
export type Reported =
  | { readonly kind: 'ready' }
  | { readonly kind: 'points'; readonly points: number }
  | { readonly kind: 'answered'; readonly points: number; readonly cpu: number; readonly outcome: string }

/** What anonymous callers may ask. */
const anonymous = { ...unlimited, pageSize: 100, points: 250 }

const [url = ''] = process.argv.slice(2)
const { config } = parseConfig('query', ['--database', url, '{ __typename }'], {})
const project = await loadProject(new URL('../lexicons', import.meta.url).pathname)
const database = await openExistingStore(config, project)
const here = new Proxy<ReadDatabase>(database, {
  get(_, name: keyof ReadDatabase) {
    if (name === 'readAnswer')
      return (statement: Statement) => database.readAnswer(statement, { kind: 'short' })
    const value: unknown = database[name]
    return typeof value === 'function' ? value.bind(database) : value
  },
})
const schema = buildGraphQLSchema(project.model)
const engine = createEngine({ ...project, schema, database: here, version: '0.0.0' })
const server = database.isRemote ? await serverOf(database) : null

process.on('message', async ({ text, variables }: Asked) => {
  const size = Buffer.byteLength(JSON.stringify({ query: text, variables }))
  // As src/server/graphql/graphql-routes.ts charges for bodies.
  let points = 1 + Math.max(0, Math.ceil((size - 4_000) / 1_000))
  const before = process.cpuUsage()
  const serverBefore = server === null ? 0 : cpuOfServer(server)
  const charge = (asked: number): void => {
    points = Math.max(points, asked)
    report({ kind: 'points', points })
  }
  const answer = await engine.execute({ query: text, variables }, { ...anonymous, charge })
  const { user, system } = process.cpuUsage(before)
  const cpu = (user + system) / 1000 + (server === null ? 0 : cpuOfServer(server) - serverBefore)
  const outcome =
    answer.kind === 'data'
      ? `${answer.body.length} bytes`
      : `${answer.code}: ${answer.errors[0]?.message.slice(0, 80)}`
  report({ kind: 'answered', points, cpu, outcome })
})
// Its parent ends it, after what it was asked last.
process.on('SIGTERM', () => {})
report({ kind: 'ready' })

function report(message: Reported): void {
  process.send?.(message)
}

/** The process that all of a PostgreSQL server's are children of; it has to run on this machine. */
async function serverOf(read: ReadDatabase): Promise<number> {
  for await (const { pid } of read.readRows({ text: 'select pg_backend_pid() as pid', values: [] }))
    return Number(statOf(Number(pid))[1])
  throw new Error('The server does not tell its process.')
}

/** Milliseconds of all processes of a server, those that have ended included. */
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
