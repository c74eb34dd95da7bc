import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ar } from './ar.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { chooseLanguage, completed, languages } from './language.ts'

interface Text {
  readonly path: string
  readonly value: unknown
}

/** Every text with its place; plural forms are one. */
function textsOf(value: unknown, path = ''): readonly Text[] {
  if (typeof value !== 'object' || value === null || 'other' in value) return [{ path, value }]
  return Object.entries(value).flatMap(([key, inner]) => textsOf(inner, `${path}.${key}`))
}

const english = new Map(textsOf(en).map(({ path, value }) => [path, value]))
const translations = Object.entries({ es, ar })

/** A text for each parameter that is in no translation by itself. */
const shown = (text: (...given: string[]) => string): string =>
  text('①', '②', '③').replaceAll(/[\u2068\u2069]/g, '')

test('a text that a language lacks is in English', () => {
  const records = { other: '{n} Sätze' }
  const expected = { ...en, records, charts: { ...en.charts, more: 'Mehr' } }
  assert.deepEqual(completed(en, { records, charts: { more: 'Mehr' } }), expected)
  assert.equal(chooseLanguage('ar', '').text.exportMenu.formats.csv, en.exportMenu.formats.csv)
})

test('a translation has no text that is blank, as in English, or of nothing', () => {
  for (const [tag, text] of translations)
    for (const { path, value } of textsOf(text)) {
      assert.ok(english.has(path), `${tag}${path}`)
      const useless: readonly unknown[] = ['', english.get(path)]
      assert.ok(!useless.includes(typeof value === 'string' ? value.trim() : value), `${tag}${path}`)
    }
})

test('a translation shows the same values and has the same gaps as the English text', () => {
  const values = (text: string) => new Set(text.match(/[①②③]|\{\w+\}/g))
  for (const [tag, text] of translations)
    for (const { path, value } of textsOf(text)) {
      const original = english.get(path)
      if (typeof value === 'string')
        assert.deepEqual(values(value), values(original as string), `${tag}${path}`)
      if (typeof value !== 'function' || /^\.(problems|charts\.(single|extremes)$)/.test(path)) continue
      assert.deepEqual(values(shown(value as never)), values(shown(original as never)), `${tag}${path}`)
    }
})

test('a condition is a label with what holds, so that every sentence can name it', () => {
  for (const { text } of languages)
    for (const sentence of Object.values(text.filtering.sentences))
      assert.match(sentence, /^\{field\}: /, sentence)
})

test('plural texts have the form of every number that the language tells apart', () => {
  for (const [tag, text] of [['en', en] as const, ...translations]) {
    const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions()
    for (const { path, value } of textsOf(text))
      if (typeof value === 'object')
        assert.deepEqual(Object.keys(value ?? {}).toSorted(), pluralCategories.toSorted(), `${tag}${path}`)
  }
})

test('a list has the direction of the language, and each of its texts one of its own', () => {
  assert.equal(chooseLanguage('en', '').list(['storm', 'اللغة']), 'storm, اللغة')
  const arabic = '\u200F\u2068storm\u2069، \u2068اللغة\u2069'
  assert.equal(chooseLanguage('ar', '').list(['storm', 'اللغة']), arabic)
})

test('Arabic counts in its six forms', () => {
  const { plural, text, number } = chooseLanguage('ar', '')
  const counted = [0, 1, 2, 3, 11, 100].map((count) => plural(text.records, count))
  const few = [`${number(3)} سجلات`, `${number(11)} سجلًا`, `${number(100)} سجل`]
  assert.deepEqual(counted, ['لا سجلات', 'سجل واحد', 'سجلان', ...few])
})

test('the address chooses before the browser, and English is for all others', () => {
  for (const [chosen, accepted, tag] of [
    ['ar', 'es', 'ar'],
    ['xx', 'fr, es;q=0.8, en;q=0.9', 'en'],
    [null, 'fr;q=0.9, ar-EG;q=0.5', 'ar'],
    [null, 'fr', 'en'],
    [null, undefined, 'en'],
  ] as const)
    assert.equal(chooseLanguage(chosen, accepted).tag, tag)
})
