/** Texts of records as labels in a drawing. */

/** Control characters, among them those that change the direction of what follows, and what XML cannot have. */
const removed = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFFFE\uFFFF]/gu

export function plainText(text: string): string {
  return text.toWellFormed().replaceAll(/\s+/g, ' ').replaceAll(removed, '')
}

/** At most so many columns wide; the text has its own direction, which does not reach what is around it. */
export function labelText(text: string, most: number): string {
  const plain = plainText(text)
  const short = columnsOf(plain) > most ? `${cut(plain, most - 1)}…` : plain
  return short === '' ? '' : `\u2068${short}\u2069`
}

function cut(text: string, most: number): string {
  let columns = 0
  let kept = ''
  for (const character of text) {
    columns += widthOf(character)
    if (columns > most) break
    kept += character
  }
  return kept.trimEnd()
}

/** The width of a text, in average letters of the Latin script. */
export function columnsOf(text: string): number {
  let columns = 0
  for (const character of text) columns += widthOf(character)
  return columns
}

/** Characters of East Asian scripts are as wide as two letters; marks above and below letters have no width. */
function widthOf(character: string): number {
  const code = character.codePointAt(0) ?? 0
  if (code >= 0x1100 && (code <= 0x115f || (code >= 0x2e80 && code < 0xfb00) || code > 0xff00)) return 1.8
  return code > 0x2ff && /\p{Mn}/u.test(character) ? 0 : 1
}
