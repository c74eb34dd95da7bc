/**
 * Invisible characters: control characters except line feeds and tabs, bidirectional controls, and characters that
 * Unicode lets programs ignore. All of them can hide or reorder text, so that a model would read what a person cannot
 * see. Answers have them as escapes of JSON, which change no text; messages of errors, which are not JSON, lose them.
 */

const joining =
  'Arabic Syriac Mongolian Nko Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan'
const letter = `[${joining
  .split(' ')
  .map((script) => `\\p{scx=${script}}`)
  .join('')}]`
const emoji = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}]`
/** Joiners inside words of scripts that need them, and joiners and selectors of emoji. */
const needed = [
  String.raw`(?<=${letter})[\u200c\u200d](?=${letter})`,
  String.raw`(?<=${emoji}\ufe0f?)\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Emoji})\ufe0f`,
].join('|')
const unseen = String.raw`[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2028\u2029\ufff9-\ufffb]`
const removed = new RegExp(`(${needed}|[\\n\\t])|${unseen}`, 'gu')
const suspicious = new RegExp(`${unseen}|\\p{Cs}`, 'u')

/** Returns the same string if it has no invisible characters. */
export function plainText(text: string): string {
  if (!suspicious.test(text)) return text
  const lines = text.toWellFormed().replaceAll(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
  return lines.replaceAll(removed, (_, visible?: string) => visible ?? '')
}

/** The answer as JSON with invisible characters as `\uXXXX`: parsed, it has the same texts. */
export function answerText(answer: unknown): string {
  const text = JSON.stringify(answer) ?? ''
  if (!suspicious.test(text)) return text
  return text.replaceAll(removed, (given, visible?: string) => visible ?? escapesOf(given))
}

function escapesOf(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')
}

/** The text, or its beginning and an ellipsis; `longest`: characters, of which an escaped one has six. */
export function cutText(text: string, longest: number): string {
  const kept = suspicious.test(text) ? writtenWithin(text, longest) : text.length
  if (kept === text.length && kept <= longest) return text
  const cut = text.slice(0, Math.max(Math.min(kept, longest) - 1, 0))
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}

/** How many leading characters take at most so many with escapes. */
function writtenWithin(text: string, longest: number): number {
  let added = 0
  for (const { 0: given, 1: visible, index } of text.matchAll(removed)) {
    if (index + added >= longest) break
    if (visible === undefined) added += 5 * given.length
    if (index + given.length + added > longest) return index
  }
  return text.length + added > longest ? Math.max(longest - added, 0) : text.length
}

/** The text without invisible characters, or its beginning. */
export function cutPlain(text: string, longest: number): string {
  return cutText(plainText(text), longest)
}

/** A text of a record in a sentence: one line between quotation marks, with control characters as escapes. */
export function quoted(text: string, longest: number): string {
  return answerText(cutText(text, longest))
}

/** The message of an error for callers; messages quote texts of callers and of services. */
export function plainMessage({ message }: Error): string {
  return cutPlain(message, 1_500)
}
