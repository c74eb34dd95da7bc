/**
 * The folding that `contains`, `startsWith`, words and their indexes share. It removes case, accents, optional marks and
 * invisible characters, writes letters and signs as people type them, and preserves the marks that distinguish words in
 * Japanese, Hindi, Thai and other scripts.
 */
import { letters, spacingAccents } from './letters.ts'

export function foldText(text: string): string {
  if (!notAscii.test(text)) return text.toLowerCase().replaceAll('`', "'")
  return replaceLetters(text.replaceAll(anyAccent, "'").normalize('NFKD').toLowerCase()).normalize('NFC')
}

/** What folding writes for a character that is decomposed and in lower case. */
export function foldedLetter(letter: string): string {
  return letters.get(letter) ?? (isDropped.test(letter) ? '' : isDash.test(letter) ? '-' : letter)
}

const notAscii = /\P{ASCII}/u
const anyAccent = new RegExp(`[${spacingAccents}]`, 'g')
const isDash = /\p{Dash}/u

/**
 * Accents and other marks of no script of their own (`Inherited`), but the voicing of Japanese; the vowels and signs
 * that Arabic, Hebrew, Syriac and Cyrillic seldom write, with the stroke that lengthens Arabic words; invisible
 * characters.
 */
const isDropped =
  /[[\p{Script=Inherited}--[\u3099\u309a]][\p{M}&&[\p{Script=Arabic}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Syriac}]]\u0640\p{Default_Ignorable_Code_Point}]/v

/** Reads a table: patterns with so many ranges take ten times as long. */
function replaceLetters(text: string): string {
  kinds ??= findKinds()
  let [folded, from] = ['', 0]
  for (let at = 0; at < text.length; at += 1) {
    const kind = kinds[text.charCodeAt(at)]
    if (kind === unchanged) continue
    const letter = String.fromCodePoint(text.codePointAt(at) as number)
    folded += text.slice(from, at)
    if (kind !== dropped) folded += foldedLetter(letter)
    at += letter.length - 1
    from = at + 1
  }
  return from === 0 ? text : folded + text.slice(from)
}

/** By UTF-16 unit; computed once, for the first text that needs it. */
let kinds: Uint8Array | undefined
const [unchanged, dropped, other] = [0, 1, 2]

function findKinds(): Uint8Array {
  const units = new Uint16Array(0x10000).map((_, unit) => unit)
  const found = new Uint8Array(units.length).fill(other, 0xd800, 0xe000)
  const text = new TextDecoder('utf-16le', { ignoreBOM: true }).decode(units)
  const special = new RegExp(`${isDropped.source}|[${[...letters.keys()].join('')}[\\p{Dash}--\\-]]`, 'gv')
  for (const { 0: letter, index } of text.matchAll(special))
    found[index] = foldedLetter(letter) === '' ? dropped : other
  return found
}
