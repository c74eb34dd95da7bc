/** Values that look the same, or like nothing: facets and charts tell them apart, and each leads to what it counts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHTML } from 'linkedom'
import { buildRecord } from '../support/records/records.ts'
import { openExplorer } from '../support/service/explorer.ts'
import { recordLexicon } from '../support/store/store.ts'
import { createSubjects } from '../../src/explorer/fields/subject.ts'
import { chooseLanguage } from '../../src/explorer/languages/language.ts'
import { distinctValues } from '../../src/explorer/parts/values.ts'
import { newsModel, plain } from './pages.ts'

const book = 'org.example.book'
const text = { type: 'string', maxLength: 40 }
const properties = {
  title: { type: 'string', maxGraphemes: 300 },
  createdAt: { type: 'string', format: 'datetime' },
  genre: { ...text, knownValues: ['novel', 'poem', 'short-story'] },
  shelves: { type: 'array', items: text },
}
const values = [
  'novel',
  'Novel',
  'Novel ',
  ' Novel',
  'novel ',
  'poem',
  'short-story',
  'Short story',
  'x  y',
  'x y',
  '',
  ' ',
]

const records = values.flatMap((value, at) =>
  Array.from({ length: at + 1 }, (_, number) =>
    buildRecord(book, {
      rkey: `b${at}-${number}`,
      value: { title: 'Storm', createdAt: '2026-11-01T00:00:00Z', genre: value, shelves: [value] },
    }),
  ),
)
const lexicons = [recordLexicon(book, properties)]

test('values that look the same have different names, and lead to what they count or say why not', async () => {
  await using explorer = await openExplorer({ lexicons, records: await Promise.all(records) })
  const open = async (address: string) => parseHTML((await explorer.get(address)).body).document
  for (const field of ['genre', 'shelves'])
    for (const place of [`/filter?field=${field}`, `?facets=${field}`, `/facets?facets=${field}&after=x`]) {
      const rows = [...(await open(`/c/${book}${place}`)).querySelectorAll('.facet .value, main li .value')]
      assert.ok(rows.length > 2, place)
      const names = rows.map((row) => plain(row.querySelector('.name')?.textContent))
      assert.equal(new Set(names).size, rows.length, `${place}: ${names.join('|')}`)
      for (const [at, row] of rows.entries()) {
        const href = row.getAttribute('href')
        assert.equal(href === null, names[at]?.startsWith('blank'), names[at])
        assert.equal(row.getAttribute('title'), href === null ? 'No address can have this value.' : null)
        if (href === null) continue
        const total = (await open(href)).querySelector('[data-total]')?.getAttribute('data-total')
        assert.equal(total, row.querySelector('.count')?.textContent, names[at])
      }
    }
  const chart = await open(`/c/${book}/charts?by=genre`)
  const keys = Array.from(chart.querySelectorAll('tbody th'), ({ textContent }) => plain(textContent))
  assert.deepEqual(new Set(keys).size, values.length, keys.join('|'))
  assert.ok(
    ['Novel (novel)', 'Novel (Novel␣)', 'Poem', 'blank ()', 'blank (␣)'].every((key) => keys.includes(key)),
  )
  const split = await open(`/c/${book}?split=genre`)
  const heads = Array.from(split.querySelectorAll('figure thead th'), ({ textContent }) => plain(textContent))
  assert.equal(new Set(heads).size, heads.length, heads.join('|'))
})

test('the name of each value is looked up once, however many values there are', () => {
  const language = chooseLanguage('en', undefined)
  const field = createSubjects(newsModel).of('tech.service.news.article')?.fields.get('language')
  assert.ok(field)
  const codes = Array.from({ length: 500 }, (_, at) => `x-${at}`)
  const asked: string[] = []
  const counting = {
    ...language,
    nameOf: (...given: Parameters<typeof language.nameOf>) => {
      asked.push(given[1])
      return language.nameOf(...given)
    },
  }
  assert.equal(distinctValues(field, [...codes, ...codes], counting).size, codes.length)
  assert.ok(asked.length > 0 && asked.length <= 2 * codes.length, `${asked.length}`)
})
