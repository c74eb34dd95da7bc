/** Records that others belong to, such as outlets, are found by a part of their name, and lead to what belongs to them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../../demo/random.ts'
import { foldText } from '../../src/util/text/fold.ts'
import { rounds, seed } from '../support/rounds.ts'
import { article, openPages } from './pages.ts'

const { found, page } = await openPages()
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
  const { texts, links } = await page(`/search?${new URLSearchParams({ q: part })}`)
  assert.equal(texts('.tabs a').at(-1), `Source ${count}`)
  const list = links('.tabs').at(-1) ?? ''
  assert.deepEqual((await page(list)).records, records)
  assert.deepEqual(
    links('.suggestions').filter((href) => href.startsWith('/at/')),
    records.slice(0, 6),
  )
}

test('outlets lead to no topics, and what belongs to them does', async () => {
  const links = async (address: string) =>
    (await page(address)).links('body').filter((href) => href.includes('/topic'))
  assert.deepEqual(await links(`${outlets}?q=the&country=GB`), [])
  assert.notDeepEqual(await links(`${article}?q=the`), [])
  const [first] = found(outlets)
  assert.ok((await page(first!.uri.replace('at://', '/at/'))).links('main').includes(articlesOf(first!.uri)))
})
