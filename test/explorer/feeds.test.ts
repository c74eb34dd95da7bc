/** Feeds of the demo have the newest records of a view as they are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printInstant } from '../reference/values.ts'
import { openExplorer } from '../support/service/explorer.ts'
import { recordLexicon } from '../support/store/store.ts'
import { entriesOf } from './feed-entries.ts'
import { article, openPages } from './pages.ts'

const { found, get, reference } = await openPages()
const instant = (text: string | undefined): string | null =>
  text === undefined ? null : new Date(text).toISOString()

for (const query of ['', '?language=fr', '?q=climate', '?articleType=live-blog&publishedAt.missing=0'])
  test(`a feed has the newest records of its view, and says when they changed: ${query}`, async () => {
    const newest = found(article + query).slice(0, 30)
    const { body } = await get(`${article}/feed.atom${query}`)
    const entries = entriesOf(body).map((entry) => ({
      ...entry,
      id: decodeURIComponent(entry.id),
      updated: instant(entry.updated ?? undefined),
    }))
    assert.deepEqual(
      entries,
      newest.map(({ uri, did, value, changedAt }) => ({
        id: uri,
        title: value.title,
        summary: value.description ?? null,
        published: instant(value.publishedAt),
        updated: instant(printInstant(changedAt)),
        language: value.language ?? null,
        author: reference.resolve(value.source?.uri)?.value.displayName ?? did,
        alternate: `http://test.example/${uri.replace('at://', 'at/')}`,
        related: new URL(value.url).href,
      })),
    )
    const latest = newest.reduce((one, { changedAt }) => (changedAt > one ? changedAt : one), 0n)
    const [, updated] = /<updated>(.*?)<\/updated>/.exec(body) ?? []
    assert.equal(instant(updated), instant(printInstant(latest)))
  })

test('the feed of a list in any order has the newest records', async () => {
  const feedOf = async (query: string): Promise<string | undefined> => {
    const { body } = await get(`${article}?language=fr${query}`)
    return /<link rel="alternate" type="application\/atom\+xml" href="([^"]*)"/.exec(body)?.[1]
  }
  const feed = await feedOf('')
  assert.match(feed ?? '', /feed\.atom\?language=fr$/)
  const entries = entriesOf((await get(`${article}/feed.atom?language=fr`)).body)
  assert.ok(entries.length > 1)
  for (const sort of ['publishedAt', '-publishedAt', 'title', '-title']) {
    assert.equal(await feedOf(`&sort=${sort}`), feed)
    const { body } = await get(`${article}/feed.atom?language=fr&sort=${sort}`)
    assert.deepEqual(entriesOf(body), entries)
  }
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
  const { body } = await explorer.get('/c/org.example.note/feed.atom')
  const [{ title, published, updated } = assert.fail(), ...others] = entriesOf(body)
  assert.deepEqual([title, published, updated?.slice(0, 10)], ['after', null, '2026-11-02'])
  assert.deepEqual(others, [])
})
