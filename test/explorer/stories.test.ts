/** Pages of stories over random corpora: each number is that of the records behind its link, by the reference evaluator. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../../demo/random.ts'
import { plainRecord } from '../golden/corpora.ts'
import type { PlainRecord } from '../reference/dataset.ts'
import { createReference } from '../reference/reference.ts'
import { parseInstant } from '../reference/values.ts'
import { storiesOf } from '../reference/words/stories.ts'
import { cidOf } from '../support/records/records.ts'
import { understand } from '../support/records/understand.ts'
import { rounds, seed } from '../support/rounds.ts'
import { openTestService } from '../support/service/service.ts'
import { recordLexicon } from '../support/store/store.ts'
import { type Pages, pagesOver, plain } from './pages.ts'

const nsid = 'org.example.report'
const outlets = 'org.example.outlet'
const text = { type: 'string', maxGraphemes: 300 }
const uri = { type: 'string', format: 'at-uri' }
const properties = {
  title: text,
  publishedAt: { type: 'string', format: 'datetime' },
  source: uri,
  language: { type: 'string', knownValues: ['v0', 'v1'] },
  tags: { type: 'array', items: { type: 'string', maxLength: 40 } },
}
const outlet = recordLexicon(outlets, { name: text })
const lexicons = [recordLexicon(nsid, properties), outlet]
const references = { [`${nsid}#source`]: [outlets] }
const stories = { [nsid]: { title: 'title', time: 'publishedAt' } }
const number = new Intl.NumberFormat('en')
const minute = 60_000
const hour = 60 * minute

/** Two outlets have the same name. */
const nameOf = (key: string): string => `Outlet ${key.replace('y', 'x')}`

async function openStories(random: () => number): Promise<Pages & AsyncDisposable> {
  const pick = (count: number): number => Math.floor(random() * count)
  const at = (collection: string, key: string) => `at://did:plc:${'a'.repeat(24)}/${collection}/${key}`
  const make = async (collection: string, key: string, value: object) => {
    const whole = { $type: collection, ...value }
    const indexedAt = '2026-11-20T00:00:00Z'
    return plainRecord({ uri: at(collection, key), cid: await cidOf(whole), indexedAt, value: whole })
  }
  const end = Date.UTC(2026, 10, 20)
  const events = 1 + pick(12)
  const records = await Promise.all([
    ...['x', 'y', 'z', 'w'].map((key) => make(outlets, key, { name: nameOf(key) })),
    ...Array.from({ length: 20 + pick(120) }, (_, key) =>
      make(nsid, `r${key}`, {
        title: `zorax${pick(events)} quilm${pick(2)} vethu${random() < 0.3 ? ' storm' : ''}`,
        ...(random() < 0.95 && {
          publishedAt: new Date(
            end - Math.floor(random() ** 2 * 400) * hour - pick(3) * 17 * minute,
          ).toISOString(),
        }),
        ...(random() < 0.9 && { source: at(outlets, ['x', 'y', 'z', 'missing'][pick(4)] ?? '') }),
        language: `v${pick(2)}`,
        tags: ['t'],
      }),
    ),
  ])
  const { model } = understand(lexicons, references, stories)
  const service = await openTestService({ lexicons, references, stories, records })
  while (await service.opened.database.write.metadata.deriveStories(50));
  // The evaluator has stories as properties.
  const found = storiesOf(records.filter(({ collection }) => collection === nsid).map(toldOf), nowMicros())
  const told = records.map((record) => ({
    ...record,
    value: { ...record.value, story: found.get(record.uri) },
  }))
  const withStory = [recordLexicon(nsid, { ...properties, story: uri }), outlet]
  const reference = createReference(withStory, { ...references, [`${nsid}#story`]: [nsid] }, told)
  const pages = pagesOver({ service, reference }, model)
  return { ...pages, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

function nowMicros(): bigint {
  return BigInt(Date.now()) * 1_000n
}

function toldOf({ uri: own, value }: PlainRecord) {
  const { title, publishedAt } = value
  const at = publishedAt === undefined ? undefined : parseInstant(publishedAt)
  return { uri: own, at, title, summary: undefined, original: undefined }
}

test(`pages of stories are true, seed ${seed}`, async () => {
  for (let round = 0; round < rounds(); round += 1) {
    await using pages = await openStories(createRandom(seed + 1_000 * round).fraction)
    const all = pages.found(`/c/${nsid}`)
    for (const record of all.slice(0, 8)) await assertRecord(pages, record)
    for (const query of [
      '',
      'q=storm',
      'language=v1',
      'show=table&language=v0',
      'sort=publishedAt&show=cards',
    ])
      await assertOnePerStory(pages, `/c/${nsid}?${query}`)
    await assertNames(pages)
    await assertNamedApart(pages)
    await assertOutlet(pages)
    await assertLargest(pages, '/', 'section[aria-labelledby=stories]', null)
    for (const query of ['q=storm', 'language=v1&q=storm', 'language=v1', 'q=zorax1']) {
      const topic = `/c/${nsid}/topic?${query}`
      const { links } = await pages.page(topic)
      for (const late of links('.later').filter((href) => href.includes('panel=stories')))
        await assertLargest(pages, late, '[aria-labelledby=topic-stories]', `/c/${nsid}?${query}`)
    }
  }
})

/** Outlets of the same name are shown with their keys, where several of them are shown. */
async function assertNames(pages: Pages): Promise<void> {
  const { rows } = await pages.figure(`/c/${nsid}/charts?by=source`)
  const keys = rows.map(([key]) => /source=[^&]*%2F(\w+)/.exec(key?.href ?? '')?.[1] ?? null)
  const isShared = keys.includes('x') && keys.includes('y')
  for (const [at, [cell]] of rows.entries()) {
    const key = keys[at]
    if (key == null || key === 'missing') continue
    const isOne = isShared && nameOf(key) === nameOf('x')
    assert.equal(cell?.text, isOne ? `${nameOf(key)} (${key})` : nameOf(key))
  }
  const { document } = await pages.page(`/c/${nsid}?facets=source`)
  const values = Array.from(
    document.querySelectorAll('[aria-labelledby=facet-source] a.value:not(.missing) .name'),
    (name) => ({
      key: /(\w+)$/.exec(name.getAttribute('title') ?? '')?.[1] ?? '',
      text: plain(name.textContent),
    }),
  )
  const isSharedHere = ['x', 'y'].every((own) => values.some(({ key }) => key === own))
  for (const { key, text } of values) {
    const named = key === 'missing' ? key : nameOf(key)
    assert.equal(text, isSharedHere && 'xy'.includes(key) ? `${named} (${key})` : named)
  }
}

/** In each list or table of records, and in all tables of outlets together. */
async function assertNamedApart(pages: Pages): Promise<void> {
  for (const address of ['?', '?show=table', '?show=cards', '/topic?q=storm', '/topic?q=zorax1&q=storm']) {
    const { document } = await pages.page(`/c/${nsid}${address}`)
    for (const list of document.querySelectorAll('ol, table.records, [aria-labelledby=topic-outlets]')) {
      const links = Array.from(list.querySelectorAll('a'), (link) => ({
        key: new RegExp(`${outlets}(?:/|%2F)(\\w+)`).exec(link.getAttribute('href') ?? '')?.[1] ?? '',
        text: plain(link.textContent),
      })).filter(({ key }) => 'xyzw'.includes(key) && key !== '')
      const isShared = ['x', 'y'].every((own) => links.some(({ key }) => key === own))
      for (const { key, text } of links)
        assert.equal(text, isShared && 'xy'.includes(key) ? `${nameOf(key)} (${key})` : nameOf(key), address)
    }
  }
}

/** The page of an outlet: its reports in all, and those of each period. */
async function assertOutlet(pages: Pages): Promise<void> {
  const address = `/at/did:plc:${'a'.repeat(24)}/${outlets}/x`
  const { links, texts } = await pages.page(address)
  const [all] = links('.summary-of')
  if (all === undefined) return
  const records = pages.found(all)
  const count = records.length === 1 ? '1 record' : `${number.format(records.length)} records`
  assert.ok(texts('.summary-of dd').includes(count), `${all}: ${count}`)
  assert.deepEqual(
    new Set(records.map(({ value }) => value.source)),
    new Set([address.replace('/at/', 'at://')]),
  )
  const dated = records.filter(({ value }) => value.publishedAt !== undefined).length
  if (dated === 0) return assert.deepEqual(texts('figure'), [])
  const { rows } = await pages.figure(address)
  for (const [period, count] of rows)
    assert.equal(count?.text, number.format(pages.found(period?.href ?? '').length), period?.href ?? '')
  assert.equal(
    rows.reduce((sum, [, count]) => sum + Number(count?.text), 0),
    dated,
  )
}

/** Each page of the list, its file and its feed have one record of each story. */
async function assertOnePerStory(pages: Pages, address: string): Promise<void> {
  const [, query = ''] = address.split('?')
  const sortBy = query.includes('sort=') ? [{ field: 'publishedAt', direction: 'ASC' as const }] : []
  const order = (records: readonly PlainRecord[]) =>
    records.toSorted((one, other) => pages.reference.compare(one, other, sortBy))
  const among = pages.found(address).filter(({ value }) => value.story !== undefined)
  const told = Map.groupBy(among, ({ value }) => value.story)
  const firsts = order([...told.values()].map((records) => order(records)[0]!))
  const addressOf = ({ uri: own }: PlainRecord) => `/${own.replace('//', '/').replace(':', '')}`
  const shown: string[] = []
  for (let next: string | undefined = `${address}&stories=1`; next !== undefined; ) {
    const page = await pages.page(next)
    assert.equal(page.total, told.size, next)
    assert.match(page.texts('.results > .none').join(), /all else on this page counts all records/)
    for (const row of page.document.querySelectorAll('ol > .result, table.records tbody tr')) {
      const links = Array.from(row.querySelectorAll('a'), (link) => link.getAttribute('href') ?? '')
      const uri = links.find((href) => href.startsWith('/at/')) ?? ''
      shown.push(uri)
      const note = [...row.querySelectorAll('a')].find((link) =>
        link.getAttribute('href')?.includes('story='),
      )
      const alone = [...told.values()].filter((records) => records.length === 1).flat()
      if (alone.some((record) => addressOf(record) === uri)) assert.equal(note, undefined, uri)
      else assertCounts(pages, note?.textContent, note?.getAttribute('href') ?? '')
    }
    next = page.links('nav.pages').find((href) => href.includes('after='))
  }
  assert.deepEqual(shown, firsts.map(addressOf), address)
  const feed = await pages.get(`${address.replace('?', '/feed.atom?')}&stories=1`)
  assert.equal(feed.body.split('<entry').length - 1, Math.min(30, told.size), address)
}

const sourcesOf = (records: readonly PlainRecord[]) =>
  new Set(records.flatMap(({ value }) => value.source ?? []))

/** `Source 3, 5 records`: of the records behind the link. */
function assertCounts(pages: Pages, said: string | null | undefined, href: string, isChosen = true): number {
  const records = pages.found(href)
  const count = sourcesOf(records).size
  assert.ok(
    plain(said).includes(`Source ${number.format(count)}, ${records.length} record`),
    `${said} ${href}`,
  )
  // A number of some of the records of a story says so, where a reader has chosen them.
  const isRestricted = [...new URLSearchParams(href.split('?')[1]).keys()].some(
    (name) => !/^(story|sort|show)$/.test(name),
  )
  assert.equal(plain(said).includes('of those that match'), isChosen && isRestricted, `${said} ${href}`)
  return count
}

async function assertRecord(pages: Pages, { uri: own, value }: PlainRecord): Promise<void> {
  const { document, links } = await pages.page(`/${own.replace('//', '/').replace(':', '')}`)
  const all = value.story === undefined ? [] : pages.found(`/c/${nsid}?story=${value.story}&sort=publishedAt`)
  const section = document.querySelector('.same-story')
  assert.equal(section !== null, all.length > 1, own)
  if (section === null) return
  const [story = '', ...others] = links('.same-story').filter((href) => !href.includes(outlets))
  assert.deepEqual(pages.found(story).length, all.length)
  assert.ok(plain(section.textContent).includes(`${all.length} records`), own)
  const shown = others.map((href) => all.find((each) => href.endsWith(each.rkey)))
  assert.equal(new Set(shown).size, Math.min(6, all.length - 1), own)
  const times = shown.map((record) => String(record?.value.publishedAt))
  assert.ok(!shown.some((record) => record?.uri === own), own)
  assert.deepEqual(times, times.toSorted(), own)
  const page = await pages.page(story)
  assert.equal(page.total, all.length)
  const heading = page.document.querySelector('header.heading')
  assert.equal(assertCounts(pages, heading?.textContent, story), sourcesOf(all).size)
  const title = page.document.querySelector('meta[property="og:title"]')?.getAttribute('content')
  assert.equal(title, `Report: Story: ${page.texts('header.heading h1')[0]}`)
  // Of the same moment, or of a day without a clock, nobody knows who was first.
  const [one, other] = all.map((record) => Date.parse(record.value.publishedAt)).toSorted((a, b) => a - b)
  const isDay = one! % (24 * hour) === 0 && other! - one! < 24 * hour
  const rank = isDay ? '(same day)' : one === other ? '(same time)' : 'First report of the story'
  assert.ok(plain(heading?.textContent).includes(rank), `${rank} ${story}`)
  assert.ok(section.textContent.includes(rank), `${rank} ${own}`)
  const firstTime = Date.parse(all.find((each) => each.uri === value.story)?.value.publishedAt)
  for (const item of page.document.querySelectorAll('.result')) {
    const href = item.querySelector('h3 a')?.getAttribute('href') ?? ''
    const time = Date.parse(all.find((each) => href.endsWith(`/${each.rkey}`))?.value.publishedAt)
    const expected = delayText(firstTime, time)
    const facts = Array.from(item.querySelectorAll('.fact'), ({ textContent }) => plain(textContent))
    assert.equal(
      facts.find((fact) => fact.endsWith(' later')),
      expected,
      `${href} of ${story}`,
    )
  }
  const [first] = page.links('header.heading')
  assert.ok(first?.endsWith(String(value.story).split('/').at(-1) ?? ''), own)
  const marked = Array.from(page.document.querySelectorAll('.result strong'), ({ parentElement }) =>
    parentElement?.parentElement?.querySelector('h3 a')?.getAttribute('href'),
  )
  assert.ok(
    marked.every((href) => href === first),
    own,
  )
}

/** How long after the first report; midnight is no time of day. */
function delayText(first: number, time: number): string | undefined {
  const minutes = (time - first) / minute
  if (minutes === 0 || first % (24 * hour) === 0 || time % (24 * hour) === 0) return undefined
  if (minutes < 120) return `${minutes} min later`
  const hours = minutes / 60
  return hours < 48 ? `${Math.round(hours)} hr later` : `${number.format(Math.round(hours / 24))} days later`
}

/** The stories that most outlets of the records at `of` tell, as long as there are two; null: of those of a week. */
async function assertLargest(pages: Pages, at: string, place: string, of: string | null): Promise<void> {
  const { document } = await pages.page(at)
  const rows = Array.from(document.querySelectorAll(`${place} .newest > li`), (row) => {
    const href = row.querySelector('a')?.getAttribute('href') ?? ''
    return { href, count: assertCounts(pages, row.querySelector('.facts')?.textContent, href, of !== null) }
  })
  const week = rows[0]?.href.replace(/&story=[^&]*/, '') ?? null
  const among = of ?? week
  const told = Map.groupBy(among === null ? [] : pages.found(among), ({ value }) => value.story)
  const sizes = [...told].flatMap(([story, records]) => (story === undefined ? [] : sourcesOf(records).size))
  const largest = sizes.filter((size) => size > 1).toSorted((one, other) => other - one)
  assert.deepEqual(
    rows.map(({ count }) => count),
    largest.slice(0, 6),
    `${at} ${among}`,
  )
}
