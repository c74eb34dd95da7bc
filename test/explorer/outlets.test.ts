/** Records that others belong to, such as outlets, are found by a part of their name, and lead to what belongs to them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHTML } from 'linkedom'
import { createRandom } from '../../demo/random.ts'
import { buildRecord } from '../support/records/records.ts'
import { labelOf } from '../../src/explorer/fields/labels.ts'
import { createSubjects } from '../../src/explorer/fields/subject.ts'
import { lastPart } from '../../src/schema/model/naming.ts'
import { foldText } from '../../src/util/text/fold.ts'
import { rounds, seed } from '../support/rounds.ts'
import { openExplorer } from '../support/service/explorer.ts'
import { recordLexicon } from '../support/store/store.ts'
import { article, models, openPages, plain } from './pages.ts'

const { found, get, page } = await openPages()
const outlets = '/c/tech.service.news.source'
const nameOf = ({ value }: { readonly value: Readonly<Record<string, unknown>> }) => String(value.displayName)
const articlesOf = (uri: string) => `${article}?${new URLSearchParams({ source: uri })}`

test(`a part of a name finds its outlets, those with most articles first, with their articles (seed ${seed})`, async () => {
  const { fraction } = createRandom(seed)
  const all = found(outlets)
  for (let round = 0; round < rounds(8); round++) {
    const name = nameOf(all[Math.floor(fraction() * all.length)]!)
    const start = Math.floor(fraction() * (name.length - 2))
    const part = name.slice(start, start + 2 + Math.floor(fraction() * 5)).trim()
    const address = await submit(outlets, part)
    const { records, total, document } = await page(address)
    const wanted = all.filter((outlet) => foldText(nameOf(outlet)).includes(foldText(part)))
    assert.equal(total, wanted.length, part)
    const counts = records.map((path, at) => {
      const articles = articlesOf(path.replace('/at/', 'at://'))
      const [link] = [
        ...(document.querySelectorAll('li.result')[at]?.querySelectorAll('a[href*="?source="]') ?? []),
      ]
      const count = found(articles).length
      assert.deepEqual(
        [link?.getAttribute('href'), link?.textContent],
        [articles, `${count} ${count === 1 ? 'record' : 'records'}`],
      )
      return count
    })
    const sizes = wanted.map(({ uri }) => found(articlesOf(uri)).length)
    assert.deepEqual(counts, sizes.toSorted((one, other) => other - one).slice(0, 20), part)
    const paths = wanted.map(({ uri }) => uri.replace('at://', '/at/'))
    assert.deepEqual(
      records.filter((path) => !paths.includes(path)),
      [],
    )
    if (/^[\p{L}\p{N}]+$/u.test(part)) await assertNamed(part, wanted.length, records)
  }
})

/** The address that the form of the page leads to. */
async function submit(address: string, text: string): Promise<string> {
  const { document } = await page(address)
  const form = document.querySelector('form.search')
  const inputs = [...(form?.querySelectorAll('input') ?? [])].map((input): [string, string] => [
    input.getAttribute('name') ?? '',
    input.getAttribute('type') === 'search' ? text : (input.getAttribute('value') ?? ''),
  ])
  return `${form?.getAttribute('action')}?${new URLSearchParams(inputs.filter(([, value]) => value !== ''))}`
}

/** Where everything is searched: their number, which leads to them, and the largest. */
async function assertNamed(part: string, count: number, records: readonly string[]): Promise<void> {
  const { document, links } = await page(`/search?${new URLSearchParams({ q: part })}`)
  assert.equal(document.querySelector('.suggestions .count')?.textContent, String(count))
  const [list = '', ...named] = links('.suggestions:has(.count)')
  assert.deepEqual((await page(list)).records, records)
  assert.deepEqual(
    named.filter((href) => href.startsWith('/at/')),
    records.slice(0, 6),
  )
}

/** The sentence about the numbers of the tabs, which names the texts that each collection is searched in. */
function textsOf(name: 'demo' | 'site'): string {
  const and = new Intl.ListFormat('en', { type: 'unit' })
  const places = createSubjects(models[name]).all.flatMap(({ collection, fields }) => {
    const labels = collection.searchFields.map((each) => labelOf(fields.get(each.name)?.words ?? []))
    return labels.length === 0 ? [] : `${labelOf([lastPart(collection.nsid)])} (${and.format(labels)})`
  })
  return `Each number counts the records whose own texts match: ${places.join('; ')}.`
}

const searched = {
  demo: { 'tech.service.news.source': 'displayName', 'tech.service.news.article': 'title' },
  site: { 'site.standard.document': 'title', 'site.standard.publication': 'name' },
} as const

for (const name of ['demo', 'site'] as const)
  test(`each tab of a search in everything says how many records its list has, over ${name} (seed ${seed})`, async () => {
    const { page, found } = await openPages(name)
    const { fraction } = createRandom(seed)
    const pick = (items: readonly string[]) => items[Math.floor(fraction() * items.length)] ?? ''
    const titles = Object.entries(searched[name]).flatMap(([nsid, title]) =>
      found(`/c/${nsid}`).map(({ value }) => String(value[title] ?? '')),
    )
    const words = titles.flatMap((title) => title.match(/[\p{L}\p{N}]+/gu) ?? [])
    for (let round = 0; round < rounds(8); round++) {
      const [one, other] = [pick(words), pick(words)]
      const phrase = `"${pick(titles).replaceAll('"', '')}"`
      const pair = `${one} ${other}`
      const q = pick([one, phrase, pair, `${one} -${other}`, `${one} OR ${other}`, `${one.slice(0, 2)}*`])
      const { document } = await page(`/search?${new URLSearchParams({ q })}`)
      const tabs = [...document.querySelectorAll('.tabs a[rel]')]
      assert.ok(tabs.length > 1)
      assert.deepEqual(plain(document.querySelector('.tabs + .none')?.textContent), textsOf(name), q)
      for (const tab of tabs) {
        const list = await page(tab.getAttribute('href') ?? '')
        const input = list.document.querySelector('form.search input[type="search"]')
        assert.deepEqual([input?.getAttribute('name'), input?.getAttribute('value')], ['q', q])
        const said = tab.querySelector('.count')?.textContent.replaceAll(',', '')
        assert.equal(Number(said ?? list.total), list.total, `${q}: ${tab.textContent}`)
      }
    }
  })

test(`a topic has shares of outlets unless each is the whole of its outlet (seed ${seed})`, async () => {
  const { fraction } = createRandom(seed)
  const all = found(outlets)
  const one = () => String(all[Math.floor(fraction() * all.length)]?.uri)
  const ofOutlets = [
    ['source', one()],
    ['source.not', one()],
    ['source.missing', '0'],
    ['source_country', 'GB'],
    ['source_displayName.contains', 'a'],
  ] as const
  const others = [
    ['language', 'en'],
    ['q', 'the'],
    ['title.contains', 'a'],
  ] as const
  for (const own of ofOutlets)
    for (const more of [...ofOutlets, ...others]) {
      const query = new URLSearchParams([own, more].map((each) => [...each]))
      const period = 'publishedAt.to=2026-11-15'
      const { texts } = await page(`${article}/topic?${period}&${query}`)
      const shares = texts('.outlets td').filter((text) => text.includes('%'))
      const isWhole = !others.some((each) => each === more)
      assert.equal(texts('.outlets').some((text) => text.startsWith('Highest shares')) && isWhole, false)
      if (texts('.outlets').length > 0) assert.equal(shares.length === 0, isWhole, `${query}`)
    }
})

test('only outlets and the like are searched by a part of their name', async () => {
  const { page } = await openPages('site')
  for (const place of ['document', 'publication']) {
    const { document } = await page(`/c/site.standard.${place}?q=the`)
    assert.equal(document.querySelector('form.search input')?.getAttribute('name'), 'q', place)
    assert.ok(document.querySelector('.glance a'), place)
  }
})

test('outlets lead to no topics, and what belongs to them does', async () => {
  const links = async (address: string) =>
    (await page(address)).links('body').filter((href) => href.includes('/topic'))
  assert.deepEqual(await links(`${outlets}?q=the&country=GB`), [])
  assert.notDeepEqual(await links(`${article}?q=the`), [])
  const [first] = found(outlets)
  assert.ok((await page(first!.uri.replace('at://', '/at/'))).links('main').includes(articlesOf(first!.uri)))
})

test('a part of a name that no outlet has leads to the words that were meant', async () => {
  const names = found(outlets).map(nameOf).join(' ')
  const [word = ''] = names.match(/\b[a-z]{2}([a-z])(?!\1)[a-z]{4,}\b/i) ?? []
  const wrong = `${word.slice(0, 2)}${word[3]}${word[2]}${word.slice(4)}`
  const { linksTo } = await page(await submit(outlets, wrong))
  const [words = ''] = linksTo(`“${wrong}”`).filter((address) => address.includes('?q='))
  const { links, texts } = await page(words)
  assert.match(texts('.suggestions').join(), new RegExp(word, 'i'))
  assert.ok(links('.suggestions').length > 0)
})

test('a form of the order begins with each order that an address may have', async () => {
  const wrong = await get(`${outlets}?sort=none`)
  assert.match(wrong.body, /techServiceNewsArticleViaSource_count/)
  for (const name of ['techServiceNewsArticleViaSource_count', 'uri', 'baseUrl', 'displayName', 'createdAt'])
    for (const sort of [name, `-${name}`]) {
      const { document } = await page(`${outlets}?sort=${sort}`)
      const chosen = [...document.querySelectorAll('.sort option[selected]')]
      assert.deepEqual(
        chosen.map((option) => option.getAttribute('value')),
        [sort],
      )
    }
})

test('a facet has the names of its outlets, also of those with fewer records than a hundred others', async () => {
  const [outlet, report] = ['org.example.outlet', 'org.example.report']
  const text = { type: 'string', maxGraphemes: 300 }
  const source = { type: 'string', format: 'at-uri' }
  const lexicons = [recordLexicon(report, { title: text, source }), recordLexicon(outlet, { name: text })]
  const records = Array.from({ length: 110 }, (_, number) => [
    buildRecord(outlet, { rkey: `o${number}`, value: { name: `Outlet ${number}` } }),
    ...['one', number < 105 ? 'two' : 'rare'].map((title) =>
      buildRecord(report, {
        rkey: `${title}${number}`,
        value: { title, source: `at://did:plc:${'a'.repeat(24)}/${outlet}/o${number}` },
      }),
    ),
  ])
  await using explorer = await openExplorer({
    lexicons,
    references: { [`${report}#source`]: [outlet] },
    records: await Promise.all(records.flat()),
  })
  const named = [105, 106, 107, 108, 109].map((number) => `Outlet ${number}`)
  for (const place of [
    '?q=rare&facets=source',
    '/facets?q=rare&facets=source&after=x',
    '/filter?field=source&q=rare',
  ]) {
    const { body } = await explorer.get(`/c/${report}${place}`)
    const names = parseHTML(body).document.querySelectorAll('.facet .name[title^="at:"]')
    assert.deepEqual(Array.from(names, ({ textContent }) => textContent).toSorted(), named, place)
  }
})
