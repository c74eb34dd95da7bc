/** Pages of a service with more collections than one operation can ask. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openExplorer } from '../support/service/explorer.ts'
import { buildRecord } from '../support/records/records.ts'
import { recordLexicon } from '../support/store/store.ts'

const account = 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb'
const nsids = Array.from({ length: 110 }, (_, at) => `org.example.many.c${String(at).padStart(3, '0')}`)
const properties = { title: { type: 'string' }, createdAt: { type: 'string', format: 'datetime' } }
const lexicons = nsids.map((id) => recordLexicon(id, properties))
/** One near each end. */
const filled = [nsids[3] ?? '', nsids[104] ?? '']
const records = await Promise.all(
  filled.map((nsid) => buildRecord(nsid, { did: account, value: { title: `In ${nsid}` } })),
)

test('the page of an account leads to all collections, a page of them after the other', async () => {
  await using explorer = await openExplorer({ lexicons, records })
  const found: string[] = []
  let [address, pages, last] = [`/at/${account}`, 0, 0]
  while (address !== '') {
    const { status, body, cost } = await explorer.get(address)
    assert.equal(status, 200, address)
    assert.ok(cost <= 215, `${cost} points`)
    const [, from, to, all] = /Collections (\d+) to (\d+) of (\d+)/.exec(body)?.map(Number) ?? []
    assert.deepEqual([from, all], [last + 1, nsids.length])
    last = to ?? 0
    pages += 1
    found.push(...Array.from(body.matchAll(/>In (org\.example\.many\.c\d+)</g), ([, nsid = '']) => nsid))
    if (!body.includes('>In ')) assert.match(body, /has no records in these collections/)
    address = /<a class="next" href="([^"]*)"/.exec(body)?.[1] ?? ''
  }
  assert.deepEqual(found, filled)
  assert.equal(last, nsids.length)
  assert.ok(pages > 1 && pages < 15)
  assert.equal((await explorer.get(`/at/${account}?from=org.example.none`)).status, 400)
})

test('the first page lists all collections, and stays within the limits of an operation', async () => {
  await using explorer = await openExplorer({ lexicons, records })
  const { status, body, cost } = await explorer.get('/')
  assert.equal(status, 200)
  assert.ok(cost <= 250)
  for (const nsid of nsids) assert.ok(body.includes(`href="/c/${nsid}"`), nsid)
  assert.equal((await explorer.get('/search?q=org')).status, 200)
})
