/** Answers that are given again while nothing was written. It knows neither questions nor databases. */
import { LRUCache } from 'lru-cache'

interface Kept {
  readonly body: Uint8Array
  /** Of the data that the answer was read from. */
  readonly version: number
}

/** What an entry takes beside its characters and bytes. */
const overhead = 200

export class AnswerCache {
  readonly #kept: LRUCache<string, Kept> | null

  /** `bytes`: about how much memory they may take; 0 keeps none. */
  constructor(bytes: number) {
    this.#kept =
      bytes === 0
        ? null
        : new LRUCache({
            maxSize: bytes,
            sizeCalculation: ({ body }, key) => body.length + 2 * key.length + overhead,
          })
  }

  get keepsAny(): boolean {
    return this.#kept !== null
  }

  /** Of some version. */
  has(key: string): boolean {
    return this.#kept?.has(key) === true
  }

  /** The answer of that version; an older one is forgotten. */
  find(key: string, version: number | null): Uint8Array | null {
    const kept = this.#kept?.get(key)
    if (kept === undefined) return null
    if (kept.version === version) return kept.body
    this.#kept?.delete(key)
    return null
  }

  keep(key: string, version: number, body: Uint8Array): void {
    this.#kept?.set(key, { body, version })
  }
}
