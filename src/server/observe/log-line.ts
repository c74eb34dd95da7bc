/**
 * Limits the length of log lines: workers share one pipe, which writes only a limited number of bytes atomically.
 * The limits of a line's members add up to less than that.
 */

/** Truncates the text so that its JSON takes at most this many bytes. */
export function cutTo(bytes: number, text: string): string {
  let cut = text.slice(0, bytes)
  while (Buffer.byteLength(JSON.stringify(cut)) > bytes) cut = cut.slice(0, Math.floor(cut.length * 0.9))
  return cut.length === text.length ? text : `${cut}…`
}

/** The leading texts that fit together. */
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
