/**
 * Samples of the primary's log position over time: the lag of a replica follows from the position that it has replayed.
 * This needs no writes, and does not compare the clocks of servers.
 */

/** Parses a position in the write-ahead log (LSN), such as `16/B374D848`. */
export function parsePosition(text: string): bigint {
  const [high = '', low = ''] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

const page = 8192n
/** Few log records are longer. */
const longestRecord = 4n * page

interface Sample {
  /** Milliseconds of this process's clock, before the primary was asked: `position` covers all earlier commits. */
  readonly at: number
  readonly position: bigint
}

export class Positions {
  readonly #span: number
  #samples: Sample[] = []
  /** Positions of different histories cannot be compared. */
  #history = ''

  /** `span`: the longest lag, in milliseconds, that must be measurable. */
  constructor(span: number) {
    this.#span = span
  }

  add(history: string, at: number, written: bigint): void {
    // With asynchronous commits the server writes whole pages, and the last page may end within a record. No replica
    // can replay that record until its rest comes, which may take a quarter of a minute.
    const position = written % page === 0n ? written - longestRecord : written
    if (history !== this.#history) this.#samples = []
    this.#history = history
    // The oldest sample retained is older than the span: a replica that has not replayed it exceeds the limit.
    const oldest = this.#samples.findLastIndex((sample) => sample.at < at - this.#span)
    if (oldest > 0) this.#samples.splice(0, oldest)
    this.#samples.push({ at, position })
  }

  /**
   * Age of the oldest sample that is not replayed yet, relative to the newest sample: while the primary is away, the
   * lag of a replica does not grow. Infinite if unknown, because not even the first sample is replayed.
   */
  lag(replayed: bigint): number {
    const [first] = this.#samples
    const newest = this.#samples.at(-1)
    if (first === undefined || newest === undefined || replayed < first.position)
      return Number.POSITIVE_INFINITY
    const missing = this.#samples.find(({ position }) => position > replayed)
    return missing === undefined ? 0 : newest.at - missing.at
  }

  /** Milliseconds between the first sample and the last. */
  get known(): number {
    return (this.#samples.at(-1)?.at ?? 0) - (this.#samples[0]?.at ?? 0)
  }
}
