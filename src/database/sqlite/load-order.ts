/**
 * Puts records of a load in the order that their table keeps, as far as it can without reading them all: many inputs
 * are out of order only a little, because whoever wrote them did several things at a time. Whatever order comes out is
 * right, but a table whose rows come in order need not be written a second time. It knows no table and no file.
 */
import type { Change, RecordPut } from '../changes.ts'
import { uriOf } from '../decide.ts'

/** A change that may wait, and the record whose place in the order it has. */
interface Waiting {
  readonly change: Change
  readonly at: Placed
}

type Placed = RecordPut & { readonly indexedAt: bigint }

/** Characters of records that wait for others to come before them. */
const held = 768 << 10

export async function* inNearOrder(
  batches: AsyncIterable<readonly Change[]>,
  limit = held,
): AsyncGenerator<readonly Change[]> {
  const order = new NearOrder(limit)
  for await (const batch of batches) yield order.next(batch)
  yield order.rest()
}

class NearOrder {
  readonly #limit: number
  /** In order, and all of one collection. */
  #waiting: Waiting[] = []
  #characters = 0
  #collection: string | null = null
  /** The last record of the collection that was let go. */
  #last: Placed | null = null
  /** Whether any of the collection came out of order. */
  #isMixed = false
  /** The collection comes in order by itself, or is more out of order than can wait. */
  #passes = false

  constructor(limit: number) {
    this.#limit = limit
  }

  /** What need not wait any longer, now that these have come. */
  next(changes: readonly Change[]): readonly Change[] {
    const ready: Change[] = []
    let come: Waiting[] = []
    const settle = (): void => {
      if (come.length > 0) this.#merge(come, ready)
      come = []
    }
    let at: Placed | null = this.#waiting.at(-1)?.at ?? null
    for (const change of changes) {
      if (isPlaced(change)) {
        if (change.collection !== this.#collection) {
          settle()
          this.#begin(change.collection, ready)
        }
        at = change
      } else if (change.kind !== 'reject') {
        settle()
        this.#letAllGo(ready)
        at = null
      }
      if (at === null || this.#passes) ready.push(change)
      else come.push({ change, at })
    }
    settle()
    this.#letSomeGo(ready)
    return ready
  }

  rest(): readonly Change[] {
    const ready: Change[] = []
    this.#letAllGo(ready)
    return ready
  }

  #begin(collection: string, ready: Change[]): void {
    this.#letAllGo(ready)
    this.#collection = collection
    this.#last = null
    this.#isMixed = false
    this.#passes = false
  }

  #merge(come: readonly Waiting[], ready: Change[]): void {
    for (const { change } of come) this.#characters += sizeOf(change)
    const first = come.reduce((least, one) => (compare(one, least) < 0 ? one : least))
    const start = this.#waiting.findLastIndex((one) => compare(one, first) <= 0) + 1
    const moved = [...this.#waiting.splice(start), ...come]
    const isLate = this.#last !== null && comparePlaces(first.at, this.#last) < 0
    const inOrder = isInOrder(moved)
    const isRight = !isLate && (inOrder || !isRepeated(moved))
    if (!inOrder) this.#isMixed = true
    if (isRight && !inOrder) moved.sort(compare)
    for (const one of moved) this.#waiting.push(one)
    if (isRight) return
    this.#passes = true
    this.#letAllGo(ready)
  }

  #letSomeGo(ready: Change[]): void {
    if (this.#characters > this.#limit && !this.#isMixed) {
      this.#passes = true
      return this.#letAllGo(ready)
    }
    let count = 0
    for (; this.#characters > this.#limit; count++) {
      const { change, at } = this.#waiting[count] as Waiting
      this.#characters -= sizeOf(change)
      this.#last = at
      ready.push(change)
    }
    this.#waiting.splice(0, count)
  }

  #letAllGo(ready: Change[]): void {
    for (const { change } of this.#waiting) ready.push(change)
    this.#last = this.#waiting.at(-1)?.at ?? this.#last
    this.#waiting = []
    this.#characters = 0
  }
}

function isPlaced(change: Change): change is Change & { kind: 'put' } & Placed {
  return change.kind === 'put' && change.indexedAt !== null
}

function sizeOf(change: Change): number {
  return change.kind === 'put' ? change.json.length : change.kind === 'reject' ? change.record.length : 0
}

function isInOrder(waiting: readonly Waiting[]): boolean {
  return waiting.every((one, index) => index === 0 || compare(waiting[index - 1] as Waiting, one) <= 0)
}

/** Of changes to one record the order says what comes of them. */
function isRepeated(waiting: readonly Waiting[]): boolean {
  const names = new Set(waiting.map(({ change }) => nameOf(change)))
  return names.size < waiting.length
}

function nameOf(change: Change): unknown {
  if (change.kind === 'put') return uriOf(change)
  return change.kind === 'reject' && change.uri !== null ? change.uri : change
}

function compare(a: Waiting, b: Waiting): number {
  return comparePlaces(a.at, b.at)
}

/** Record keys and DIDs are ASCII, so that comparing code units is comparing code points. */
function comparePlaces(a: Placed, b: Placed): number {
  if (a.indexedAt !== b.indexedAt) return a.indexedAt < b.indexedAt ? -1 : 1
  if (a.rkey !== b.rkey) return a.rkey < b.rkey ? -1 : 1
  return a.did === b.did ? 0 : a.did < b.did ? -1 : 1
}
