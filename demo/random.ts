/** A small seeded generator (mulberry32), so that the corpus is the same on every machine and run. */
export interface Random {
  /** From 0 up to, but without, 1. */
  fraction(): number
  /** Both ends included. */
  integer(lowest: number, highest: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  /** Different elements, at most `count`, in the list's order. */
  sample<T>(list: readonly T[], count: number): T[]
}

export function createRandom(seed: number): Random {
  let state = seed
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const integer = (lowest: number, highest: number) =>
    lowest + Math.floor(fraction() * (highest - lowest + 1))
  return {
    fraction,
    integer,
    chance: (probability) => fraction() < probability,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error('Nothing to pick from an empty list.')
      return list[integer(0, list.length - 1)] as T
    },
    sample<T>(list: readonly T[], count: number): T[] {
      let wanted = Math.min(count, list.length)
      return list.filter((_, index) => {
        const taken = fraction() * (list.length - index) < wanted
        if (taken) wanted -= 1
        return taken
      })
    },
  }
}
