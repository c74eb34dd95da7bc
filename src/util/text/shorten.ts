/** Messages quote what a caller wrote, who knows it already: the beginning is enough to find it by. */

const longestWord = 100
const longestMessage = 600

/** The same text when it is of ordinary length; else without the middle of what is too long. */
export function shorten(message: string): string {
  if (message.length <= longestWord) return message
  const text = message.replaceAll(longWord, (word) => `${word.slice(0, 60)}…${word.slice(-20)}`)
  return text.length <= longestMessage ? text : `${text.slice(0, 150)} … ${text.slice(-150)}`
}

const longWord = new RegExp(`[^\\s,]{${longestWord + 1},}`, 'g')
