/** Bounds an LRUCache by its number of entries. Its option `max` would allocate memory for all of them at once. */
export function atMost(entries: number): {
  readonly maxSize: number
  readonly sizeCalculation: () => number
} {
  return { maxSize: entries, sizeCalculation: () => 1 }
}
