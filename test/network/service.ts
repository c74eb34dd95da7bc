/** The real program as a process of its own: run to its end, or started and told to stop. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Json } from '../reference/shapes.ts'
import { generousTiers } from '../support/server/tiers.ts'
import { until } from '../support/until.ts'

export interface ProgramOptions {
  /** Settings too, such as LEXIGRAPH_DATABASE. */
  readonly env?: Readonly<Record<string, string>>
  /** The program's file, if another than `programFile`. */
  readonly program?: string
}

export interface Outcome {
  readonly stdout: string
  readonly stderr: string
  readonly status: number | null
}

/** Killed when it goes out of scope. */
export type Program = ReturnType<typeof startProgram>

export type Service = Awaited<ReturnType<typeof answering>>

/** The checkout's file, or that of the package, of which a run of all tests makes one: it starts with less computing. */
export const programFile =
  process.env['TEST_PROGRAM'] ?? fileURLToPath(new URL('../../bin/lexigraph.js', import.meta.url))

/** What a run of `status` comes to, of as many as it takes on a machine that stalls, on which it may count too slowly. */
export function countedInTime(run: () => Promise<Outcome>): Promise<Outcome> {
  return until(async () => {
    const outcome = await run()
    return !/^status failed: Counting what is stored took more than/m.test(outcome.stderr) && outcome
  })
}

/** Runs a command to its end, however it ends. */
export async function runProgram(args: readonly string[], options: ProgramOptions = {}): Promise<Outcome> {
  const child = start(args, options)
  const ended = once(child, 'exit')
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { stdout, stderr, status }
}

/** Starts a command that goes on until it is told to stop, such as `ingest`. */
export function startProgram(args: readonly string[], options: ProgramOptions = {}) {
  const child = start(args, options)
  const ended = once(child, 'close').then(([status]): number | null => status)
  let isOver = false
  ended.then(() => (isOver = true))
  child.stdout.resume()
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    stderr += piece
  })
  const kill = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    return ended
  }
  return {
    pid: child.pid ?? Number.NaN,
    /** All that it has said on standard error so far. */
    stderr: () => stderr,
    /** Resolves when that matches; fails when the program ends before. */
    said: (pattern: RegExp) =>
      until(() => {
        const found = pattern.exec(stderr)
        if (found === null && isOver) throw new Error(`The program has ended without ${pattern}: ${stderr}`)
        return found
      }),
    /** Its exit status, null when it was killed. */
    ended,
    /** Resolves, like `ended`, when the program is gone. */
    kill,
    /** Tells it to stop, and fails when it does not end well. */
    stop: async () => assert.equal(await kill('SIGTERM'), 0, stderr),
    /** What `status --json` says under the same environment, which has to name the database. */
    status: async () => {
      const { stdout, stderr, status } = await countedInTime(() => runProgram(['status', '--json'], options))
      assert.equal(status, 0, stderr)
      return JSON.parse(stdout) as Json
    },
    [Symbol.asyncDispose]: async () => void (await kill('SIGKILL')),
  }
}

/**
 * Starts a command that serves, such as `serve`, on a free port; resolves when it answers. Callers may ask as much as
 * they like, and for as long as a busy machine takes, unless a setting of the tiers is given.
 */
export async function startService(args: readonly string[], { env = {}, ...options }: ProgramOptions = {}) {
  const roomy = { LEXIGRAPH_TIERS: generousTiers, ...env }
  return answering(startProgram([...args, '--port', '0'], { ...options, env: roomy }))
}

/** A program that serves, when its port is open: it answers, or says that its index is not ready. */
export async function answering(program: Program) {
  const [, url = ''] = await program.said(/Lexigraph (?:answers|listens) at (http:\/\/[^/]+)/)
  /** The data of an operation; fails when there are errors. */
  const query = async (text: string, variables?: Json): Promise<Json> => {
    const response = await fetch(`${url}/api/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
      body: JSON.stringify({ query: text, variables }),
    })
    const answer: Json = await response.json()
    assert.ok(response.ok && answer.errors === undefined, JSON.stringify(answer))
    return answer.data
  }
  return { ...program, url, query }
}

function start(args: readonly string[], { env, program = programFile }: ProgramOptions) {
  const child = spawn(process.execPath, [program, ...args], {
    // Away from a database that may be in the present folder.
    cwd: tmpdir(),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

const running = new Set<ChildProcess>()
// Whatever becomes of a test, its programs do not outlive it.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
