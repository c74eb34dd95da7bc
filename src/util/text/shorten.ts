/** Shortens messages that quote a caller's text: the caller knows the text and finds it by its beginning. */

const longestWord = 100
const longestMessage = 600

/** Cuts the middle out of long words, then out of the message if it is still too long. */
export function shorten(message: string): string {
  if (message.length <= longestWord) return message
  const text = message.replaceAll(longWord, (word) => `${word.slice(0, 60)}…${word.slice(-20)}`)
  return text.length <= longestMessage ? text : `${text.slice(0, 150)} … ${text.slice(-150)}`
}

const longWord = new RegExp(`[^\\s,]{${longestWord + 1},}`, 'g')
