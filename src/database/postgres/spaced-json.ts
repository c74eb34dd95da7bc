/**
 * Removes the spaces that PostgreSQL writes into the text of `jsonb`, so that answers have the bytes of other engines. A
 * statement returns such a text between two marks, which JSON texts never contain: other parts of an answer are not read.
 */

/** U+0003. */
export const spacedMark = 0x03

const [space, quote, backslash] = [0x20, 0x22, 0x5c]

/** The same memory, which is overwritten. */
export function withoutSpaces(body: Buffer): Buffer {
  const first = body.indexOf(spacedMark)
  if (first === -1) return body
  let to = first
  for (let at = first; at !== -1; ) {
    let isText = false
    for (at += 1; at < body.length && body[at] !== spacedMark; at++) {
      const byte = body[at] as number
      if (byte === space && !isText) continue
      body[to++] = byte
      if (isText && byte === backslash) body[to++] = body[++at] as number
      else if (byte === quote) isText = !isText
    }
    const next = body.indexOf(spacedMark, at + 1)
    const end = next === -1 ? body.length : next
    body.copyWithin(to, at + 1, end)
    to += end - at - 1
    at = next
  }
  return body.subarray(0, to)
}
