/** Writes a file in a process of its own, which runs `file-child.ts`, so that it delays nobody and can be killed. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { FileSpec } from '../../files/file-spec.ts'
import { siblingModule } from '../../util/sibling-module.ts'
import { unavailable } from '../refusals.ts'
import { errorOf, type Failure } from '../sqlite/failures.ts'
import type { NamedFile } from '../sqlite/read/query-worker.ts'
import type { FileStatements, FileStream } from './file-source.ts'

export interface ToFileProcess {
  readonly source:
    | ({ readonly engine: 'sqlite' } & NamedFile)
    | { readonly engine: 'postgres'; readonly url: string }
  readonly statements: FileStatements
  readonly spec: FileSpec
}

export type FromFileProcess =
  /** The snapshot has another plan version. */
  | { readonly kind: 'outdated' }
  | { readonly kind: 'begun'; readonly total: number }
  | { readonly kind: 'written'; readonly rows: number }
  | { readonly kind: 'failed'; readonly failure: Failure }

/** MiB of each of the young generations: rows live for microseconds, and a larger one only takes memory. */
const youngGeneration = 2

/** Resolves when the snapshot is taken; null if it has another plan version. Aborting the signal ends the process. */
export async function openFileProcess(order: ToFileProcess, signal: AbortSignal): Promise<FileStream | null> {
  signal.throwIfAborted()
  const child = fork(module, {
    serialization: 'advanced',
    execArgv: ['--disable-warning=ExperimentalWarning', `--max-semi-space-size=${youngGeneration}`],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'],
  })
  const closed = once(child, 'close').catch(() => undefined)
  const kill = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  const dispose = async (): Promise<void> => {
    signal.removeEventListener('abort', kill)
    kill()
    await closed
  }
  const messages = receive(child)
  try {
    child.send(order)
    const first = await messages.next(signal)
    if (first.kind === 'outdated') {
      await dispose()
      return null
    }
    if (first.kind !== 'begun') throw new Error(`A file began with ${first.kind}.`)
    let rows = 0
    const bytes = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of child.stdio[4] as Readable) yield piece as Uint8Array
      // A killed process closes the pipe, too.
      const last = await messages.next(signal)
      if (last.kind !== 'written') throw new Error(`A file ended with ${last.kind}.`)
      rows = last.rows
    }
    return { total: first.total, bytes: bytes(), rows: () => rows, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

/** Messages in order; each fails with the failure that the process reports, or that it ended. */
function receive(child: ChildProcess): { next(signal: AbortSignal): Promise<FromFileProcess> } {
  const received: (FromFileProcess | Error)[] = []
  const waiting: (() => void)[] = []
  const add = (one: FromFileProcess | Error): void => {
    received.push(one)
    waiting.shift()?.()
  }
  child.on('message', add)
  child.on('error', add)
  child.on('close', (code, signal) =>
    add(new Error(`A process that writes a file ended with ${signal ?? `code ${code}`}.`)),
  )
  return {
    async next(signal) {
      if (received.length === 0) await new Promise<void>((resolve) => waiting.push(resolve))
      const one = received.shift()
      if (one === undefined || one instanceof Error) {
        signal.throwIfAborted()
        throw unavailable(one)
      }
      if (one.kind === 'failed') throw errorOf(one.failure)
      return one
    },
  }
}

const module = siblingModule(import.meta.url, 'file-child')
