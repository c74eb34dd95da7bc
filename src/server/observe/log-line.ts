/**
 * Lines of the log that stay whole: workers share one pipe, in which only so many bytes of one writer stay together.
 * How much of a line each of its members may take adds up to less than that.
 */

/** The text, cut off at the end so that as JSON it takes no more than so many bytes. */
export function cutTo(bytes: number, text: string): string {
  let cut = text.slice(0, bytes)
  while (Buffer.byteLength(JSON.stringify(cut)) > bytes) cut = cut.slice(0, Math.floor(cut.length * 0.9))
  return cut.length === text.length ? text : `${cut}…`
}

/** The texts from the first on, as many as fit. */
export function cutListTo(bytes: number, texts: readonly string[]): readonly string[] {
  const kept: string[] = []
  let left = bytes
  for (const text of texts) {
    left -= Buffer.byteLength(JSON.stringify(text)) + 1
    if (left < 0) return [...kept, '…']
    kept.push(text)
  }
  return kept
}
