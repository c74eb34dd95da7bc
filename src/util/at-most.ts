/** How an LRUCache is bounded by entries alone: told `max`, it makes room for all of them before there is one. */
export function atMost(entries: number): {
  readonly maxSize: number
  readonly sizeCalculation: () => number
} {
  return { maxSize: entries, sizeCalculation: () => 1 }
}
