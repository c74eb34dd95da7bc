/** What was asked, by kind and outcome, how long the slowest took, and everything that should not have been. */

export interface Counted {
  readonly outcomes: Readonly<Record<string, number>>
  /** Milliseconds. */
  readonly worst: number
}

/** Problems that are kept in full; the rest are counted. */
const mostProblems = 50

export class Tally {
  readonly #kinds = new Map<string, { outcomes: Record<string, number>; worst: number }>()
  readonly problems: string[] = []
  problemCount = 0

  count(kind: string, outcome: string, milliseconds = 0): void {
    const known = this.#kinds.get(kind) ?? { outcomes: {}, worst: 0 }
    known.outcomes[outcome] = (known.outcomes[outcome] ?? 0) + 1
    known.worst = Math.max(known.worst, milliseconds)
    this.#kinds.set(kind, known)
  }

  problem(text: string): void {
    this.problemCount += 1
    if (this.problems.length < mostProblems) this.problems.push(text.slice(0, 6_000))
  }

  of(kind: string, outcome: string): number {
    return this.#kinds.get(kind)?.outcomes[outcome] ?? 0
  }

  kinds(): ReadonlyMap<string, Counted> {
    return this.#kinds
  }

  total(): number {
    const all = [...this.#kinds.values()].flatMap(({ outcomes }) => Object.values(outcomes))
    return all.reduce((sum, count) => sum + count, 0)
  }
}
