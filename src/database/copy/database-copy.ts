/**
 * Copies the content of one database to another, whatever their engines. Both are scanned in the same order, and only
 * differences are written: an interrupted copy resumes at the speed of reading, whatever has changed meanwhile, and
 * needs no stored position.
 */
import { createHash } from 'node:crypto'
import { areSame, compareKeys, type CopyPart, type CopyRow, rowText } from './parts.ts'

/** The content of a database at one moment. */
export interface Snapshot extends AsyncDisposable {
  /** Equal for two snapshots of one database. */
  readonly identity: string
  readonly kind: 'database' | 'backup'
  /** For people, and for the mark that names the source of a copy; without a password. */
  readonly name: string
  /** NSIDs of all collections with records, including those that the lexicons no longer have. */
  collections(): Promise<readonly string[]>
  count(part: CopyPart): Promise<number>
  /** Sorted by the keys of the rows. */
  rows(part: CopyPart): AsyncIterable<CopyRow>
}

/** What is to be known of it before it is copied. */
export type CopySource = Pick<Snapshot, 'identity' | 'kind' | 'name' | 'count'>

/** A database that is becoming a copy; no other process opens it until it is finished. */
export interface CopyTarget extends AsyncDisposable {
  /** True if it has content and is not marked as a copy: nothing may be written, but it may be a finished copy. */
  readonly isWhole: boolean
  /** The present content, through a connection of its own. */
  snapshot(): Promise<Snapshot>
  /** Atomic. */
  write(part: CopyPart, changes: RowChanges): Promise<void>
  /** Builds what is cheaper to build over all rows of a collection; does nothing if that is done. */
  complete(part: CopyPart): Promise<void>
  /** Removes the mark: from now on it is an ordinary database. */
  finish(): Promise<void>
}

export interface RowChanges {
  /** New rows, and new versions of rows, sorted by their keys. */
  readonly written: readonly CopyRow[]
  /** The rows as they are in the target. */
  readonly removed: readonly CopyRow[]
}

export interface CopyProgress {
  readonly stage: 'reading' | 'copying' | 'indexing' | 'comparing'
  readonly part: CopyPart
  /** Rows of all parts. */
  readonly done: number
  readonly total: number
}

/** The comparison of a part after everything was written. */
export interface PartComparison {
  readonly part: CopyPart
  readonly source: Digest
  readonly target: Digest
  readonly differing: number
  /** The key of the first differing row. */
  readonly first: string | null
}

export interface Digest {
  readonly rows: number
  /** SHA-256 over all rows in order. */
  readonly digest: string
}

export type OnProgress = (progress: CopyProgress) => void

/** Rows and characters per transaction: the most that an interrupted copy writes twice. */
const rowsAtOnce = 2_000
const charactersAtOnce = 8_000_000

/** Makes the content of the target that of the source; the caller compares them and then calls `finish`. */
export async function fill(
  source: Snapshot,
  target: CopyTarget,
  parts: readonly CopyPart[],
  onProgress: OnProgress,
): Promise<void> {
  const total = await countRows(source, parts)
  let done = 0
  for (const part of parts) {
    onProgress({ stage: 'copying', part, done, total })
    const advance = (): void => {
      done += 1
      if (done % 1_000 === 0) onProgress({ stage: 'copying', part, done, total })
    }
    await copyPart(source, target, part, advance)
    if (part.table === null) continue
    onProgress({ stage: 'indexing', part, done, total })
    await target.complete(part)
  }
}

export async function compare(
  source: Snapshot,
  target: CopyTarget,
  parts: readonly CopyPart[],
  onProgress: OnProgress,
): Promise<readonly PartComparison[]> {
  await using present = await target.snapshot()
  const total = await countRows(source, parts)
  let done = 0
  const comparisons: PartComparison[] = []
  for (const part of parts) {
    const [inSource, inTarget] = [new Digester(), new Digester()]
    let differing = 0
    let first: string | null = null
    await walk(part, source.rows(part), present.rows(part), (given, found) => {
      const isSame = given !== null && found !== null && areSame(given, found)
      const text = given === null ? '' : rowText(given)
      if (given !== null) inSource.add(text)
      if (found !== null) inTarget.add(isSame ? text : rowText(found))
      if (!isSame) {
        differing += 1
        first ??= keyText(part, given ?? found ?? [])
      }
      done += 1
      if (done % 1_000 === 0) onProgress({ stage: 'comparing', part, done, total })
      return undefined
    })
    comparisons.push({ part, source: inSource.end(), target: inTarget.end(), differing, first })
  }
  return comparisons
}

/** A cheap check before a comparison. */
export async function haveSameCounts(
  source: Snapshot,
  target: CopyTarget,
  parts: readonly CopyPart[],
): Promise<boolean> {
  await using present = await target.snapshot()
  for (const part of parts) if ((await source.count(part)) !== (await present.count(part))) return false
  return true
}

async function countRows(source: Snapshot, parts: readonly CopyPart[]): Promise<number> {
  let total = 0
  for (const part of parts) total += await source.count(part)
  return total
}

async function copyPart(
  source: Snapshot,
  target: CopyTarget,
  part: CopyPart,
  advance: () => void,
): Promise<void> {
  let changes = noChanges()
  let [rows, characters] = [0, 0]
  let written: Promise<void> = Promise.resolve()
  const flush = async (): Promise<void> => {
    await written
    // The next rows are read during this write; an error surfaces at the next write.
    written = target.write(part, changes)
    written.catch(() => undefined)
    changes = noChanges()
    rows = 0
    characters = 0
  }
  await walk(part, source.rows(part), rowsNow(target, part), (given, found) => {
    if (given !== null) advance()
    if (given !== null && found !== null && areSame(given, found)) return undefined
    if (given === null) changes.removed.push(found ?? [])
    else changes.written.push(given)
    rows += 1
    const last = given?.at(-1)
    characters += typeof last === 'string' ? last.length : 0
    return rows >= rowsAtOnce || characters >= charactersAtOnce ? flush() : undefined
  })
  if (rows > 0) await flush()
  await written
}

/** The snapshot ends with the rows: while it is open, SQLite cannot checkpoint its log. */
async function* rowsNow(target: CopyTarget, part: CopyPart): AsyncGenerator<CopyRow> {
  await using snapshot = await target.snapshot()
  yield* snapshot.rows(part)
}

/** Merges both sides: calls `meet` once per key, with the row of each side. */
async function walk(
  part: CopyPart,
  source: AsyncIterable<CopyRow>,
  target: AsyncIterable<CopyRow>,
  meet: (given: CopyRow | null, found: CopyRow | null) => Promise<void> | undefined,
): Promise<void> {
  const [givens, founds] = [source[Symbol.asyncIterator](), target[Symbol.asyncIterator]()]
  try {
    let [given, found] = [await next(givens), await next(founds)]
    while (given !== null || found !== null) {
      const order = given === null ? 1 : found === null ? -1 : compareKeys(part, given, found)
      const meeting = meet(order <= 0 ? given : null, order >= 0 ? found : null)
      if (meeting !== undefined) await meeting
      if (order <= 0) given = await next(givens)
      if (order >= 0) found = await next(founds)
    }
  } finally {
    await givens.return?.()
    await founds.return?.()
  }
}

async function next(rows: AsyncIterator<CopyRow>): Promise<CopyRow | null> {
  const { done, value } = await rows.next()
  return done === true ? null : value
}

export class Digester {
  readonly #hash = createHash('sha256')
  #rows = 0

  add(text: string): void {
    this.#hash.update(text)
    this.#rows += 1
  }

  end(): Digest {
    return { rows: this.#rows, digest: this.#hash.digest('hex') }
  }
}

function noChanges() {
  return { written: [] as CopyRow[], removed: [] as CopyRow[] }
}

/** The URI of a record, or the key of another row. */
function keyText({ table, key }: CopyPart, row: CopyRow): string {
  if (table === null) return row.slice(0, key).join(' ')
  const [, rkey, did] = row
  return `at://${did}/${table.collection.nsid}/${rkey}`
}
