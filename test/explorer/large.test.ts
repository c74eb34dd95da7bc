/** Charts of more records and periods than are read or shown, and pages of more collections than one operation can ask. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseHTML } from 'linkedom'
import { mostParentheses } from '../../src/search/parse-search.ts'
import { openExplorer } from '../support/service/explorer.ts'
import { buildRecord } from '../support/records/records.ts'
import { recordLexicon } from '../support/store/store.ts'

const nsid = 'org.example.note'
const lexicon = recordLexicon(nsid, {
  title: { type: 'string', maxGraphemes: 1_000 },
  day: { type: 'integer' },
  at: { type: 'string', format: 'datetime' },
  // So that CIDs differ, by which the sample is chosen.
  number: { type: 'integer' },
})
const few = 300
const many = 10_200

const first = Date.UTC(2000, 0, 1)
const dayOf = (number: number): string => new Date(first + number * 86_400_000).toISOString()
const records = await Promise.all(
  Array.from({ length: few + many }, (_, number) => {
    const day = number < few ? 1 : 2
    const title = ['the', ...(number % 4 === 0 ? ['flood'] : []), day === 1 ? 'calm' : 'storm'].join(' ')
    return buildRecord(nsid, { rkey: `r${number}`, value: { title, day, number, at: dayOf(number) } })
  }),
)
const explorer = await openExplorer({ lexicons: [lexicon], records })
after(() => explorer[Symbol.asyncDispose]())

test('a chart of more periods than it can show has the newest, and says so', async () => {
  const newest = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })
  const last = new Date(dayOf(few + many - 1))
  for (const address of [`/c/${nsid}?per=day&day=2`, `/c/${nsid}/charts?by=at_day`]) {
    const { document } = parseHTML((await explorer.get(address)).body)
    const textsOf = (selector: string) =>
      Array.from(document.querySelectorAll(selector), ({ textContent }) => textContent)
    const labels = textsOf('figure tbody th')
    assert.deepEqual([labels.length, labels.at(-1)], [400, newest.format(last)], address)
    assert.deepEqual(new Set(textsOf('figure tbody td')), new Set(['1']))
  }
  assert.match((await explorer.get(`/c/${nsid}?per=day&day=2`)).body, /newest/)
})

test('unusual words say of how many records they are, which may be a sample', async () => {
  const page = `/c/${nsid}/topic?panel=words&day`
  const { body } = await explorer.get(`${page}=2`)
  const read = /“here” is a sample of ([\d,]+) of 10,200 records\./.exec(body)
  assert.ok(read !== null && !body.includes('“elsewhere”'), body)
  const number = Number(read[1]?.replace(',', ''))
  assert.ok(number < many, String(number))
  // All records read have the word.
  const cells = Array.from(
    parseHTML(body).document.querySelectorAll('.things td'),
    (each) => each.textContent,
  )
  assert.deepEqual(cells, ['100%', '0%'])
  const other = await explorer.get(`${page}=1`)
  assert.match(
    other.body,
    /“elsewhere” is a sample of [\d,]+; of all 10,500 records, those here are left out\./,
  )
  assert.match(other.body, />none in the sample</)
})

test('an unusual word is a link unless the condition with it would be refused', async () => {
  for (const [depth, isLink] of [
    [mostParentheses - 1, true],
    [mostParentheses, false],
  ] as const) {
    const given = `${'('.repeat(depth)}the${')'.repeat(depth)}`
    const query = new URLSearchParams({ panel: 'words', base: 'all', day: '2', 'title.matches': given })
    const { status, body } = await explorer.get(`/c/${nsid}/topic?${query}`)
    assert.equal(status, 200, body)
    const word = parseHTML(body).document.querySelector('.things tbody th')
    assert.match(word?.textContent ?? '', /^storm/, body)
    const href = word?.querySelector('a:not(.add-topic)')?.getAttribute('href') ?? null
    assert.equal(href !== null, isLink)
    if (href !== null) assert.equal((await explorer.get(href)).status, 200, href)
  }
})

const account = 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb'
const nsids = Array.from({ length: 110 }, (_, at) => `org.example.many.c${String(at).padStart(3, '0')}`)
const properties = { title: { type: 'string' }, createdAt: { type: 'string', format: 'datetime' } }
const lexicons = nsids.map((id) => recordLexicon(id, properties))
/** One near each end. */
const filled = [nsids[3] ?? '', nsids[104] ?? '']
const titled = await Promise.all(
  filled.map((nsid) => buildRecord(nsid, { did: account, value: { title: `In ${nsid}` } })),
)

test('the page of an account leads to all collections, a page of them after the other', async () => {
  await using explorer = await openExplorer({ lexicons, records: titled })
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

test('the first page of many collections has the newest of the first 49, by the time that they have', async () => {
  const [some, end] = [nsids.slice(0, 60), Date.UTC(2026, 10, 20)]
  const timesOf = [
    (at: number) => new Date(end - at * 1_000).toISOString(),
    (at: number) => (at % 2 === 0 ? new Date(end - at * 1_000).toISOString() : '2031-01-01T00:00:00Z'),
    () => '2031-01-01T00:00:00Z',
    () => undefined,
  ]
  const drawn = some.flatMap((nsid, kind) =>
    Array.from({ length: 6 }, (_, at) => {
      const createdAt = timesOf[kind % timesOf.length]?.(at)
      const value = { title: `t${at}`, ...(createdAt !== undefined && { createdAt }) }
      return buildRecord(nsid, { rkey: `r${at}`, value, indexedAt: new Date(end + at).toISOString() })
    }),
  )
  await using explorer = await openExplorer({
    lexicons: lexicons.slice(0, 60),
    records: await Promise.all(drawn),
  })
  const { document } = parseHTML((await explorer.get('/')).body)
  assert.equal(document.querySelector('.examples')?.querySelectorAll('li').length, 5)
  const sections = [...document.querySelectorAll('.collections section')].map((section) =>
    Array.from(section.querySelectorAll('h4, .result h3 a'), ({ textContent }) => textContent),
  )
  const indexed = ['Newest in the index', 't5', 't4', 't3', 't2']
  const kinds = [['Newest', 't0', 't1', 't2', 't3'], ['Newest', 't0', 't2', 't4'], indexed, indexed]
  assert.deepEqual(
    sections,
    some.map((_, kind) => (kind < 49 ? kinds[kind % kinds.length] : [])),
  )
  // A topic of the future shows its records, too.
  for (const at of [1, 2]) {
    const topic = await explorer.get(`/c/${some[at]}/topic?createdAt=2027-01-01`)
    const [list] = parseHTML(topic.body).document.querySelectorAll('[aria-labelledby=topic-newest]')
    const shown = Array.from(list?.querySelectorAll('p.none, li > a') ?? [], (each) => each.textContent)
    assert.deepEqual(shown, at === 2 ? [...indexed, 't1', 't0'] : ['Newest in the index', 't5', 't3', 't1'])
  }
})

test('the first page lists all collections, and stays within the limits of an operation', async () => {
  await using explorer = await openExplorer({ lexicons, records: titled })
  const { status, body, cost } = await explorer.get('/')
  assert.equal(status, 200)
  assert.ok(cost <= 250)
  for (const nsid of nsids) assert.ok(body.includes(`href="/c/${nsid}"`), nsid)
  assert.equal((await explorer.get('/search?q=org')).status, 200)
})
