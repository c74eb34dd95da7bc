/** Reports what a rebuild for other lexicons does, or would do, to stored and refused records, and its progress. */
import type { Change } from '../changes.ts'

export interface RebuildReport {
  readonly collections: readonly CollectionReport[]
}

export interface CollectionReport {
  readonly name: string
  /** False: the lexicons do not have the collection. Its records stay stored and are not shown. */
  readonly served: boolean
  /** Records that were stored before the rebuild. */
  readonly stored: number
  /** Stored records that are invalid under the lexicons. */
  readonly refused: number
  /** Records that were refused before and are valid now. */
  readonly accepted: number
  /** Reasons of refusals, the most frequent first. */
  readonly reasons: readonly RefusalCount[]
}

export interface RefusalCount {
  readonly message: string
  readonly records: number
  /** The URI of one such record. */
  readonly example: string
}

/** The number of different messages that are counted, and the number that a report names. */
const mostMessages = 1_000
const namedMessages = 3

interface Counters {
  served: boolean
  stored: number
  refused: number
  accepted: number
  readonly reasons: Map<string, { records: number; readonly example: string }>
}

export class RebuildCounters {
  readonly #collections = new Map<string, Counters>()

  /** `served` is false for a collection that the lexicons do not have. */
  addStored(collection: string, records: number, served = true): void {
    const counters = this.#of(collection)
    counters.stored += records
    counters.served = served
  }

  addRefused(collection: string, uri: string, message: string): void {
    const counters = this.#of(collection)
    counters.refused += 1
    const known = counters.reasons.get(message)
    if (known !== undefined) known.records += 1
    else if (counters.reasons.size < mostMessages) counters.reasons.set(message, { records: 1, example: uri })
  }

  /** Counts a record that was stored before. */
  addKept(collection: string, change: Change): void {
    this.addStored(collection, 1)
    if (change.kind === 'reject') this.addRefused(collection, change.uri ?? '', change.message)
  }

  /** Counts a record that was refused before. */
  addJudged(change: Change): void {
    if (change.kind === 'put') this.#of(change.collection).accepted += 1
  }

  report(): RebuildReport {
    const names = [...this.#collections.keys()].toSorted()
    return { collections: names.map((name) => reportOf(name, this.#of(name))) }
  }

  #of(collection: string): Counters {
    let counters = this.#collections.get(collection)
    if (counters === undefined) {
      counters = { served: true, stored: 0, refused: 0, accepted: 0, reasons: new Map() }
      this.#collections.set(collection, counters)
    }
    return counters
  }
}

function reportOf(name: string, { reasons, ...counts }: Counters): CollectionReport {
  const sorted = [...reasons].toSorted(([, a], [, b]) => b.records - a.records).slice(0, namedMessages)
  return { name, ...counts, reasons: sorted.map(([message, counted]) => ({ message, ...counted })) }
}

/** As the rebuild records it in the database. */
export interface RebuildProgress {
  /** In processing order. */
  readonly collections: readonly CollectionProgress[]
}

export interface CollectionProgress {
  readonly collection: string
  /** Records in the new table, out of those in the old one at the start. */
  readonly done: number
  readonly total: number
  /** True when everything derived from the records is built too. */
  readonly isComplete: boolean
}

/** For operators and callers alike. */
export function rebuildSentence({ collections }: RebuildProgress): string {
  const current = collections.find(({ isComplete }) => !isComplete)
  const [done, total] = [sumOf(collections, 'done'), sumOf(collections, 'total')]
  const all = `${count(Math.min(done, total))} of ${count(total)} records`
  if (current === undefined)
    return `${all} are in the new tables, which are about to take the place of the old ones.`
  const { collection } = current
  const part =
    current.done < current.total
      ? `${collection} has ${count(current.done)} of ${count(current.total)}`
      : `the indexes of ${collection} are being built`
  return `${all} are in the new tables; ${part}.`
}

function sumOf(collections: readonly CollectionProgress[], what: 'done' | 'total'): number {
  return collections.reduce((sum, one) => sum + one[what], 0)
}

function count(n: number): string {
  return n.toLocaleString('en')
}
