/** Records that attack the pages that show them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openExplorer } from '../support/service/explorer.ts'
import { entriesOf } from './feed-entries.ts'
import { assertHarmless } from './harmless.ts'
import { attacker, did, hostile as given, markup, note } from './hostile-records.ts'

const page = `/at/${did}/${note}/attacker`

test('a hostile record is shown as text', async () => {
  await using explorer = await openExplorer(given, {
    operator: { logo: null, contact: null, note: [], origin: null, imageHosts: ['pictures.example'] },
  })
  const { body } = await explorer.get(page)
  assertHarmless(body)
  assert.ok(body.includes('&lt;script>alert(1)'))
  assert.match(body, /<img src="https:\/\/pictures\.example\/1\.png"/)
  assert.doesNotMatch(body, /src="https:\/\/tracker/)
  assert.match(body, /<a href="https:\/\/tracker\.example\/pixel\.svg" rel="nofollow ugc noopener">/)
  assert.match(body, /<a href="https:\/\/www\.openstreetmap\.org\/\?mlat=36\.08&amp;mlon=140\.08[^"]*" rel=/)
  assert.ok(body.length < 200_000, `${body.length} characters`)
})

test('values are shown by their kind', async () => {
  await using explorer = await openExplorer(given)
  const { body } = await explorer.get(page)
  const text = body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
  assert.match(body, /<rect x="0" width="70" height="10"><\/rect><\/g><\/svg> <span>7 of 10</)
  assert.match(
    body,
    /<rect x="29.5" width="20.5" [^>]*><\/rect><path d="M50 0V10"><\/path><\/g><\/svg> <span>-41/,
  )
  assert.ok(text.includes('-41 (from -100 to 100)'))
  assert.match(body, /<time datetime="2026-11-16T05:14:39\+09:00" [^>]*>Nov 15, 2026, 8:14 PM UTC<\/time>/)
  assert.ok(text.includes('2026-11-16T05:14:39+09:00'))
  assert.match(text, /File image\/svg\+xml , 12,345 bytes bafkrei/)
  assert.match(text, /5 bytes aGVsbG8/)
  assert.match(body, new RegExp(`<a href="/at/${did}/${note}/other"><bdi>Another &lt;i>note`))
  assert.ok(text.includes('has changed since'))
  // The JSON of a record says nothing about other records.
  assert.doesNotMatch(body, /<a href="[^"]*"><bdi>a false title/)
})

test('feeds, lists for other pages and accounts of hostile records are harmless', async () => {
  await using explorer = await openExplorer(given)
  const atom = await explorer.get(`/c/${note}/feed.atom`)
  assert.equal(atom.status, 200)
  assert.doesNotMatch(atom.body, /<(script|svg|img)|href="javascript|\uFFFE/)
  const [entry] = entriesOf(atom.body).filter(({ id }) => decodeURIComponent(id) === attacker.uri)
  assert.equal(entry?.title, markup)
  assert.equal(entry.related, null)
  const embedded = await explorer.get(`/embed/c/${note}?show=table`)
  assert.equal(embedded.status, 200)
  assertHarmless(embedded.body)
  const account = await explorer.get(`/at/${did}`)
  assert.equal(account.status, 200)
  assert.match(account.body, new RegExp(`<a href="/c/${note}\\?did=[^"]*"[^>]*>2 records`))
  assertHarmless(account.body)
})

test('addresses of records that nobody can have are not found', async () => {
  await using explorer = await openExplorer(given)
  const wrong = [
    `/at/${did}/${note}/absent`,
    `/at/${did}/${note}/attacker/more`,
    `/at/${did}/org.example.none/attacker`,
    `/at/handle.example/${note}/attacker`,
    `/at/${encodeURIComponent('did:plc:"><script>')}/${note}/attacker`,
    `/at/${did}/${note}/${encodeURIComponent('../<script>')}`,
    `/at/%E0%A4%A/${note}/attacker`,
    '/at/',
    '/at/did:plc:zzzzzzzzzzzzzzzzzzzzzzzz',
    '/at/handle.example',
    `/c/${note}/constructor`,
    `/c/${note}/feed.json`,
    '/embed/c/org.example.none',
    `/embed/at/${did}`,
  ]
  for (const address of wrong) {
    const { status, body } = await explorer.get(address)
    assert.equal(status, 404, address)
    assertHarmless(body)
  }
  const refused = [page, `/at/${did}`, `/c/${note}/feed.atom`, `/embed/c/${note}`]
  for (const address of refused) {
    const { status, body } = await explorer.get(`${address}?<script>=1`)
    assert.equal(status, 400, address)
    assertHarmless(body)
  }
})
