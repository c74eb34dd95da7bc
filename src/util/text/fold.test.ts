import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { foldText } from './fold.ts'

const cases: readonly (readonly [what: string, text: string, folded: string])[] = [
  ['nothing', '', ''],
  ['ASCII', 'Hello, WORLD 42%_\\', 'hello, world 42%_\\'],
  ['accents, composed', 'Élection à Córdoba: ÑANDÚ', 'election a cordoba: nandu'],
  ['accents, decomposed', 'E\u0301lection N\u0303andu\u0301', 'election nandu'],
  ['Polish and Danish letters that are no accented ones', 'Łódź Ærø', 'łodz ærø'],
  ['German', 'STRASSE Straße Ü', 'strasse straße u'],
  ['Vietnamese', 'Việt Nam ĐỔI MỚI', 'viet nam đoi moi'],
  ['the Turkish dotted capital i, without a stray dot', 'İSTANBUL ı', 'istanbul ı'],
  ['Greek, with a final sigma', 'ΟΔΥΣΣΕΎΣ ὀδυσσεύς', 'οδυσσευσ οδυσσευσ'],
  ['Cyrillic, where й is и with a breve', 'Йод и ЁЛКА', 'иод и елка'],
  ['Ukrainian', 'Їжак', 'іжак'],
  ['Japanese keeps its voicing marks', 'ガギグ パン', 'ガギグ パン'],
  ['half-width Japanese becomes full', 'ｶﾞ ﾊﾟ', 'ガ パ'],
  ['full-width Latin becomes plain', 'ＡＢＣ１２３', 'abc123'],
  ['Korean stays composed', '한국어', '한국어'],
  ['Korean jamo are composed', '\u1112\u1161\u11ab', '한'],
  ['Hindi keeps its marks', 'हिन्दी ज़', 'हिन्दी ज\u093c'],
  ['Thai keeps its marks', 'ภาษาไทย', foldThai('ภาษาไทย')],
  ['Arabic keeps hamza and harakat', 'أَخبار', 'أَخبار'],
  ['Hebrew keeps its points', 'שָׁלוֹם', 'ש\u05b8\u05c1לו\u05b9ם'],
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
    fc.property(fc.string({ unit: 'grapheme', maxLength: 12 }), (text) => {
      const once = foldText(text)
      assert.equal(foldText(once), once)
    }),
    { numRuns: 2_000 },
  )
})

test('ASCII is folded without normalization', (t) => {
  const normalize = t.mock.method(String.prototype, 'normalize').mock
  assert.equal(foldText('Plain TEXT'), 'plain text')
  assert.equal(normalize.callCount(), 0)
  assert.equal(foldText('Größe'), 'große')
  assert.ok(normalize.callCount() > 0)
})
