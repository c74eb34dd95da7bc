/**
 * Pages of outlets and articles over random corpora, from one month to twenty years: each number is that of the records
 * behind it by the reference evaluator, and the page says how many records its chart leaves out.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../../demo/random.ts'
import { mostReferring } from '../../src/explorer/record/record-operation.ts'
import { newsLexicons, plainRecord } from '../golden/corpora.ts'
import type { PlainRecord } from '../reference/dataset.ts'
import { createReference } from '../reference/reference.ts'
import type { Json } from '../reference/shapes.ts'
import { rev } from '../support/records/notes.ts'
import { cidOf } from '../support/records/records.ts'
import { rounds, seed, someForms } from '../support/rounds.ts'
import { modelOf } from '../support/service/agents.ts'
import { openTestService } from '../support/service/service.ts'
import { type Pages, pagesOver } from './pages.ts'

const { documents: lexicons, references } = newsLexicons
const account = `did:plc:${'a'.repeat(24)}`
const number = new Intl.NumberFormat('en')
const tenth = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const createdAt = '2026-11-01T00:00:00Z'
const day = 86_400_000
const scores = { impactLevel: [1, 10], clickbaitScore: [0, 10], orientationConfidence: [0, 100] } as const

for (const days of someForms([7_000, 300, 20], 2))
  for (let round = 0; round < rounds(); round += 1)
    test(`pages of outlets over ${days} days are true, seed ${seed}, round ${round}`, async () => {
      const random = createRandom(seed + 1_000 * round + days).fraction
      const records = await drawRecords(random, days)
      const reference = createReference(lexicons, references, records)
      await using service = await openTestService({ lexicons, references, records })
      const pages = pagesOver({ service, reference }, modelOf(lexicons, references))
      const of = (name: string) => records.filter(({ collection }) => collection.endsWith(`.${name}`))
      for (const outlet of of('source')) await assertOutlet(pages, outlet, of('article'), of('enrichment'))
      for (const one of of('article').slice(0, 5)) await assertArticle(pages, one, of('enrichment'))
    })

/** Few outlets with many articles, some without a time or with one of another century. */
async function drawRecords(random: () => number, days: number): Promise<readonly PlainRecord[]> {
  const pick = (count: number): number => Math.floor(random() * count)
  const some = <Value>(value: Value): Value | undefined => (random() < 0.15 ? undefined : value)
  const draw = async (kind: string, key: string, value: Json): Promise<PlainRecord> => {
    const nsid = `tech.service.news.${kind}`
    const known = Object.fromEntries(Object.entries(value).filter(([, of]) => of !== undefined))
    const whole = { $type: nsid, ...known, createdAt }
    return plainRecord({
      uri: `at://${account}/${nsid}/${key}`,
      indexedAt: createdAt,
      value: whole,
      cid: await cidOf(whole),
    })
  }
  const refTo = ({ uri, cid }: PlainRecord) => ({ uri, cid })
  const all = <Its>(count: number, make: (at: number) => Promise<Its>) =>
    Promise.all(Array.from({ length: count }, (_, at) => make(at)))
  const outlets = await all(1 + pick(4), (at) =>
    draw('source', `s${at}.example`, { displayName: `Outlet ${at}`, baseUrl: `https://s${at}.example` }),
  )
  const timeOf = (): string => {
    const far = random() < 0.02 ? (pick(2) - 0.5) * 40_000 : 0
    return new Date(Date.UTC(2026, 9, 28) - Math.floor((far + random() ** 2 * days) * day)).toISOString()
  }
  const articles = await all(40 + pick(200), (at) =>
    draw('article', rev(at + 1), {
      title: `Title ${at}`,
      url: `https://s.example/${at}`,
      source: refTo(outlets[pick(outlets.length)] as PlainRecord),
      publishedAt: some(timeOf()),
      wordCount: some(pick(3_000)),
    }),
  )
  const analyses = await all(articles.length, (at) => {
    const drawn = Object.entries(scores).map(([name, [least, most]]) => [
      name,
      some(least + pick(most - least + 1)),
    ])
    const of = refTo(articles[pick(articles.length)] as PlainRecord)
    return draw('enrichment', rev(at + 1), {
      article: of,
      model: `model ${at}`,
      ...Object.fromEntries(drawn),
    })
  })
  return [...outlets, ...articles, ...analyses]
}

function pathOf({ uri }: PlainRecord): string {
  return uri.replace('at://', '/at/')
}

async function assertOutlet(
  pages: Pages,
  outlet: PlainRecord,
  all: readonly PlainRecord[],
  analysed: readonly PlainRecord[],
): Promise<void> {
  const path = pathOf(outlet)
  const { document, links, texts } = await pages.page(path)
  const articles = all.filter(({ value }) => value.source.uri === outlet.uri)
  const uris = new Set(articles.map(({ uri }) => uri))
  const analyses = analysed.filter(({ value }) => uris.has(value.article.uri))
  const [total = '', ofAnalyses = ''] = links('.figures')
  if (articles.length === 0) return assert.equal(total, '')
  assert.equal(pages.found(total).length, articles.length)
  assert.equal(texts('.figures dd')[0], `${number.format(articles.length)} records`)
  if (analyses.length > 0) assert.equal(pages.found(ofAnalyses).length, analyses.length)
  const dated = articles.flatMap(({ value }) =>
    value.publishedAt === undefined ? [] : [value.publishedAt as string],
  )
  const times = Array.from(document.querySelectorAll('.figures time'), (time) =>
    time.getAttribute('datetime'),
  )
  // Midnight stands for a day.
  const ends = dated.toSorted().map((time) => time.replace('T00:00:00.000Z', ''))
  if (ends.length > 0) assert.deepEqual(times.slice(0, 2), [ends[0], ends.at(-1)])
  for (const [name, [, most]] of Object.entries(scores)) {
    const mean = pages.reference.mean(analyses, name)
    const said = texts('.figures dd').join('; ')
    if (mean !== null)
      assert.ok(said.includes(`${tenth.format(mean)} of ${most}`), `${name}: ${mean} ${said}`)
  }
  if (dated.length === 0) return
  const { rows, description } = await pages.figure(path)
  for (const [period, count] of rows)
    assert.equal(
      count?.text,
      number.format(pages.found(period?.href ?? '').length),
      `${period?.text} ${path}`,
    )
  const drawn = rows.reduce((sum, [, count]) => sum + Number(count?.text.replaceAll(',', '')), 0)
  const far = dated.length - drawn
  if (far > 0 && !description.includes('Only the newest periods'))
    assert.match(description, new RegExp(`far from all others that are not shown: ${number.format(far)}\\.`))
  const undated = articles.length - dated.length
  if (undated > 0) assert.match(description, new RegExp(`: ${number.format(undated)}\\b`))
}

/**
 * The numbers of an article and of its analyses are those of the records. Of more analyses than a page shows
 * whole, it tells how many there are, and lists the newest.
 */
async function assertArticle(
  pages: Pages,
  one: PlainRecord,
  analysed: readonly PlainRecord[],
): Promise<void> {
  const { texts, links } = await pages.page(pathOf(one))
  assert.ok(links('main').includes(pathOf({ uri: one.value.source.uri } as PlainRecord)))
  const analyses = analysed.filter(({ value }) => value.article.uri === one.uri)
  const page = texts('main').join()
  if (one.value.wordCount !== undefined) assert.ok(page.includes(number.format(one.value.wordCount)), page)
  if (analyses.length > mostReferring) {
    assert.ok(page.includes(`${analyses.length} records · Newest in the index`), page)
    const newest = analyses.slice(-mostReferring).map(pathOf)
    return assert.deepEqual(
      newest.filter((path) => !links('main').includes(path)),
      [],
    )
  }
  for (const { value } of analyses)
    for (const [name, [, most]] of Object.entries(scores))
      if (value[name] !== undefined) assert.ok(page.includes(`${value[name]} of ${most}`), `${name} ${page}`)
}
