/** The program, as a process where that matters, and databases with a part of the demo corpus in a folder of their own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import { buildDemoCorpus } from '../../../demo/corpus.ts'
import { type Outcome, programFile } from '../../network/service.ts'
import { commandsInTurn, printed } from './commands.ts'

interface RunOptions {
  readonly input?: string
  readonly env?: Record<string, string>
}

export const folder = mkdtempSync(join(tmpdir(), 'lexigraph-cli-'))
after(() => rmSync(folder, { recursive: true }))

export const corpus = [...buildDemoCorpus()].slice(0, 120).map((record) => JSON.stringify(record))
/** A file of the corpus. */
export const records = file('records.jsonl', `${corpus.join('\n')}\n`)
/** An operation on it. */
export const newest = '{ techServiceNewsSource(first: 1) { totalCount nodes { uri } } }'

/** Runs a command to its end, however it ends, in a process of all such commands. */
export const run = commandsInTurn()

/** The same in a process of its own. */
export async function runApart(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const child = start(args, options)
  // A command that needs no input may have ended before it could take any.
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)])
  return { stdout, stderr, status }
}

export function start(args: readonly string[], { env }: RunOptions = {}) {
  return spawn(process.execPath, [programFile, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
  })
}

export async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

let imported: Promise<string> | undefined
/** One database for all tests that only read. */
export function shared(): Promise<string> {
  imported ??= importCorpus('shared.db')
  return imported
}

export async function importCorpus(name: string): Promise<string> {
  const database = join(folder, name)
  await printed(run(['import', records, '--database', database]))
  return database
}

export function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
