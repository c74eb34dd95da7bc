/** Texts of many scripts, with everything that is seldom written. */
import fc from 'fast-check'

/** A sentence of each, in its letters, marks, digits and signs. */
export const sentences: Readonly<Record<string, string>> = {
  Latin: 'Łódź, Straße – l’Œuvre ığdır C++ 1.5',
  Greek: 'Οι εκλογές στην ΑΘΉΝΑ',
  Cyrillic: 'Ёлка, ґанок і комп’ютер',
  Arabic: 'الأَخْبار في المَدْرَسَة على ی ک',
  Hebrew: 'שָׁלוֹם צה״ל ג׳ורג׳',
  Devanagari: 'हिन्दी ज़िला की ख़बर',
  Bengali: 'বাংলাদেশের খবর',
  Tamil: 'தமிழ் செய்திகள்',
  Thai: 'ข่าวภาษาไทย C++ ใหม่',
  Chinese: '北京气候方案用C++写',
  Japanese: '東京でガラスのC#ニュース',
  Korean: '선거 결과를 C# 발표',
  Khmer: 'ភាសាខ្មែរព័ត៌មាន',
  Lao: 'ຂ່າວພາສາລາວ',
  Burmese: 'မြန်မာသတင်း',
  Armenian: 'Հայերեն լուրեր',
  Ethiopic: 'የአማርኛ ዜና',
}

/** Words of these sentences, with spaces between them or without. */
export const scriptTexts = fc
  .array(fc.constantFrom(' ', ...Object.values(sentences).flatMap((sentence) => sentence.split(' '))), {
    maxLength: 5,
  })
  .map((parts) => parts.join(''))

/** A text, and the same with default-ignorable code points at some places. */
export function withInvisible(texts: fc.Arbitrary<string>): fc.Arbitrary<[plain: string, other: string]> {
  const invisible = fc.constantFrom(
    ...'\u00ad\u034f\u061c\u115f\u17b4\u180b\u180e\u200b\u200c\u200d\u200e\u202a\u2060\u2066\u3164\ufe0f\ufeff\uffa0\u{e0020}\u{e0100}',
  )
  return fc
    .tuple(texts, fc.array(fc.tuple(fc.nat(), invisible), { minLength: 1, maxLength: 4 }))
    .map(([text, insertions]) => {
      const characters = [...text]
      for (const [at, what] of insertions) characters.splice(at % (characters.length + 1), 0, what)
      return [text, characters.join('')]
    })
}

/** Signs as they are typed, and as texts have them too. */
const spellings = {
  "'": '`´‘’‛′ʹʻʼʽˈ՚׳΄᾽᾿῾｀＇',
  '"': '“”„‟ʺ״＂',
  '-': '\u2010\u2011‒–—―−﹣－⁻˗',
  '/': '⁄∕／',
}

/** A text with some of these signs at some places, and the same with another spelling of each. */
export function withSpellings(texts: fc.Arbitrary<string>): fc.Arbitrary<[plain: string, other: string]> {
  const pairs = Object.entries(spellings).flatMap(([plain, others]) =>
    Array.from(others, (other) => [plain, other] as const),
  )
  return fc
    .tuple(texts, fc.array(fc.tuple(fc.nat(), fc.constantFrom(...pairs)), { minLength: 1, maxLength: 4 }))
    .map(([text, insertions]) => {
      const [characters, others] = [[...text], [...text]]
      for (const [at, [plain, other]] of insertions) {
        const place = at % (characters.length + 1)
        characters.splice(place, 0, plain)
        others.splice(place, 0, other)
      }
      return [characters.join(''), others.join('')]
    })
}
