import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { scriptTexts } from '../../../test/support/random/values/scripts.ts'
import { rounds, seed } from '../../../test/support/rounds.ts'
import { foldText } from './fold.ts'
import { letters } from './letters.ts'

const cases: readonly (readonly [what: string, text: string, folded: string])[] = [
  ['nothing', '', ''],
  ['ASCII', 'Hello, WORLD 42%_\\', 'hello, world 42%_\\'],
  ['accents, composed', 'Élection à Córdoba: ÑANDÚ', 'election a cordoba: nandu'],
  ['accents, decomposed', 'E\u0301lection N\u0303andu\u0301', 'election nandu'],
  [
    'letters that Unicode does not decompose',
    'Łódź Ærø Đà ħal þú Ðað ŋ ɓƙ ẞ',
    'lodz aero da hal thu dad n bk ss',
  ],
  ['Vietnamese', 'Việt Nam ĐỔI MỚI', 'viet nam doi moi'],
  ['the two Turkish letters i', 'İSTANBUL Iğdır', 'istanbul igdir'],
  ['apostrophes and hyphens', 'l’eau п‘ʼять oʻz ג׳ a–b—c‑d−e א־ב', "l'eau п''ять o'z ג' a-b-c-d-e א-ב"],
  ['accents in ASCII that stand for apostrophes', '`O`Neill`', "'o'neill'"],
  ['accents outside ASCII', 'O´Neill é`｀ ἀλλ᾽ ΄Ε', "o'neill e'' αλλ' 'ε"],
  ['quotation marks', '“a” „b“ צה״ל', '"a" "b" צה"ל'],
  ['fractions', '½ 1⁄2 1∕2 1／2', '1/2 1/2 1/2 1/2'],
  ['Greek, with a final sigma', 'ΟΔΥΣΣΕΎΣ ὀδυσσεύς', 'οδυσσευσ οδυσσευσ'],
  ['Cyrillic, where й is и with a breve', 'Йод и ЁЛКА Їжак ґанок', 'иод и елка іжак ганок'],
  ['Japanese keeps its voicing marks', 'ガギグ パン', 'ガギグ パン'],
  ['half-width Japanese becomes full', 'ｶﾞ ﾊﾟ', 'ガ パ'],
  ['full-width Latin becomes plain', 'ＡＢＣ１２３', 'abc123'],
  ['Korean stays composed', '한국어', '한국어'],
  ['Korean jamo are composed', '\u1112\u1161\u11ab', '한'],
  ['Hindi keeps its marks', 'हिन्दी ज़', 'हिन्दी ज\u093c'],
  ['Thai keeps its marks', 'ภาษาไทย', foldThai('ภาษาไทย')],
  ['Arabic vowels and letter forms', 'الأَخبار مـدرســةٌ عَلىٰ مسؤول ٱلله', 'الاخبار مدرسه علي مسوول الله'],
  ['Persian and Urdu letter forms', 'کتاب‌های فارسی ہم', 'كتابهاي فارسي هم'],
  ['Hebrew points and accents, but no final letters', 'שָׁלוֹם בְּרֵאשִׁ֖ית', 'שלום בראשית'],
  ['Chinese', '風傳媒 新闻', '風傳媒 新闻'],
  ['ligatures and superscripts', 'ﬁn x²', 'fin x2'],
  ['letters outside the first plane', '𝔄𝐀 𐐀', 'aa 𐐨'],
  ['nothing but accents', '\u0301\u0308', ''],
]
/** Thai's own compatibility decompositions (sara am) aside, nothing changes. */
function foldThai(text: string): string {
  return text.normalize('NFKD')
}
for (const [what, text, folded] of cases) {
  test(`folds ${what}`, () => assert.equal(foldText(text), folded))
}

test('letters of other scripts than Latin fold as collations of CLDR order them', () => {
  const collators = [
    new Intl.Collator('und', { usage: 'search', sensitivity: 'base' }),
    new Intl.Collator('fa', { sensitivity: 'base' }),
  ]
  for (const [letter, by] of letters)
    if (/\P{ASCII}/u.test(by))
      assert.ok(
        collators.some((collator) => collator.compare(letter, by) === 0),
        letter,
      )
})

test('marks that scripts seldom write are dropped, and those that tell words apart are not', () => {
  const marks = Array.from({ length: 0x3100 }, (_, code) => String.fromCodePoint(code)).filter((character) =>
    /(?=\p{M})\P{DI}/u.test(character),
  )
  const of = (scripts: string) =>
    marks.filter((mark) => new RegExp(`[${scripts.replaceAll(/\w+/g, '\\p{sc=$&}')}]`, 'u').test(mark))
  for (const mark of of('Arab Cyrl Hebr Syrc')) assert.equal(foldText(mark), '', mark)
  for (const mark of ['\u3099', '\u309a', ...of('Deva Beng Taml Thai Laoo Khmr Mymr Tibt Thaa Hang')])
    assert.notEqual(foldText(mark), '', mark)
})

test('an accent that kept two parts apart lets them compose', () => {
  assert.equal(foldText('\u1112\u0301\u1161'), '하')
})

test('folding once is folding for good, for every letter of the first two planes', () => {
  const changed: string[] = []
  for (let code = 0; code < 0x20000; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const once = foldText(String.fromCodePoint(code))
    if (foldText(once) !== once) changed.push(code.toString(16))
  }
  assert.deepEqual(changed, [])
})

test('folding once is folding for good, for strings of any script', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), scriptTexts), (text) => {
      const once = foldText(text)
      assert.equal(foldText(once), once)
    }),
    { seed, numRuns: rounds(2_000) },
  )
})

test('ASCII is folded without normalization', (t) => {
  const normalize = t.mock.method(String.prototype, 'normalize').mock
  assert.equal(foldText('Plain TEXT'), 'plain text')
  assert.equal(normalize.callCount(), 0)
  assert.equal(foldText('Größe'), 'grosse')
  assert.ok(normalize.callCount() > 0)
})
