/** What starts another line, drives a terminal, or turns the order of what follows. */
const controls = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/**
 * Text from elsewhere, fit to be shown, stored and logged: on one line, without control characters and halves of
 * surrogate pairs, and not too long.
 */
export function cleanText(text: string, longest = 500): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text
  return cut.toWellFormed().replaceAll(controls, '\uFFFD')
}
