/**
 * Removes invisible characters from texts of records: text that a person cannot see must not reach a model. It removes
 * control characters except line feeds and tabs, bidirectional controls, and characters that Unicode lets programs
 * ignore; all of them can hide or reorder text.
 */
import { cutText, mapTexts } from './budget.ts'

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

/** The text without invisible characters, or its beginning. */
export function cutPlain(text: string, longest: number): string {
  return cutText(plainText(text), longest)
}

/** The message of an error for callers; messages quote texts of callers and of services. */
export function plainMessage({ message }: Error): string {
  return cutPlain(message, 1_500)
}

/** Applies `plainText` to every string in a JSON value, including member names. */
export function plainValue(value: unknown): unknown {
  return mapTexts(value, plainText)
}
