/** Characters that break a line, control a terminal, or reverse the direction of text. */
const controls = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/**
 * Makes foreign text safe to show, store and log: on one line, without control characters and lone surrogates, and of
 * bounded length.
 */
export function cleanText(text: string, longest = 500): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text
  return cut.toWellFormed().replaceAll(controls, '\uFFFD')
}
