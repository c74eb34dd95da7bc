/**
 * Text out of records, without characters that show nothing: what a person would not see must not reach a model.
 * Removed are control characters but for line feeds and tabs, bidirectional controls, and all that Unicode lets
 * programs ignore, with which text can be hidden or given another order.
 */

const joining =
  'Arabic Syriac Mongolian Nko Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan'
const letter = `[${joining
  .split(' ')
  .map((script) => `\\p{scx=${script}}`)
  .join('')}]`
const emoji = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}]`
/** Joiners inside words of scripts that are written with them, and what puts emoji together. */
const needed = [
  String.raw`(?<=${letter})[\u200c\u200d](?=${letter})`,
  String.raw`(?<=${emoji}\ufe0f?)\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Emoji})\ufe0f`,
].join('|')
const unseen = String.raw`[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2028\u2029\ufff9-\ufffb]`
const removed = new RegExp(`(${needed}|[\\n\\t])|${unseen}`, 'gu')
const suspicious = new RegExp(`${unseen}|\\p{Cs}`, 'u')

/** The same text when there is nothing in it that is not seen. */
export function plainText(text: string): string {
  if (!suspicious.test(text)) return text
  const lines = text.toWellFormed().replaceAll(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
  return lines.replaceAll(removed, (_, kept?: string) => kept ?? '')
}

/** JSON with every text in it made plain, names too. */
export function plainValue(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value)
  if (Array.isArray(value)) return value.map(plainValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inside]) => [plainText(name), plainValue(inside)]),
  )
}
