/** Feeds of the demo have the newest records of a view as they are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHTML } from 'linkedom'
import type { Json } from '../reference/shapes.ts'
import { printInstant } from '../reference/values.ts'
import { openExplorer } from '../support/service/explorer.ts'
import { recordLexicon } from '../support/store/store.ts'
import { article, openPages } from './pages.ts'

const { found, get } = await openPages()
const defined = (value: Json): Json => JSON.parse(JSON.stringify(value))
const same = (one: string, other: string): void => assert.equal(Date.parse(one), Date.parse(other))

for (const query of ['', '?language=fr', '?q=climate', '?articleType=live-blog&publishedAt.missing=0'])
  test(`a feed has the newest records of its view, and says when they changed: ${query}`, async () => {
    const newest = found(article + query).slice(0, 30)
    const { items } = JSON.parse((await get(`${article}/feed.json${query}`)).body)
    const wanted = newest.map(({ uri, value }) => ({
      id: uri,
      url: `http://test.example/${uri.replace('at://', 'at/')}`,
      external_url: new URL(value.url).href,
      title: value.title,
      content_text: value.description ?? value.title,
      language: value.language,
    }))
    assert.equal(items.length, newest.length)
    for (const [at, item] of items.entries()) assert.deepEqual(item, defined({ ...item, ...wanted[at] }))
    const { document } = parseHTML((await get(`${article}/feed.atom${query}`)).body)
    const entries = [...document.querySelectorAll('entry')]
    assert.equal(entries.length, newest.length)
    const textIn = (parent: Json, name: string): string => parent.querySelector(name)?.textContent ?? ''
    for (const [at, { value, changedAt }] of newest.entries()) {
      const changed = printInstant(changedAt)
      assert.equal(items[at].date_published === undefined, value.publishedAt === undefined)
      if (value.publishedAt !== undefined) same(items[at].date_published, value.publishedAt)
      same(items[at].date_modified, changed)
      assert.equal(textIn(entries[at], 'published') === '', value.publishedAt === undefined)
      if (value.publishedAt !== undefined) same(textIn(entries[at], 'published'), value.publishedAt)
      same(textIn(entries[at], 'updated'), changed)
      assert.equal(textIn(entries[at], 'title'), value.title)
    }
    const latest = newest.reduce((one, { changedAt }) => (changedAt > one ? changedAt : one), 0n)
    same(textIn(document.querySelector('feed'), ':scope > updated'), printInstant(latest))
  })

test('an entry that was changed says when', async () => {
  let clock = Date.UTC(2026, 10, 1)
  const lexicons = [recordLexicon('org.example.note', { title: { type: 'string' } })]
  await using explorer = await openExplorer({ lexicons, now: () => BigInt(clock) * 1_000n })
  const uri = 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/org.example.note/one'
  const note = (title: string) => ({ uri, value: { $type: 'org.example.note', title } })
  await explorer.service.store([note('before')])
  clock += 86_400_000
  await explorer.service.store([note('after')])
  const { items } = JSON.parse((await explorer.get('/c/org.example.note/feed.json')).body)
  const [{ title, date_published: published, date_modified: modified }, ...others] = items
  assert.deepEqual([title, published, modified.slice(0, 10)], ['after', undefined, '2026-11-02'])
  assert.deepEqual(others, [])
})
