/**
 * The first records of recent stories, in order, and which of them a later record tells of. An index from starts to
 * first records finds the candidates.
 */
import type { StoryWords } from './story-words.ts'

/** Seconds after its first record during which records may join a story. */
export const storyReach = 259_200
/** Ten-thousandths that the similarity must exceed. */
const threshold = 1_800
/** Added to the sum of all values, so that few common words prove little. */
const floor = 240

/** First records that have passed, above which they are removed. */
const mostPassed = 5_000

interface FirstRecord<Its> {
  readonly its: Its
  /** Seconds. */
  readonly at: number
  readonly total: number
}

export class StoryWindow<Its> {
  readonly #firsts: FirstRecord<Its>[] = []
  /** Position of the oldest that may be joined. */
  #oldest = 0
  /** By start: positions of first records in `#firsts`, ascending, each followed by the value there. */
  readonly #postings = new Map<string, number[]>()
  /** By position: what is shared with the record that is being compared. */
  #shared = new Float64Array(1_024)

  /** Call it in order. `seconds`: the whole seconds of its time. */
  add(its: Its, seconds: number, { starts, values, total }: StoryWords): void {
    if (this.#oldest > mostPassed && this.#oldest > this.#firsts.length / 2) this.#forgetPassed()
    const position = this.#firsts.push({ its, at: seconds, total }) - 1
    for (const [index, start] of starts.entries()) {
      const value = values[index] as number
      const known = this.#postings.get(start)
      if (known === undefined) this.#postings.set(start, [position, value])
      else known.push(position, value)
    }
  }

  /** The first record of the story that a record joins; null if it begins one. Call it in order. */
  find(seconds: number, words: StoryWords): Its | null {
    const { often, rest, touched } = this.#share(seconds, words)
    let best: number | null = null
    let most = threshold
    for (const position of touched) {
      let shared = this.#shared[position] as number
      this.#shared[position] = 0
      // The total of the first record is at least what it shares.
      if (20_000 * (shared + rest) < most * (words.total + shared + floor)) continue
      const { at, total } = this.#firsts[position] as FirstRecord<Its>
      const totals = words.total + total + floor
      // The similarity of records of the same second is not less than that of any other.
      if (20_000 * (shared + rest) < most * totals) continue
      for (const { postings, value } of often) shared += Math.min(value, valueAt(postings, position))
      const similarity = similarityOf(shared, totals, seconds - at)
      if (similarity < most || similarity === threshold) continue
      if (similarity === most && best !== null && best < position) continue
      best = position
      most = similarity
    }
    return best === null ? null : (this.#firsts[best] as FirstRecord<Its>).its
  }

  /** Removes first records that no later record can join. */
  #forgetPassed(): void {
    const passed = this.#oldest
    this.#firsts.splice(0, passed)
    this.#oldest = 0
    for (const [start, postings] of this.#postings) {
      const kept: number[] = []
      for (let at = 0; at < postings.length; at += 2)
        if ((postings[at] as number) >= passed)
          kept.push((postings[at] as number) - passed, postings[at + 1] as number)
      if (kept.length > 0) this.#postings.set(start, kept)
      else this.#postings.delete(start)
    }
  }

  /**
   * Adds up what each recent first record shares, but for the most frequent starts, `often`. Their values, `rest` in all,
   * are too low for a record that shares only these to be similar enough. `rest` stays at half of that bound: a lower
   * `rest` excludes more records before the frequent starts are looked up.
   */
  #share(seconds: number, { starts, values, total }: StoryWords) {
    if (this.#shared.length < this.#firsts.length) this.#shared = new Float64Array(2 * this.#firsts.length)
    while (seconds - (this.#firsts[this.#oldest]?.at ?? seconds) > storyReach) this.#oldest += 1
    const lists: Shared[] = []
    for (const [index, start] of starts.entries()) {
      const postings = this.#postings.get(start)
      if (postings !== undefined) lists.push({ postings, value: values[index] as number })
    }
    lists.sort((a, b) => a.postings.length - b.postings.length)
    const often: Shared[] = []
    let rest = 0
    while (
      (rest + (lists.at(-1)?.value ?? Infinity)) * (20_000 - threshold) <=
      (threshold / 2) * (total + floor)
    ) {
      const list = lists.pop() as Shared
      often.push(list)
      rest += list.value
    }
    const touched: number[] = []
    for (const { postings, value } of lists)
      for (let at = postings.length - 2; at >= 0; at -= 2) {
        const position = postings[at] as number
        if (position < this.#oldest) break
        const before = this.#shared[position] as number
        if (before === 0) touched.push(position)
        this.#shared[position] = before + Math.min(value, postings[at + 1] as number)
      }
    return { often, rest, touched }
  }
}

/** A start of the record that is being compared: who else has it, and its value there. */
interface Shared {
  readonly postings: readonly number[]
  readonly value: number
}

/** The value of a start in a first record; 0 without it. */
function valueAt(postings: readonly number[], position: number): number {
  let [low, high] = [0, postings.length / 2]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((postings[2 * middle] as number) < position) low = middle + 1
    else high = middle
  }
  return postings[2 * low] === position ? (postings[2 * low + 1] as number) : 0
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
