/** The program as a process, with everything it says judged at once and none of it kept. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import { type Exposition, parseExposition } from '../support/server/exposition.ts'
import { until } from '../support/until.ts'
import type { Tally } from './tally.ts'
import { programFile } from '../network/service.ts'

export interface Server extends AsyncDisposable {
  readonly pid: number
  readonly port: number
  readonly metrics: () => Promise<Exposition>
  /** Lines about requests so far, by tier and outcome. */
  readonly logged: ReadonlyMap<string, number>
  /** Fails when it does not end well. */
  readonly stop: () => Promise<void>
}

/** What it may say in sentences while it is served by a source that breaks and asked for repositories that nobody has. */
const expectedWords = [
  /answers at http/,
  /^Metrics are at /,
  // What it serves.
  /^(Database|Lexicons|Collections and their records|Workers): /,
  /is live\.$/,
  /^Stopping/,
  /jetstream/i,
  /handle|directory|repositor|identity/i,
]

export async function startServer(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  tally: Tally,
): Promise<Server> {
  const child = spawn(process.execPath, [programFile, 'serve', ...args], {
    cwd: tmpdir(),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const kill = (): unknown => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const said = listen(child, tally)
  const ended = once(child, 'close').then(([status]): number | null => status)
  let isOver = false
  void ended.then(() => (isOver = true))
  const find = (name: 'answers' | 'metrics' | 'live'): Promise<string> =>
    until(() => {
      if (isOver) throw new Error(`The server has ended: ${tally.problems.join('\n')}`)
      return said[name]
    })
  const port = Number(new URL(await find('answers')).port)
  const metricsUrl = await find('metrics')
  // What was published before is not sent.
  await find('live')
  return {
    pid: child.pid ?? Number.NaN,
    port,
    logged: said.requests,
    metrics: async () => parseExposition(await (await fetch(metricsUrl)).text()),
    async stop() {
      child.kill('SIGTERM')
      const status = await ended
      if (status !== 0) tally.problem(`The server ended with ${status}.`)
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

interface Said {
  answers: string | null
  metrics: string | null
  live: string | null
  readonly requests: Map<string, number>
}

function listen({ stderr }: ChildProcess, tally: Tally): Said {
  const said: Said = { answers: null, metrics: null, live: null, requests: new Map() }
  if (stderr === null) throw new Error('Nothing of it can be heard.')
  createInterface({ input: stderr }).on('line', (line) => {
    if (line.startsWith('{')) return judgeLine(line, said, tally)
    said.answers ??= /answers at (http:\/\/[^/]+)/.exec(line)?.[1] ?? null
    said.metrics ??= /^Metrics are at (\S+)\.$/.exec(line)?.[1] ?? null
    if (line.endsWith(' is live.')) said.live = line
    if (!expectedWords.some((words) => words.test(line))) tally.problem(`The server said: ${line}`)
  })
  return said
}

/** Nothing is an error, and nothing that is not about a request is a warning. */
function judgeLine(line: string, said: Said, tally: Tally): void {
  const { level, msg, tier, outcome } = JSON.parse(line) as Record<string, unknown>
  if (msg === 'request') {
    const key = `${tier === null ? 'none' : String(tier)} ${String(outcome)}`
    said.requests.set(key, (said.requests.get(key) ?? 0) + 1)
    if (outcome === 'INTERNAL') tally.problem(`The server logged: ${line}`)
    return
  }
  if (level === 'error' || level === 'fatal') tally.problem(`The server logged: ${line}`)
}
