/** Scalars drawn for trouble: missing, equal and extreme values, and every script that folds oddly. */
import fc from 'fast-check'
import { datetimesOfChanges } from './time-zones.ts'
import { fold } from '../../../reference/values.ts'
import { anyCodePoint } from './any-text.ts'

/** Whole strings, then pieces to build others from. */
const oddTexts = Object.values({
  plain: ['', ' ', 'a', 'A', 'z', 'ab', 'Ab', 'null', 'true', '10', '9', '4', '-1', '٤'],
  patterns: ['%', '_', '\\', '%%', '100%', '50_50', 'a\\b', '$1', '?', '__proto__', 'toString'],
  quotes: ["'", '"', `it's "quoted"`, "'; drop table book; --", '{"a": [1]}'],
  accents: [
    'é',
    'e\u0301',
    'Café',
    'CAFE\u0301',
    'São Paulo',
    'Ångström',
    '\u0301',
    '\u0301\u0302',
    'x\u0301\u0323',
    '\u1ec7',
  ],
  letters: [
    'ß',
    'ẞ',
    'STRASSE',
    'straße',
    'İstanbul',
    'istanbul',
    'ıI',
    'ς',
    'σ',
    'Σ',
    'ΟΔΟΣ',
    'οδός',
    'ΣΑΣ ΣΑΣ',
    'ᾳ',
    'ǅ',
    'Łódź',
    'œuvre',
  ],
  typed: ['l’eau', "l'eau", 'l´eau', 'l`eau', 'a–b', 'a-b', '“a”', 'пʼять', 'أَخْبار', 'اخبار', 'فارسی'],
  signWords: ['用C++写', '한C++', 'C#ж', 'C#', 'Ｃ＋＋'],
  chinese: ['中', '東京', '東京都', '新聞記事', '𠮷野家'],
  syllables: ['が', 'か\u3099', 'カタカナ', 'ｶﾞ', '한', '한국어', '\u1112\u1161\u11ab', 'हिन्दी', 'ไทย'],
  rightToLeft: ['السلام عليكم', 'لا', 'ﷺ', 'كِتاب', 'שָׁלוֹם', '\u200f'],
  astral: ['😀', '😀z', '\ufffd', '\ufffdz', '\uffff', '𝒜', '👩\u200d👩\u200d👧', '🇲🇽', '❤\ufe0f', '\ufeff'],
  compatible: ['ﬁ', 'ﬁn', '①', 'Ⅳ', 'ａｂｃ', '\u212a', '½', '1/2'],
  controls: ['line\nbreak', 'tab\tstop', '\r\n', '\u0001', '\u007f', '\u2028', '\u00a0', '\u00ad'],
}).flat()

const pieces = fc.constantFrom(...oddTexts, 'elec', 'tion', 'e', 't', 'news', ' ', ' ')

/** Well-formed text without NUL, at most so many bytes of UTF-8. */
export function texts(maxBytes: number, maxGraphemes: number): fc.Arbitrary<string> {
  return fc
    .oneof(
      { weight: 5, arbitrary: fc.constantFrom(...oddTexts) },
      { weight: 4, arbitrary: fc.array(pieces, { maxLength: 6 }).map((parts) => parts.join('')) },
      { weight: 1, arbitrary: fc.string({ unit: anyCodePoint, maxLength: 8 }) },
    )
    .filter(
      (text) =>
        !text.includes('\0') && Buffer.byteLength(text) <= maxBytes && graphemes(text) <= maxGraphemes,
    )
}

function graphemes(text: string): number {
  return [...new Intl.Segmenter().segment(text)].length
}

/** What someone might look for: a part of a text that is there, spelled in another way, or anything else. */
export function needles(present: readonly string[]): fc.Arbitrary<string> {
  const anything = texts(200, 50)
  if (present.length === 0) return anything
  const part = fc
    .tuple(
      fc.constantFrom(...present),
      fc.nat(20),
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom(...spellings),
    )
    .map(([text, start, length, spell]) => {
      const characters = [...text]
      const from = characters.length === 0 ? 0 : start % characters.length
      return spell(characters.slice(from, from + length).join(''))
    })
  return fc.oneof({ weight: 4, arbitrary: part }, { weight: 1, arbitrary: anything })
}

const spellings = [
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  (text: string) => text.toLowerCase(),
  (text: string) => text.normalize('NFD'),
  (text: string) => fold(text),
]

export function integers(min: number, max: number): fc.Arbitrary<number> {
  const extremes = [min, max, min + 1, max - 1, 0, 1, -1, 4, 9, 10, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1]
  const fitting = extremes.filter((value) => value >= min && value <= max)
  return fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...fitting) },
    { weight: 2, arbitrary: fc.integer({ min: Math.max(min, -4), max: Math.min(max, 5) }) },
    { weight: 1, arbitrary: fc.integer({ min, max }) },
  )
}

const dates = '0001-01-02 0099-06-15 1582-10-10 1900-02-28 1969-12-31 1970-01-01 2000-02-29 2020-12-31'
  .split(' ')
  .concat(
    '2021-01-01 2021-01-03 2021-01-04 2024-12-30 2026-11-15 2026-11-16 2026-11-16 9999-12-30'.split(' '),
  )
const times = ['00:00:00', '23:59:59', '12:59:59', '13:00:00', '13:00:00', '07:30:15']
const fractions = [
  '',
  '',
  '',
  '.0',
  '.5',
  '.500',
  '.123',
  '.123456',
  '.1234567',
  '.123456999',
  '.999999999',
  '.000000001',
]
const offsets = ['Z', 'Z', 'Z', '+00:00', '+01:00', '-05:30', '+14:00', '-12:00', '+23:59']

/** As records have them: any offset, up to nine digits of a second, years 1 to 9999, and changes of time zones. */
export const datetimes: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...dates),
        fc.constantFrom(...times),
        fc.constantFrom(...fractions),
        fc.constantFrom(...offsets),
      )
      .map(([date, time, fraction, offset]) => `${date}T${time}${fraction}${offset}`),
  },
  { weight: 1, arbitrary: fc.constantFrom(...datetimesOfChanges) },
)

/** As callers write them: dates too. */
export const datetimeArguments: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: datetimes },
  { weight: 1, arbitrary: fc.constantFrom(...dates, '0001-01-01', '9999-12-31') },
)
