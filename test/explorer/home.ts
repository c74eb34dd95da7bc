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
  assert.deepEqual(numbers.toSorted(), counts.toSorted(), lead)
  const ofCollections = texts('.collections h3 .count').map((text) => text.split(' ')[0] ?? '')
  assert.deepEqual(ofCollections.toSorted(), counts.toSorted())
  for (const nsid of nsids) await assertNewest(pages, nsid)
  await assertExamples(pages)
  const [example = ''] = links('.examples')
  const main = example.replace(/(\/charts|\/topic)?\?.*/, '')
  const years = pages
    .found(main)
    .map(({ value }) => Number(String(value.publishedAt ?? '').slice(0, 4)))
    .filter((year) => year > 0)
  const [, isMostly, first, last = first] = /(mostly )?from (\d+)(?: to (\d+))?\.$/.exec(lead) ?? []
  if (first === undefined) assert.deepEqual(years, [], lead)
  else if (isMostly === undefined)
    assert.deepEqual([first, last], [Math.min(...years), Math.max(...years)].map(String))
  else assert.ok(years.includes(Number(first)) && years.includes(Number(last)), lead)
  for (const href of links('.unusual ul')) assert.ok(pages.found(href).length >= 3, href)
}

/** By the time of the records, without those of the future; where they have none, by indexing, which is said. */
async function assertNewest(pages: Pages, nsid: string): Promise<void> {
  const { document } = await pages.page('/')
  const records = pages.found(`/c/${nsid}`)
  const time = ['publishedAt', 'createdAt'].find((name) =>
    records.some(({ value }) => value[name] !== undefined),
  )
  const timeOf = ({ value, indexedAt }: (typeof records)[number]): number =>
    time === undefined ? Number(indexedAt) : Date.parse(String(value[time] ?? ''))
  const section = document.querySelector(`.collections a[href="/c/${nsid}"]`)?.closest('section')
  const shown = [...(section?.querySelectorAll('.result h3 a') ?? [])].map((link) => {
    const uri = link.getAttribute('href')?.replace('/at/', 'at://')
    return timeOf(records.find((record) => record.uri === uri) ?? assert.fail(`${uri} of ${nsid}`))
  })
  const known = records.map(timeOf).filter((at) => time === undefined || at <= Number(new Date()))
  const wanted = known.toSorted((one, other) => other - one).slice(0, 4)
  assert.deepEqual(shown, wanted, nsid)
  const heading = section?.querySelector('h4')?.textContent
  if (wanted.length > 0) assert.equal(heading, time === undefined ? 'Newest in the index' : 'Newest')
}

/** There are five, and each has records. */
export async function assertExamples(pages: Pages): Promise<void> {
  const examples = (await pages.page('/')).links('.examples')
  assert.equal(new Set(examples).size, 5, examples.join(' '))
  for (const href of examples)
    if (href.includes('/charts')) assert.ok((await pages.figure(href)).rows.length > 0, href)
    else assert.ok(pages.found(href).length > 0, href)
}
