/** Bounds memory, and frees it. */

/** Bounds an LRUCache by its number of entries. Its option `max` would allocate memory for all of them at once. */
export function atMost(entries: number): {
  readonly maxSize: number
  readonly sizeCalculation: () => number
} {
  return { maxSize: entries, sizeCalculation: () => 1 }
}

/** Frees a buffer at once, not after hundreds of requests. The caller owns the whole buffer; no read is pending. */
export function releaseBuffer({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
