/** What tests assert of the first page. */
import assert from 'node:assert/strict'
import type { Pages } from './pages.ts'

const number = new Intl.NumberFormat('en')

/** How many records and which years, the words of the last week, and examples that lead to records. */
export async function assertHome(pages: Pages, nsids: readonly string[]): Promise<void> {
  const { texts, links } = await pages.page('/')
  const counts = nsids.map((nsid) => number.format(pages.found(`/c/${nsid}`).length))
  const [lead = ''] = texts('.front .lead')
  const numbers = Array.from(lead.matchAll(/([\d,]+) records?/g), ([, each]) => each ?? '')
  // Of several collections, those that have a noun of their own are counted.
  assert.deepEqual(numbers, nsids.length === 1 ? counts : [], lead)
  const ofCollections = texts('.collections h3 .count').map((text) => text.split(' ')[0] ?? '')
  assert.deepEqual(ofCollections.toSorted(), counts.toSorted())
  for (const nsid of nsids) await assertNewest(pages, nsid, lastTime(pages, nsids))
  await assertExamples(pages)
  for (const href of links('.unusual ul')) assert.ok(pages.found(href).length >= 3, href)
  assert.ok(texts('#unusual').every((title) => title.endsWith(', compared with all other times')))
  if (lead === '') return
  const [example = ''] = links('.examples')
  const main = example.replace(/(\/charts|\/topic)?\?.*/, '')
  const times = pages
    .found(main)
    .map(({ value }) => Date.parse(String(value.publishedAt ?? '')))
    .filter((at) => at <= lastTime(pages, nsids))
    .toSorted((one, other) => one - other)
  const [, isMostly, first, last = first] =
    /(mostly )?from ((?:\w+ )?\d+)(?: to ((?:\w+ )?\d+))?\.$/.exec(lead) ?? []
  // The months of one year.
  const month = first?.includes(' ') === true ? { month: 'short' as const } : {}
  const period = new Intl.DateTimeFormat('en', { year: 'numeric', ...month, timeZone: 'UTC' })
  const periods = times.map((at) => period.format(at))
  if (first === undefined) assert.deepEqual(periods, [], lead)
  else if (isMostly === undefined) assert.deepEqual([first, last], [periods[0], periods.at(-1)], lead)
  else assert.ok(periods.includes(first) && periods.includes(last ?? ''), lead)
  assert.equal(
    first?.includes(' ') ?? false,
    first !== undefined && first.slice(-4) === last?.slice(-4),
    lead,
  )
}

/** Milliseconds: nothing has a right time after the minute in which the newest record was indexed. */
export function lastTime(pages: Pages, nsids: readonly string[]): number {
  const indexed = nsids.flatMap((nsid) => pages.found(`/c/${nsid}`).map(({ indexedAt }) => indexedAt))
  const newest = Math.max(...indexed.map((at) => Number(at / 1_000n)), 0)
  return Math.ceil(newest / 60_000) * 60_000
}

/** By the time of the records until `last`; where none has such a time, by indexing, which is said. */
async function assertNewest(pages: Pages, nsid: string, last: number): Promise<void> {
  const { document } = await pages.page('/')
  const records = pages.found(`/c/${nsid}`)
  const timeOf = ({ value }: (typeof records)[number]): number =>
    Date.parse(String(value.publishedAt ?? value.createdAt ?? ''))
  const section = document.querySelector(`.collections a[href="/c/${nsid}"]`)?.closest('section')
  const shown = [...(section?.querySelectorAll('.result h3 a') ?? [])].map((link) => {
    const uri = link.getAttribute('href')?.replace('/at/', 'at://')
    return records.find((record) => record.uri === uri) ?? assert.fail(`${uri} of ${nsid}`)
  })
  const known = records.map(timeOf).filter((at) => at <= last)
  if (known.length > 0)
    assert.deepEqual(shown.map(timeOf), known.toSorted((one, other) => other - one).slice(0, 4), nsid)
  else assert.deepEqual(shown, records.slice(0, 4), nsid)
  const heading = section?.querySelector('h4')?.textContent
  if (shown.length > 0) assert.equal(heading, known.length === 0 ? 'Newest in the index' : 'Newest')
}

/** There are five, and each has records, a chart also some with a value. */
export async function assertExamples(pages: Pages): Promise<void> {
  const examples = (await pages.page('/')).links('.examples')
  assert.equal(new Set(examples).size, 5, examples.join(' '))
  for (const href of examples)
    if (href.includes('/charts')) {
      const { rows } = await pages.figure(href)
      assert.ok(
        rows.some(([group]) => group?.text !== 'missing'),
        href,
      )
    } else assert.ok(pages.found(href).length > 0, href)
}
