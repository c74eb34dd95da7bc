export interface JsonSize {
  /** The deepest nesting of brackets outside strings. */
  readonly depth: number
  /** Names, elements and opening brackets; 0 to 1 fewer in each list and object. */
  readonly parts: number
}

/** Measures any text, without recursion, before code reads it that recurses, or takes long for many values. */
export function measureJson(text: string): JsonSize {
  let depth = 0
  let deepest = 0
  let parts = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = endOfString(text, at + 1)
    } else if (code === openBrace || code === openBracket) {
      depth++
      parts++
      if (depth > deepest) deepest = depth
    } else if (code === closeBrace || code === closeBracket) {
      if (depth > 0) depth--
    } else if (code === comma || code === colon) parts++
  }
  return { depth: deepest, parts }
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** The position of the closing quote of the string that begins at `at`, or the end of the text. */
function endOfString(text: string, at: number): number {
  for (let end = text.indexOf('"', at); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}
