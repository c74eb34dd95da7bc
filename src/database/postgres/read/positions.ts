/**
 * Where the primary's log was at which moment: how far a replica is behind follows from what it has replayed.
 * Nothing is written to find out, and clocks of servers are not compared.
 */

/** A place in the log that PostgreSQL writes ahead: `16/B374D848` as a number. */
export function parsePosition(text: string): bigint {
  const [high = '', low = ''] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

const page = 8192n
/** Records seldom reach over more. */
const longestRecord = 4n * page

interface Sample {
  /** Milliseconds of our own clock, taken before the primary was asked: it holds all that was committed before. */
  readonly at: number
  readonly position: bigint
}

export class Positions {
  readonly #span: number
  #samples: Sample[] = []
  /** Positions of different histories cannot be compared. */
  #history = ''

  /** `span`: the milliseconds up to which a lag has to be told. */
  constructor(span: number) {
    this.#span = span
  }

  add(history: string, at: number, written: bigint): void {
    // Where nobody waits for a commit whole pages are written, and the last may end within a record. Until its rest
    // comes, perhaps not for a quarter of a minute, no replica can replay it, however near it is.
    const position = written % page === 0n ? written - longestRecord : written
    if (history !== this.#history) this.#samples = []
    this.#history = history
    // The oldest one kept is older than the span: who has not replayed that one is over the bound in any case.
    const oldest = this.#samples.findLastIndex((sample) => sample.at < at - this.#span)
    if (oldest > 0) this.#samples.splice(0, oldest)
    this.#samples.push({ at, position })
  }

  /**
   * The age of the oldest sample that is not replayed yet, as of the newest sample: while the primary is away nothing
   * new is known, and a replica does not grow older by it. Infinite when it is unknown, because not even the first
   * sample is replayed.
   */
  lag(replayed: bigint): number {
    const [first] = this.#samples
    const newest = this.#samples.at(-1)
    if (first === undefined || newest === undefined || replayed < first.position)
      return Number.POSITIVE_INFINITY
    const missing = this.#samples.find(({ position }) => position > replayed)
    return missing === undefined ? 0 : newest.at - missing.at
  }

  /** Milliseconds over which samples were taken. */
  get known(): number {
    return (this.#samples.at(-1)?.at ?? 0) - (this.#samples[0]?.at ?? 0)
  }
}
