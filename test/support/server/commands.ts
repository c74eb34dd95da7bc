/**
 * Commands of the program one after another in one process, for tests of what many of them do and say. Starting a
 * process costs ten times what most commands do; how one starts and ends is for tests that run it as `runProgram` does.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Outcome, ProgramOptions } from '../../network/service.ts'

export interface CommandGiven {
  readonly args: readonly string[]
  /** Settings, such as LEXIGRAPH_DATABASE. */
  readonly env: Readonly<Record<string, string>>
}

const file = fileURLToPath(new URL('commands-child.ts', import.meta.url))
const program = fileURLToPath(new URL('../../../bin/lexigraph.js', import.meta.url))

export interface Commands extends Disposable {
  /** Takes what `runProgram` takes, and tells what that tells. */
  readonly run: (args: readonly string[], options?: Pick<ProgramOptions, 'env'>) => Promise<Outcome>
}

/** Runs commands until the tests of the file are over. */
export function commandsInTurn(): Commands['run'] {
  const commands = openCommands()
  after(() => commands[Symbol.dispose]())
  return commands.run
}

/** What a command prints; fails when it does not end well. */
export async function printed(command: Promise<Outcome>): Promise<string> {
  const { stdout, stderr, status } = await command
  assert.equal(status, 0, stdout + stderr)
  return stdout
}

/** Starts a command in a process of its own, with its pipes in the test's hands. */
export function spawnProgram(args: readonly string[], env: Readonly<Record<string, string>>) {
  return spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** The process starts with the first command. */
export function openCommands(): Commands {
  let started: Promise<ChildProcess> | undefined
  let last: Promise<unknown> = Promise.resolve()
  const run = async (given: CommandGiven): Promise<Outcome> => {
    started ??= start()
    const child = await started
    const over = new AbortController()
    const heard = ['message', 'exit'].map((event) => once(child, event, { signal: over.signal }))
    child.send(given)
    const [outcome] = await Promise.race(heard)
    over.abort()
    await Promise.allSettled(heard)
    if (typeof outcome === 'object' && outcome !== null) return outcome as Outcome
    throw new Error(`The process of the commands ended in ${given.args.join(' ')}.`)
  }
  return {
    run: (args, { env = {} } = {}) => {
      const turn = last.then(() => run({ args, env }))
      last = turn.catch(() => undefined)
      return turn
    },
    [Symbol.dispose]: () => void started?.then((child) => child.kill('SIGKILL')),
  }
}

async function start(): Promise<ChildProcess> {
  // Away from a database that may be in the present folder.
  const child = fork(file, { cwd: tmpdir(), execArgv: [] })
  const kill = (): unknown => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  await once(child, 'message')
  return child
}
