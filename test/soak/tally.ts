/** What was asked, by kind and outcome, and everything that should not have been. */

/** Problems that are kept in full; the rest are counted. */
const mostProblems = 50

export class Tally {
  readonly #kinds = new Map<string, Record<string, number>>()
  readonly problems: string[] = []
  problemCount = 0

  count(kind: string, outcome: string): void {
    const outcomes = this.#kinds.get(kind) ?? {}
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    this.#kinds.set(kind, outcomes)
  }

  problem(text: string): void {
    this.problemCount += 1
    if (this.problems.length < mostProblems) this.problems.push(text.slice(0, 6_000))
  }

  of(kind: string, outcome: string): number {
    return this.#kinds.get(kind)?.[outcome] ?? 0
  }

  kinds(): ReadonlyMap<string, Readonly<Record<string, number>>> {
    return this.#kinds
  }

  total(): number {
    const all = [...this.#kinds.values()].flatMap((outcomes) => Object.values(outcomes))
    return all.reduce((sum, count) => sum + count, 0)
  }
}
