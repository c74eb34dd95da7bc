/** A database that another process rebuilds. Until that ends, every query fails with the progress or the reason. */
import { setTimeout as pause } from 'node:timers/promises'
import type { ReadDatabase } from './database.ts'
import type { RebuildProgress } from './rebuild/rebuild-report.ts'
import { BeingRebuiltError, BuiltElsewiseError, unavailable } from './refusals.ts'

/** Milliseconds between two attempts to open the database. */
const interval = 300

interface AwaitedOptions {
  readonly isRemote: boolean
  /** Fails while the database is not ready. */
  readonly open: () => Promise<ReadDatabase>
  /** Null when the progress is not known. */
  readonly readProgress: () => Promise<RebuildProgress | null>
  /** Called with the reason when no rebuild explains why the database cannot be opened, and when it changes. */
  readonly onFailure: (error: unknown) => void
}

/** Resolves after the first attempt. */
export async function openAwaited(options: AwaitedOptions): Promise<ReadDatabase> {
  const { isRemote, open, readProgress, onFailure } = options
  const end = new AbortController()
  let database: ReadDatabase | null = null
  let progress: RebuildProgress | null = null
  /** The error of the last attempt, unless a rebuild explains it. */
  let failure: unknown = null
  let reported: string | null = null
  /** Whether the database is open. */
  const look = async (): Promise<boolean> => {
    try {
      database = await open()
      return true
    } catch (error) {
      progress = await readProgress().catch(() => null)
      failure = progress !== null || isOfOtherLexicons(error) ? null : error
      const reason = String(failure)
      if (failure !== null && reason !== reported) {
        reported = reason
        onFailure(failure)
      }
      return false
    }
  }
  const wait = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await pause(interval, undefined, { signal: end.signal }).catch(() => undefined)
      if (await look()) return
    }
  }
  const ready = (): ReadDatabase => {
    if (database !== null) return database
    throw failure === null ? new BeingRebuiltError(progress) : unavailable(failure)
  }
  const waiting = (await look()) ? null : wait()
  return {
    isRemote,
    get dialect() {
      return ready().dialect
    },
    get statistics() {
      return ready().statistics
    },
    dataVersion: () => database?.dataVersion() ?? null,
    readSteps: async (steps) => ready().readSteps(steps),
    readPlanState: async () => ready().readPlanState(),
    readAnswer: async (...given) => ready().readAnswer(...given),
    readStatus: async () => ready().readStatus(),
    readSize: async () => ready().readSize(),
    readRows: (statement) => ready().readRows(statement),
    openFile: async (...given) => ready().openFile(...given),
    explain: async (statement) => ready().explain(statement),
    async [Symbol.asyncDispose]() {
      end.abort()
      await waiting
      await database?.[Symbol.asyncDispose]()
    },
  }
}

/** True for a rebuild that has not reported progress yet. */
function isOfOtherLexicons(error: unknown): boolean {
  return error instanceof BuiltElsewiseError || (error as Error).cause instanceof BuiltElsewiseError
}
