/** Texts of messages. */

/** Characters that break a line, control a terminal, or reverse the direction of text. */
const controls = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/** Makes foreign text safe to show, store and log: one bounded line without control characters and lone surrogates. */
export function cleanText(text: string, longest = 500): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text
  return cut.toWellFormed().replaceAll(controls, '\uFFFD')
}

const longestWord = 100
const longestMessage = 600

/**
 * Shortens a message that quotes a caller's text: the caller knows the text and finds it by its beginning. Cuts the
 * middle out of long words, then out of the message if it is still too long.
 */
export function shorten(message: string): string {
  if (message.length <= longestWord) return message
  const text = message.replaceAll(longWord, (word) => `${word.slice(0, 60)}…${word.slice(-20)}`)
  return text.length <= longestMessage ? text : `${text.slice(0, 150)} … ${text.slice(-150)}`
}

/** Characters at each end of a message that `withoutMiddle` leaves. */
const longestEnd = 2_000

/** A message that quotes a long value, short enough to be searched often; `shorten` would cut out more of it. */
export function withoutMiddle(message: string): string {
  const from = message.indexOf(' ', longestEnd)
  const to = message.lastIndexOf(' ', message.length - longestEnd)
  return from === -1 || to <= from ? message : message.slice(0, from) + message.slice(to)
}

const longWord = new RegExp(`[^\\s,]{${longestWord + 1},}`, 'g')

/** A message as the end of a sentence: some have a full stop of their own. */
export function asSentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`
}

/** The message of an error's innermost cause, as part of a sentence. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return reasonOf(error.cause)
  // Of several failed attempts to connect.
  return error.message || String((error as NodeJS.ErrnoException).code)
}
