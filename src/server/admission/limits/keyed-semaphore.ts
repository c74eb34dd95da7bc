/** Counts what each key holds of something limited; nobody waits. Keys that hold nothing take no memory. */
export class KeyedSemaphore {
  readonly #held = new Map<string, number>()

  /** False if the key would then hold more than `limit`. */
  acquire(key: string, limit: number, amount = 1): boolean {
    const held = this.held(key) + amount
    if (held > limit) return false
    this.#held.set(key, held)
    return true
  }

  release(key: string, amount = 1): void {
    const held = this.held(key) - amount
    if (held > 0) this.#held.set(key, held)
    else this.#held.delete(key)
  }

  held(key: string): number {
    return this.#held.get(key) ?? 0
  }

  /** Releases everything; returns what was held. */
  releaseAll(): ReadonlyMap<string, number> {
    const held = new Map(this.#held)
    this.#held.clear()
    return held
  }
}
