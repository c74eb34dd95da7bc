/** Writes a file in a process of its own, which runs `file-child.ts`, so that it delays nobody and can be killed. */
import { type ChildProcess, fork } from 'node:child_process'
import { on, once } from 'node:events'
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
  // An error after the end concerns nobody any more.
  child.on('error', () => undefined)
  const messages = on(child, 'message', { close: ['close'] })
  try {
    child.send(order)
    const first = await nextOf(messages, child, signal)
    if (first.kind === 'outdated') {
      await dispose()
      return null
    }
    if (first.kind !== 'begun') throw new Error(`A file began with ${first.kind}.`)
    let rows = 0
    const bytes = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of child.stdio[4] as Readable) yield piece as Uint8Array
      // A killed process closes the pipe, too.
      const last = await nextOf(messages, child, signal)
      if (last.kind !== 'written') throw new Error(`A file ended with ${last.kind}.`)
      rows = last.rows
    }
    return { total: first.total, bytes: bytes(), rows: () => rows, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

/** Fails with the failure that the process reports, or that it ended. */
async function nextOf(
  messages: AsyncIterator<readonly (FromFileProcess | Error)[], undefined>,
  child: ChildProcess,
  signal: AbortSignal,
): Promise<FromFileProcess> {
  const { value } = await messages.next().catch((error: Error) => ({ value: [error] }))
  const message = value?.[0]
  if (message === undefined || message instanceof Error) {
    signal.throwIfAborted()
    const how = child.signalCode ?? `code ${child.exitCode}`
    throw unavailable(message ?? new Error(`A process that writes a file ended with ${how}.`))
  }
  if (message.kind === 'failed') throw errorOf(message.failure)
  return message
}

const module = siblingModule(import.meta.url, 'file-child')
