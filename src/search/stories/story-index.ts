/**
 * Records by their time, and which of them tell of one event. Each part of the index has the records of 36 hours,
 * with a list for each start of those that have it.
 */
import type { StoryWords } from './story-words.ts'

/** Seconds after its first record during which records may join a story. */
export const storyReach = 259_200
/** Ten-thousandths that the similarity must exceed. */
const threshold = 1_800
/** Added to the sum of all values, so that few common words prove little. */
const floor = 240
/** Seconds of a part. Of longer parts fewer are compared; for a shorter one that is missing fewer records are read. */
const partLength = storyReach / 2
/** More than what is lost to rounding in a bound. */
const rounding = 0.001
/** Of a value in a posting; values are at most 27. */
const valueBits = 5
const mostValue = 31

export interface StoryRecord {
  readonly uri: string
  /** Microseconds. */
  readonly at: bigint
  /** The whole seconds of `at`. */
  readonly seconds: number
  readonly words: StoryWords
  /** Whether it is the first record of its story. */
  isFirst: boolean
}

export class StoryIndex<Its extends StoryRecord> {
  readonly #parts = new Map<number, Part<Its>>()

  get size(): number {
    return this.#parts.values().reduce((sum, { places }) => sum + places.size, 0)
  }

  clear(): void {
    this.#parts.clear()
  }

  /** Adds the missing parts between two times; yields the first and the last second of each. */
  *open(from: number, to: number): Generator<readonly [number, number]> {
    for (let number = partOf(from); number <= partOf(to); number += 1) {
      if (this.#parts.has(number)) continue
      this.#parts.set(number, new Part(number))
      yield [number * partLength, (number + 1) * partLength - 1]
    }
  }

  /** Whether no part between two times is missing. */
  covers(from: number, to: number): boolean {
    for (let number = partOf(from); number <= partOf(to); number += 1)
      if (!this.#parts.has(number)) return false
    return true
  }

  /** Removes parts that have no record between two times, the earliest first, until at most `most` records are left. */
  keep(from: number, to: number, most = 0): void {
    for (const number of [...this.#parts.keys()].toSorted((a, b) => a - b))
      if (this.size > most && (number < partOf(from) || number > partOf(to))) this.#parts.delete(number)
  }

  add(record: Its): void {
    const number = partOf(record.seconds)
    const part = this.#parts.get(number) ?? new Part(number)
    this.#parts.set(number, part)
    part.add(record)
  }

  remove(record: Its): void {
    this.#parts.get(partOf(record.seconds))?.remove(record)
  }

  /** The records of that time. */
  at(at: bigint): readonly Its[] {
    return this.#parts.get(partOf(secondsOf(at)))?.times.get(at) ?? []
  }

  /** The first record of the story that a record joins; null if it begins one. */
  joinedBy(record: Its): Its | null {
    let joined: Its | null = null
    let most = threshold
    for (let number = partOf(record.seconds); number >= partOf(record.seconds - storyReach); number -= 1)
      this.#parts.get(number)?.compare(record, most, (other, similarity) => {
        if (!other.isFirst || similarity < most || compareRecords(other, record) > 0) return
        if (similarity === most && (joined === null || compareRecords(other, joined) > 0)) return
        joined = other
        most = similarity
      })
    return joined
  }

  /** The later records that are similar enough to join the story that a record begins. */
  resembling(record: Its): readonly Its[] {
    const later: Its[] = []
    for (let number = partOf(record.seconds); number <= partOf(record.seconds + storyReach); number += 1)
      this.#parts.get(number)?.compare(record, threshold + 1, (other) => {
        if (compareRecords(other, record) > 0) later.push(other)
      })
    return later
  }
}

class Part<Its extends StoryRecord> {
  readonly #start: number
  /** By place. */
  readonly #records: Its[] = []
  readonly places = new Map<Its, number>()
  readonly times = new Map<bigint, Its[]>()
  /** By start: places of records, ascending, each with the value there in its lowest bits. */
  readonly #postings = new Map<string, number[]>()
  /** By place: what is shared with the record that is being compared. */
  #shared = new Int32Array(1_024)
  /** The places where something is shared. */
  #touched = new Int32Array(1_024)

  constructor(number: number) {
    this.#start = number * partLength
  }

  add(record: Its): void {
    const place = this.#records.push(record) - 1
    this.places.set(record, place)
    const others = this.times.get(record.at)
    if (others === undefined) this.times.set(record.at, [record])
    else others.push(record)
    const { starts, values } = record.words
    for (const [index, start] of starts.entries()) {
      const posting = (place << valueBits) | (values[index] as number)
      const known = this.#postings.get(start)
      if (known === undefined) this.#postings.set(start, [posting])
      else known.push(posting)
    }
  }

  remove(record: Its): void {
    const place = this.places.get(record)
    if (place === undefined) return
    this.places.delete(record)
    this.times.set(
      record.at,
      (this.times.get(record.at) ?? []).filter((other) => other !== record),
    )
    for (const start of record.words.starts) {
      const postings = this.#postings.get(start) ?? []
      postings.splice(positionOf(postings, place), 1)
    }
  }

  /** Calls `found` with each other record whose similarity is `least` or more. */
  compare(record: Its, least: number, found: (other: Its, similarity: number) => void): void {
    const { words, seconds } = record
    // What the similarity would have to be without the time that lies between the record and this part.
    const outside = Math.max(this.#start - seconds, seconds - (this.#start + partLength - 1), 0)
    const bound = least * (1 + outside / storyReach) - rounding
    const { often, rest, count } = this.#share(words, bound)
    // The total of the other record is at least what it shares.
    const enough = (bound * (words.total + floor) - 20_000 * rest) / (20_000 - bound)
    for (let at = 0; at < count; at += 1) {
      const place = this.#touched[at] as number
      let shared = this.#shared[place] as number
      this.#shared[place] = 0
      if (shared < enough) continue
      const other = this.#records[place] as Its
      const between = Math.abs(seconds - other.seconds)
      if (between > storyReach || other === record) continue
      const totals = words.total + other.words.total + floor
      // The least distance in time that a record of this part can have gives the highest possible similarity.
      if (20_000 * (shared + rest) < bound * totals) continue
      for (const { postings, value } of often) shared += Math.min(value, valueAt(postings, place))
      const similarity = similarityOf(shared, totals, between)
      if (similarity >= least) found(other, similarity)
    }
  }

  /**
   * Adds up what each record shares, but for the most frequent starts, `often`. Their values, `rest` in all, are too low
   * for a record that shares only these to be similar enough. `rest` stays at half of that bound: a lower `rest` excludes
   * more records before the frequent starts are looked up.
   */
  #share({ starts, values, total }: StoryWords, least: number) {
    if (this.#shared.length < this.#records.length) {
      this.#shared = new Int32Array(2 * this.#records.length)
      this.#touched = new Int32Array(2 * this.#records.length)
    }
    const lists: Shared[] = []
    for (let index = 0; index < starts.length; index += 1) {
      const postings = this.#postings.get(starts[index] as string)
      if (postings !== undefined) lists.push({ postings, value: values[index] as number })
    }
    lists.sort((a, b) => a.postings.length - b.postings.length)
    const often: Shared[] = []
    let rest = 0
    const most = ((least / 2) * (total + floor)) / (20_000 - least)
    while (rest + (lists.at(-1)?.value ?? Infinity) <= most) {
      const list = lists.pop() as Shared
      often.push(list)
      rest += list.value
    }
    const [shared, touched] = [this.#shared, this.#touched]
    let count = 0
    for (const { postings, value } of lists)
      for (let at = 0; at < postings.length; at += 1) {
        const posting = postings[at] as number
        const place = posting >> valueBits
        const before = shared[place] as number
        if (before === 0) touched[count++] = place
        const other = posting & mostValue
        shared[place] = before + (other < value ? other : value)
      }
    return { often, rest, count }
  }
}

/** A start of the record that is being compared: who else has it, and its value there. */
interface Shared {
  readonly postings: readonly number[]
  readonly value: number
}

function partOf(seconds: number): number {
  return Math.floor(seconds / partLength)
}

/** Microseconds to whole seconds, rounded down. */
export function secondsOf(at: bigint): number {
  const micros = ((at % 1_000_000n) + 1_000_000n) % 1_000_000n
  return Number((at - micros) / 1_000_000n)
}

/** By time, then by URI. URIs are ASCII, so that code units compare as bytes. */
export function compareRecords(
  a: Pick<StoryRecord, 'at' | 'uri'>,
  b: Pick<StoryRecord, 'at' | 'uri'>,
): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1
  return a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0
}

/** The index of the first whose place is not less. */
function positionOf(postings: readonly number[], place: number): number {
  let [low, high] = [0, postings.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((postings[middle] as number) >> valueBits < place) low = middle + 1
    else high = middle
  }
  return low
}

/** The value of a start in a record; 0 without it. */
function valueAt(postings: readonly number[], place: number): number {
  const posting = postings[positionOf(postings, place)] ?? -1
  return posting >> valueBits === place ? posting & mostValue : 0
}

/** Ten-thousandths, rounded down: twice the shared values in all values, divided by 1 + seconds / 72 hours. */
function similarityOf(shared: number, totals: number, seconds: number): number {
  const top = 20_000 * shared * storyReach
  const bottom = totals * (storyReach + seconds)
  // Below these bounds, the quotient of numbers does not round up to an integer.
  return Number.isSafeInteger(top) && bottom < 2 ** 38
    ? Math.floor(top / bottom)
    : Number((BigInt(20_000 * storyReach) * BigInt(shared)) / (BigInt(totals) * BigInt(storyReach + seconds)))
}
