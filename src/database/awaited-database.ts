/** A database that another process rebuilds. Until that ends, every query fails with the progress or the reason. */
import { setTimeout as pause } from 'node:timers/promises'
import type { ReadDatabase } from './database.ts'
import type { Steps } from './metadata/steps.ts'
import type { RebuildProgress } from './rebuild/rebuild-report.ts'
import { BeingRebuiltError, BuiltElsewiseError, unavailable } from './refusals.ts'

/** Milliseconds between two attempts to open the database. */
const interval = 300

export interface AwaitedOptions {
  readonly isRemote: boolean
  /** Fails while the database is not ready. */
  readonly open: () => Promise<ReadDatabase>
  /** Null when the progress is not known. */
  readonly readProgress: () => Promise<RebuildProgress | null>
  /** Called with the reason when no rebuild explains why the database cannot be opened, and when it changes. */
  readonly onFailure: (error: unknown) => void
}

export class AwaitedDatabase implements ReadDatabase {
  readonly isRemote: boolean
  readonly #options: AwaitedOptions
  readonly #end = new AbortController()
  #waiting: Promise<void> | null = null
  #database: ReadDatabase | null = null
  #progress: RebuildProgress | null = null
  /** The error of the last attempt, unless a rebuild explains it. */
  #failure: unknown = null
  #reported: string | null = null

  private constructor(options: AwaitedOptions) {
    this.isRemote = options.isRemote
    this.#options = options
  }

  /** Resolves after the first attempt. */
  static async open(options: AwaitedOptions): Promise<AwaitedDatabase> {
    const database = new AwaitedDatabase(options)
    await database.#look()
    database.#waiting = database.#wait()
    return database
  }

  get dialect(): ReadDatabase['dialect'] {
    return this.#ready.dialect
  }

  get statistics(): ReadDatabase['statistics'] {
    return this.#ready.statistics
  }

  dataVersion(): number | null {
    return this.#database?.dataVersion() ?? null
  }

  async readSteps<Result>(steps: () => Steps<Result>): Promise<Result> {
    return this.#ready.readSteps(steps)
  }

  readonly readPlanState: ReadDatabase['readPlanState'] = async () => this.#ready.readPlanState()
  readonly readAnswer: ReadDatabase['readAnswer'] = async (...given) => this.#ready.readAnswer(...given)
  readonly readStatus: ReadDatabase['readStatus'] = async () => this.#ready.readStatus()
  readonly readSize: ReadDatabase['readSize'] = async () => this.#ready.readSize()
  readonly readRows: ReadDatabase['readRows'] = (statement) => this.#ready.readRows(statement)
  readonly openFile: ReadDatabase['openFile'] = async (...given) => this.#ready.openFile(...given)
  readonly explain: ReadDatabase['explain'] = async (statement) => this.#ready.explain(statement)

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort()
    await this.#waiting
    await this.#database?.[Symbol.asyncDispose]()
  }

  get #ready(): ReadDatabase {
    if (this.#database !== null) return this.#database
    throw this.#failure === null ? new BeingRebuiltError(this.#progress) : unavailable(this.#failure)
  }

  async #look(): Promise<void> {
    const { open, readProgress, onFailure } = this.#options
    try {
      this.#database = await open()
    } catch (error) {
      this.#progress = await readProgress().catch(() => null)
      this.#failure = this.#progress !== null || isOfOtherLexicons(error) ? null : error
      const reason = String(this.#failure)
      if (this.#failure === null || reason === this.#reported) return
      this.#reported = reason
      onFailure(this.#failure)
    }
  }

  async #wait(): Promise<void> {
    while (this.#database === null && !this.#end.signal.aborted) {
      await pause(interval, undefined, { signal: this.#end.signal }).catch(() => undefined)
      await this.#look()
    }
  }
}

/** True for a rebuild that has not reported progress yet. */
function isOfOtherLexicons(error: unknown): boolean {
  return error instanceof BuiltElsewiseError || (error as Error).cause instanceof BuiltElsewiseError
}
