/** Caches answers until something is written. It must not know requests or databases. */
import { LRUCache } from 'lru-cache'

interface Kept {
  readonly body: Uint8Array
  /** Version of the data from which the answer was read. */
  readonly version: number
}

/** Bytes of an entry besides its characters and body. */
const overhead = 200

export class AnswerCache {
  readonly #kept: LRUCache<string, Kept> | null

  /** `bytes`: approximate maximum of memory; 0 disables the cache. */
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

  /** Whether there is an answer of any version. */
  has(key: string): boolean {
    return this.#kept?.has(key) === true
  }

  /** The answer of this version; evicts an answer of another version. */
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
