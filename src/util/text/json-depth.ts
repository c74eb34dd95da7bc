/**
 * The deepest nesting of brackets outside strings. It does not recurse, so it can check a text before recursive code
 * reads it; the text need not be valid JSON.
 */
export function jsonDepth(text: string): number {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = endOfString(text, at + 1)
    } else if (code === openBrace || code === openBracket) {
      depth++
      if (depth > deepest) deepest = depth
    } else if (code === closeBrace || code === closeBracket) {
      if (depth > 0) depth--
    }
  }
  return deepest
}

const quote = 0x22
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
