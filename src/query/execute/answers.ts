/** The answers of compiled statements: read from the database, or from a cache if they are of its present state. */
import { LRUCache } from 'lru-cache'
import type { ReadDatabase, StoredAnswer } from '../../database/database.ts'
import { ServiceError } from '../../errors.ts'
import { OverloadedError } from '../../util/async/fair-semaphore.ts'
import { insertSnippets } from './insert-snippets.ts'
import { type Asked, type Compiled, inTurns, type PlannedStatement, within } from './planner.ts'

/** Bytes of an entry of the cache besides its key and body. */
const answerOverhead = 200
/** Milliseconds. A statement that took less counts as short until it is planned again, even if its estimate is high. */
const shortTime = 1

export function createAnswers(database: ReadDatabase, cacheBytes: number) {
  /** Answers with the version of the data from which they were read. */
  const answers =
    cacheBytes === 0
      ? null
      : new LRUCache<string, { readonly body: Uint8Array; readonly version: number }>({
          maxSize: cacheBytes,
          sizeCalculation: ({ body }, key) => body.length + 2 * key.length + answerOverhead,
        })
  const storedAnswer = (key: string, version: number | null): Uint8Array | null => {
    const stored = answers?.get(key)
    return stored !== undefined && stored.version === version ? stored.body : null
  }
  return {
    /** The answer, if no statement has to run for it. */
    atHand(found: Compiled, key: string): Uint8Array | null {
      if (found.kind === 'constant') return found.body
      return found.isTimeless && answers?.has(key) ? storedAnswer(key, database.dataVersion()) : null
    },
    /** Null if the statement was planned for a state of the database that has passed. */
    async read(found: Compiled, key: string, asked: Asked, signal?: AbortSignal): Promise<Uint8Array | null> {
      const { report } = asked
      report.isTimeless = found.isTimeless
      if (found.kind === 'constant') {
        report.from = 'constant'
        return found.body
      }
      const before = answers !== null && found.isTimeless ? database.dataVersion() : null
      const same = before === null ? null : storedAnswer(key, before)
      if (same !== null) {
        report.from = 'memory'
        return same
      }
      const { version } = found
      const answered = await run(database, found, asked, signal).catch(async (error: unknown) => {
        if (error instanceof ServiceError) throw error
        // A statement also fails if the tables or indexes for which it was planned are gone.
        const now = await within(database.readPlanState(), signal).catch(() => null)
        if (now === null || now.version === version) throw error
        return null
      })
      if (answered?.version !== version) return null
      if (report.statementTime < shortTime) found.isShort = true
      // Nothing was written from before the statement began until now, so the answer is of exactly this version.
      if (before !== null && database.dataVersion() === before)
        answers?.set(key, { body: answered.body, version: before })
      else report.isOwn = answered.isOwn
      return answered.body
    },
  }
}

/** Runs the statement, and completes what it returns. */
async function run(
  database: ReadDatabase,
  { statement, isShort, points, snippets }: PlannedStatement & Pick<Compiled, 'points'>,
  { requestLimits, report }: Asked,
  signal: AbortSignal | undefined,
): Promise<StoredAnswer> {
  const read = async (): Promise<StoredAnswer> => {
    report.from = isShort ? 'short' : 'long'
    if (isShort) return database.readAnswer(statement, { kind: 'short', ...(signal && { signal }) })
    using permit = await requestLimits.startLong()
    permit.signal.throwIfAborted()
    const { signal: ending, caller, deadline } = permit
    const request = { signal: ending, caller, deadline, cost: points }
    return await database.readAnswer(statement, { kind: 'long', ...request })
  }
  report.statement = statement
  const started = performance.now()
  let stored: StoredAnswer
  try {
    stored = await read()
  } catch (error) {
    if (error instanceof OverloadedError) requestLimits.refund()
    throw error
  } finally {
    report.statementTime = performance.now() - started
  }
  if (snippets.length === 0) return stored
  return { ...stored, body: await inTurns(insertSnippets(stored.body, snippets), requestLimits), isOwn: true }
}
