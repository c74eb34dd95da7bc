/**
 * The words of a text. Both engines index these words, and searches are compared with them; docs/search.md states the
 * rules. Invisible characters do not count; letters and digits, with the marks behind them, form words; everything else
 * separates them.
 */
import { foldText } from '../util/text/fold.ts'
import { placesOfVisible, withoutInvisible } from '../util/text/visible.ts'

/** A word in its indexed form, and the part of the text that it comes from, in UTF-16 units. */
export interface Word {
  readonly word: string
  readonly start: number
  readonly end: number
}

/** Differs when the same text may yield other words; indexes of another version are built again. */
export const wordsVersion = `3 ICU ${process.versions.icu}`

/** Maximum number of characters of a word; the rest of a longer word is ignored. */
export const longestWord = 100

/**
 * Words that begin with a letter or digit, of the given characters. A point or comma between two digits belongs to a
 * number. A `signLetter` with its signs is a word of its own; a run of letters of another script ends before it.
 */
function wordsIn(characters: string): string {
  return `${signLetter}${wordSigns}|(?!\\p{M})${characters}+(?:(?<=\\p{Nd})[.,](?=\\p{Nd})${characters}+)*(?:(?!${wordSigns})|(?<!${signLetter}))`
}

const wordSigns = '(?:[+\\uff0b]{2}|[#\\uff03])'
/** Without letters that fold to apostrophes or quotation marks, which separate words. */
const letters = '[[\\p{L}\\p{M}\\p{N}]--[ʹʺʻʼʽˈ]]'
const latin = `[[\\p{scx=Latin}\\p{scx=Common}]&&[${letters}--[\\p{M}\\p{No}]]]`
/** A letter from A to Z before `++` or `#`, with no Latin letter next to it, no digit 0 to 9, and none that folds to one. */
const signLetter = `[A-Za-z\\uff21-\\uff3a\\uff41-\\uff5a](?=${wordSigns}(?!${latin}))(?<!${latin}\\p{M}*.)`
const runs = new RegExp(wordsIn(letters), 'gv')

/** Of scripts that are written without spaces, except accents and the letter apostrophe, which others use too. */
const unspaced =
  '[[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Khmer}\\p{scx=Lao}\\p{scx=Myanmar}]--[\\u0300-\\u036f\\u02bc]]'
const isUnspaced = new RegExp(unspaced, 'v')
/** Words of scripts with spaces, and whole runs of those without. */
const mixedRuns = new RegExp(
  `(?!\\p{M})(?<unspaced>[${letters}&&${unspaced}]+)|${wordsIn(`[${letters}--${unspaced}]`)}`,
  'gv',
)

const ascii = /^[a-z0-9]+$/
const notAscii = /[^\0-\x7f]/

/** In the order of the text. */
export function wordsOf(text: string): Word[] {
  if (!notAscii.test(text)) return asciiWords(text)
  const visible = withoutInvisible(text)
  const words = anyWords(visible)
  if (visible === text) return words
  const places = placesOfVisible(text)
  return words.map(({ word, start, end }) => ({
    word,
    start: places[start] as number,
    end: (places[end - 1] as number) + 1,
  }))
}

/**
 * Letters of Latin, Greek, Cyrillic, Arabic and Korean that fold to letters, and signs that fold to signs, each by itself:
 * a text of them and ASCII may be folded as a whole, without a look at each word.
 */
const usual =
  '\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u013e\\u0141-\\u0148\\u014a-\\u017e\\u01a0\\u01a1\\u01af\\u01b0\\u0218-\\u021b' +
  '\\u0386\\u0388-\\u038a\\u038c\\u038e-\\u03a1\\u03a3-\\u03ce\\u0400-\\u045f\\u0490\\u0491\\u0621-\\u063a\\u0641-\\u064a' +
  '\\u1ea0-\\u1ef9\\uac00-\\ud7a3'
const signs =
  '\\u00a0-\\u00a9\\u00ab\\u00ac\\u00ae-\\u00b1\\u00b4\\u00b6-\\u00b8\\u00bb\\u00bf\\u00d7\\u00f7\\u2010-\\u2023\\u2025-\\u2027\\u2030-\\u203a\\u20ac'
/** Also an accented letter before `++` or `#`, which without its accent would be a word such as `c#`. */
const unusual = new RegExp(`[^\\0-\\x7f${usual}${signs}]|[^\\0-\\x7f](?:\\+\\+|#)`)
const plain = `a-z0-9${usual}`
const foldedSignLetter = '[a-z](?=(?:\\+\\+|#)(?![a-z0-9]))(?<![a-z0-9].)'
const plainRuns = new RegExp(
  `${foldedSignLetter}(?:\\+\\+|#)|[${plain}]+(?:(?<=[0-9])[.,](?=[0-9])[${plain}]+)*(?<!${foldedSignLetter})`,
  'g',
)

/** The indexed forms alone. */
export function plainWordsOf(text: string): string[] {
  if (unusual.test(text)) return anyWords(withoutInvisible(text)).map(({ word }) => word)
  return (foldText(text).match(plainRuns) ?? []).map((word) => word.slice(0, longestWord))
}

function asciiWords(text: string): Word[] {
  const words: Word[] = []
  for (const { 0: word, index } of text.toLowerCase().matchAll(plainRuns))
    words.push({ word: word.slice(0, longestWord), start: index, end: index + word.length })
  return words
}

function anyWords(text: string): Word[] {
  const words: Word[] = []
  for (const { 0: run, index, groups } of text.matchAll(isUnspaced.test(text) ? mixedRuns : runs))
    if (groups?.['unspaced'] === undefined) addWord(words, run, index)
    else addSegments(words, run, index)
  return words
}

/** Created for the first text that needs it, because loading the dictionaries takes a moment. */
let segmenter: Intl.Segmenter | undefined

function addSegments(words: Word[], part: string, start: number): void {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' })
  for (const { segment, index } of segmenter.segment(part)) addWord(words, segment, start + index)
}

function addWord(words: Word[], run: string, start: number): void {
  const end = start + run.length
  const folded = foldText(run)
  if (ascii.test(folded)) words.push({ word: folded.slice(0, longestWord), start, end })
  // Folding may bring separators, as with a sign for a fraction; all of its words come from the same characters.
  // Unlike `matchAll`, `match` does not copy the pattern, which takes longer than a word.
  else
    for (const word of folded.match(runs) ?? [])
      words.push({ word: [...word].slice(0, longestWord).join(''), start, end })
}
