import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { anyCodePoint } from '../../test/support/random/values/any-text.ts'
import { texts } from '../../test/support/random/values/scalars.ts'
import {
  scriptTexts,
  sentences,
  withInvisible,
  withSpellings,
} from '../../test/support/random/values/scripts.ts'
import { rounds, seed } from '../../test/support/rounds.ts'
import { foldText } from '../util/text/fold.ts'
import { longestWord, plainWordsOf, wordsOf } from './words.ts'

/** A rule, a text, and its words with spaces between them. */
const rules: readonly (readonly [rule: string, text: string, words: string])[] = [
  ['signs, emoji and spaces separate words', 'Hello,  world! 👍 – 100% (sure)', 'hello world 100 sure'],
  ['a text without letters and digits has no words', ' … ?! 👍 €', ''],
  ['upper case is folded', 'NATO Zürich ÉCOLE', 'nato zurich ecole'],
  ['words are not reduced to a stem', 'election elections elected', 'election elections elected'],
  ['an apostrophe separates', "don't l’élection O'Neill", 'don t l election o neill'],
  ['a letter that looks like an apostrophe does too', 'пʼять oʻzbek', 'п ять o zbek'],
  ['a hyphen separates', 'state-of-the-art COVID-19', 'state of the art covid 19'],
  ['an underscore separates', 'snake_case', 'snake case'],
  ['a hashtag is its words', '#Climate2030 #北京', 'climate2030 北京'],
  ['a name after @ is its parts', '@alice.example.com', 'alice example com'],
  ['a domain and an address are their parts', 'https://a.example/b?c=1', 'https a example b c 1'],
  ['letters with points are single letters', 'U.S.A. p.m.', 'u s a p m'],
  ['an ampersand separates', 'AT&T R&D', 'at t r d'],
  [
    'a point or comma between two digits is part of a number',
    '3.14 1,000,000 10.000,5',
    '3.14 1,000,000 10.000,5',
  ],
  ['a version is one word', 'v2.0.1 1.5b', 'v2.0.1 1.5b'],
  ['a point or comma elsewhere separates', '3. 5 7, 8 .5 ca.50', '3 5 7 8 5 ca 50'],
  ['digits of any script form numbers', '٣.٥ १२३', '٣.٥ १२३'],
  ['but only a plain point or comma joins them', '3．4 ٣٫٤ 3·4', '3 4 ٣ ٤ 3 4'],
  ['a sign before a number is not part of it', '-5 +49 $7', '5 49 7'],
  ['dates and times are their parts', '2026-11-14 10:30', '2026 11 14 10 30'],
  ['one letter with ++ or # is a word', 'C++, C#/F# g++', 'c++ c# f# g++'],
  [
    'only if no Latin letter or digit from 0 to 9 is next to it',
    'C++20 abc++ C#é xC# Ａc#',
    'c 20 abc c e xc ac',
  ],
  ['… but letters of any other script', 'C#은 한C++를 язC++и C#٣', 'c# 은 한 c++ 를 яз c++ и c# ٣'],
  ['… also of those without spaces', '用C++写 サーF#で ภาษาC++', '用 c++ 写 サー f# で ภาษา c++'],
  ['… and raised and circled numbers', 'C++¹ ①C#', 'c++ 1 1 c#'],
  ['a number keeps its letters before it', '1.5한C++ 2한1C++', '1.5한 c++ 2한1c'],
  ['only A to Z take these signs', 'é++ ж#', 'e ж'],
  ['… which may be full-width, as the signs', 'Ｃ＋＋ 学ｃ＃ C＋＋入門 Ｃ+＋', 'c++ 学 c# c++ 入門 c++'],
  ['invisible characters vanish', 'co\u00adoperate می\u200cخواهم a\u200eb \ufeffc', 'cooperate ميخواهم ab c'],
  ['a mark without a letter before it is no word', '❤️ ☕️ #️⃣ 1️⃣ \u0301 \u093f x', '1 x'],
  ['signs that become letters only by folding separate', '㍿a℡ ㎏', 'a'],
  ['but numbers and ligatures of letters do not', '½ ﷺ Ⅳ', '1 2 صلي الله عليه وسلم iv'],
  ['ligatures, full-width letters and raised digits are plain ones', 'ﬁn ＡＢＣ１ x²', 'fin abc1 x2'],
  ['a fraction sign gives two words', '1½', '11 2'],
]
for (const [rule, text, words] of rules) {
  test(rule, () => assert.equal(plainWordsOf(text).join(' '), words))
}

const scripts: readonly (readonly [script: string, text: string, words: readonly string[]])[] = [
  ['Latin', 'Über die Wahl', ['uber', 'die', 'wahl']],
  ['Cyrillic', 'Выборы в Йошкар-Оле', ['выборы', 'в', 'иошкар', 'оле']],
  ['Greek, with one form of sigma', 'Οι ΕΚΛΟΓΕΣ εκλογές', ['οι', 'εκλογεσ', 'εκλογεσ']],
  ['Arabic', 'نتائج الانتخابات، اليوم', ['نتايج', 'الانتخابات', 'اليوم']],
  ['Hebrew', 'תוצאות הבחירות', ['תוצאות', 'הבחירות']],
  ['Hindi, with its vowel signs', 'चुनाव के नतीजे।', ['चुनाव', 'के', 'नतीजे']],
  ['Korean, as written between spaces', '선거 결과를 발표', ['선거', '결과를', '발표']],
  ['Chinese', '北京气候方案：排放量', ['北京', '气候', '方案', '排放量']],
  ['Japanese', '東京で大雨ニュース', ['東京', 'で', '大雨', 'ニュース']],
  ['Thai', 'ข่าวภาษาไทย', ['ข่าว', 'ภาษา', 'ไทย']],
  ['Khmer', 'ភាសាខ្មែរព័ត៌មាន', ['ភាសាខ្មែរ', 'ព័ត៌មាន']],
  ['Lao', 'ຂ່າວພາສາລາວ', ['ຂ່າວ', 'ພາສາ', 'ລາວ']],
  ['Burmese', 'မြန်မာသတင်း', ['မြန်မာ', 'သတင်း']],
  ['Japanese with Latin words inside', '新型iPhone15を発売', ['新型', 'iphone15', 'を', '発売']],
]
for (const [script, text, words] of scripts) {
  test(`finds the words of ${script}`, () => assert.deepEqual(plainWordsOf(text), words))
}

test('invisible characters change no word and no folded text, in any script', () => {
  const shown = (text: string) =>
    wordsOf(text).map(({ start, end }) => text.slice(start, end).replaceAll(/\p{DI}/gu, ''))
  fc.assert(
    fc.property(withInvisible(fc.oneof(scriptTexts, usual)), ([plain, other]) => {
      for (const read of [foldText, plainWordsOf, shown]) assert.deepEqual(read(other), read(plain))
    }),
    { seed, numRuns: rounds(2_000) },
  )
})

test('a sign word is one next to a letter of any script but Latin', () => {
  for (const [script, sentence] of Object.entries(sentences))
    for (const letter of new Set(sentence.match(/\p{L}\p{M}*/gu)))
      if (!/[a-z]/i.test(letter) || script === 'Latin')
        for (const word of ['Q#', 'q++', 'Ｑ＃', 'ｑ+＋'])
          for (const [text, expected] of [
            [`${letter}${word}`, [...plainWordsOf(letter), foldText(word)]],
            [`${word}${letter}`, [foldText(word), ...plainWordsOf(letter)]],
          ] as const)
            if (script === 'Latin') assert.ok(!plainWordsOf(text).includes(foldText(word)), text)
            else assert.deepEqual(plainWordsOf(text), expected, `${script} ${text}`)
})

test('signs that are typed in several ways separate the same words and fold to the same text', () => {
  fc.assert(
    fc.property(withSpellings(fc.oneof(scriptTexts, usual)), ([plain, other]) => {
      for (const read of [foldText, plainWordsOf]) assert.deepEqual(read(other), read(plain))
    }),
    { seed, numRuns: rounds(2_000) },
  )
})

test('a word says which part of the text it comes from', () => {
  assert.deepEqual(wordsOf('Élan, C++ 1½ 北京'), [
    { word: 'elan', start: 0, end: 4 },
    { word: 'c++', start: 6, end: 9 },
    { word: '11', start: 10, end: 12 },
    { word: '2', start: 10, end: 12 },
    { word: '北京', start: 13, end: 15 },
  ])
})

test('of a long word the first hundred characters count, and its range is the whole of it', () => {
  for (const letter of ['x', 'ж', '𐐨']) {
    const text = letter.repeat(longestWord + 20)
    assert.deepEqual(wordsOf(text), [{ word: letter.repeat(longestWord), start: 0, end: text.length }])
  }
})

const anyText = fc.oneof(
  texts(200, 100),
  fc.array(texts(40, 20), { maxLength: 8 }).map((parts) => parts.join(' ')),
  fc.string({ unit: anyCodePoint, maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom(...'aC9+#.,’-_ é٣北京ไทยがж한Ｃ＋＃\u0301\u200b\u00ad½'),
    maxLength: 20,
  }),
)

test('a text in ASCII has the same words whether or not other characters follow', () => {
  const ascii = fc.string({ unit: fc.constantFrom(...'abC9+#., -_\'"@/'), maxLength: 30 })
  fc.assert(
    fc.property(fc.oneof(ascii, fc.string({ unit: 'binary-ascii' })), (text) => {
      assert.deepEqual(wordsOf(`${text} …`), wordsOf(text))
    }),
    { seed, numRuns: rounds(1_000) },
  )
})

/** Most of them may be folded as a whole; of those that may not, all kinds. */
const usual = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'aC9+#., -é…’İıßẞŁŀŉſÉŒ½²ª№™ΆΣςσяЙéآا뉴Ǆơ€․\u0301\u00ad\u200b\u212a٣ไ京'),
    fc.integer({ min: 0x80, max: 0x2200 }).map((code) => String.fromCodePoint(code)),
  ),
  maxLength: 20,
})

test('the words of a text are the same with their places and without', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, usual), (text) => {
      assert.deepEqual(
        plainWordsOf(text),
        wordsOf(text).map(({ word }) => word),
      )
    }),
    { seed, numRuns: rounds(5_000) },
  )
})

test('each character is folded to the same words in a text and in a word', () => {
  const changed: string[] = []
  for (let code = 0; code < 0x10000; code += code < 0x3000 ? 1 : 7) {
    const letter = code >= 0xd800 && code <= 0xdfff ? '' : String.fromCodePoint(code)
    const text = `${letter}b1${letter}2 ${letter}++ c${letter}# ${letter}c# c++${letter} ${letter},1 Σ${letter} ${letter}`
    // Of a text with this sign each word is looked at.
    if (plainWordsOf(text).join(' ') !== plainWordsOf(`${text} ☂`).join(' ')) changed.push(code.toString(16))
  }
  assert.deepEqual(changed, [])
})

test('words come in order, and the characters of each fold to it', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      let before = { start: 0, end: 0 }
      for (const { word, start, end } of wordsOf(text)) {
        assert.ok(start >= before.end || (start === before.start && end === before.end))
        assert.ok(start < end && end <= text.length)
        const folded = foldText(text.slice(start, end))
        assert.ok(folded.includes(word), `${folded} has no ${word}`)
        before = { start, end }
      }
    }),
    { seed, numRuns: rounds(2_000) },
  )
})

test('a word has nothing but letters, marks, digits, and the signs of numbers and of C++', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const word of plainWordsOf(text)) assert.match(word, /^[\p{L}\p{M}\p{N}+#.,]+$/u)
    }),
    { seed, numRuns: rounds(2_000) },
  )
})

/** Of scripts that are written without spaces, where a part of a text may be cut in another way than the whole. */
const unspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Khmer}\p{scx=Lao}\p{scx=Myanmar}]/u

test('a word is its own only word, whatever letter it has', () => {
  const changed: string[] = []
  for (let code = 0; code < 0x20000; code += code < 0x3000 ? 1 : 5) {
    const letter = code >= 0xd800 && code <= 0xdfff ? '' : String.fromCodePoint(code)
    if (unspaced.test(letter)) continue
    for (const word of plainWordsOf(`a${letter}`))
      if (plainWordsOf(word).join(' ') !== word) changed.push(code.toString(16))
  }
  assert.deepEqual(changed, [])
})

test('composed and decomposed texts have the same words', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      fc.pre(!unspaced.test(text))
      assert.deepEqual(plainWordsOf(text.normalize('NFD')), plainWordsOf(text.normalize('NFC')))
    }),
    { seed, numRuns: rounds(2_000) },
  )
})

test('usual letters need no rules for all scripts, and dictionaries are loaded once', (t) => {
  const search = t.mock.method(String.prototype, 'matchAll').mock
  wordsOf('Plain TEXT')
  assert.deepEqual(
    search.calls.map(({ arguments: [pattern] }) => /\\p\{/.test(String(pattern))),
    [false],
  )
  for (const text of ['Plain TEXT', 'Élan “vital”', 'Новости', '뉴스', 'أخبار']) plainWordsOf(text)
  assert.equal(search.callCount(), 1)
  plainWordsOf('北京')
  const load = t.mock.method(Intl, 'Segmenter').mock
  plainWordsOf('東京 大阪')
  assert.equal(load.callCount(), 0)
})
