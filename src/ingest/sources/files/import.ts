/**
 * Imports records from JSON Lines. Validation and hashing run in threads, the writing here, in the order of the lines;
 * only a few blocks are in memory at any time, whatever the size of the input.
 */
import { addAbortSignal } from 'node:stream'
import type { BatchOutcome, Change, RejectionReason, WriteDatabase } from '../../../database/database.ts'
import { counted } from '../../../util/text/counted.ts'
import { inOrder } from '../../channel.ts'
import type { Source } from '../../source.ts'
import type { ReaderOptions } from '../change-reader.ts'
import type { BlockRequest } from './block-reader.ts'
import { type Block, InputError, type LineInput, readBlocks } from './lines.ts'
import { siblingModule } from '../../../util/sibling-module.ts'
import { openThreads, type Threads } from '../threads.ts'

interface ImportOptions extends ReaderOptions {
  /** Number of further threads, at least 1. */
  readonly workers: number
  /** `read`: lines that are not blank. `consumed`: bytes of the inputs, before decompression. */
  readonly onProgress?: (progress: { readonly read: number; readonly consumed: number }) => void
  /** Called when all input is read; the database may still have work to do. */
  readonly onRead?: () => void
}

const storiesAtOnce = 5_000

export interface ImportResult extends Omit<BatchOutcome, 'deleted' | 'rejected'> {
  readonly read: number
  readonly refused: Readonly<Partial<Record<RejectionReason, number>>>
}

/** Of two lines for one URI, the later wins. An unreadable input ends the import with an `InputError`. */
export async function importRecords(
  database: WriteDatabase,
  inputs: readonly LineInput[],
  options: ImportOptions,
): Promise<ImportResult> {
  const refused: Partial<Record<RejectionReason, number>> = {}
  let read = 0
  async function* counting(): AsyncGenerator<readonly Change[]> {
    for await (const { changes, consumed } of readChanges(inputs, options)) {
      read += changes.length
      for (const change of changes)
        if (change.kind === 'reject') refused[change.reason] = (refused[change.reason] ?? 0) + 1
      yield changes
      options.onProgress?.({ read, consumed })
    }
    options.onRead?.()
  }
  try {
    const { deleted: _, rejected: __, ...outcome } = await database.load(counting())
    while (await database.metadata.deriveStories(storiesAtOnce));
    return { read, ...outcome, refused }
  } catch (cause) {
    if (!(cause instanceof InputError)) throw cause
    throw new InputError(
      `${cause.message} ${counted(read, 'record')} ${read === 1 ? 'was' : 'were'} read before that.`,
      { cause },
    )
  }
}

/** An import as a source that ends, to run next to endless sources; importing twice changes nothing. */
export function createImportSource(
  name: string,
  inputs: readonly LineInput[],
  options: ImportOptions,
): Source {
  return {
    name,
    async *deliveries({ onState, signal }) {
      onState('live', null)
      // A pipe may block without limit.
      const ending = inputs.map((input) => ({
        ...input,
        open: () => addAbortSignal(signal, input.open()),
      }))
      try {
        for await (const { changes } of readChanges(ending, options)) {
          if (signal.aborted) return
          yield { changes, cursor: null, eventAt: null, events: changes.length }
        }
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
  }
}

export async function* readChanges(
  inputs: readonly LineInput[],
  { lexicons, tables, maxClockSkew, workers }: ImportOptions,
): AsyncGenerator<{ readonly changes: readonly Change[]; readonly consumed: number }> {
  const reader = { lexicons, tables, ...(maxClockSkew !== undefined && { maxClockSkew }) }
  const module = siblingModule(import.meta.url, 'block-worker')
  await using threads: Threads<BlockRequest, readonly Change[]> = openThreads(module, workers, reader)
  let before = 0
  for (const input of inputs) {
    const read = async ({ bytes, firstLine, consumed }: Block) => ({
      changes: await threads.read({ bytes, source: input.name, firstLine }, [bytes.buffer]),
      consumed,
    })
    let consumed = 0
    // Each thread has one block to read and one waiting, so that no thread is idle while rows are written.
    for await (const outcome of inOrder(readBlocks(input), read, workers)) {
      consumed = outcome.consumed
      yield { ...outcome, consumed: before + consumed }
    }
    before += input.size ?? consumed
  }
}
