/** Pages know nothing of engines: each must be the same, and cost the same, on both. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { someForms } from '../support/rounds.ts'
import { databases } from '../support/store/postgres.ts'
import { article, enrichment, limit, openPages } from './pages.ts'

const account = '/at/did:plc:lexigraphdemopress222222'
const period = 'publishedAt=2026-10-05&publishedAt.to=2026-11-15'
const addresses = {
  demo: [
    '/',
    '/search?q=climate',
    account,
    `${account}/tech.service.news.source/alpenfunk.example`,
    `${article}?q=climate&source_country=GB&${period}`,
    `${article}?language=ja&section.not=x&show=table&sort=-wordCount&split=source`,
    `${article}?q=elektion+parliamint&show=cards`,
    `${article}?techServiceNewsEnrichmentViaArticle.sentiment=negative&title.contains=the&per=month&as=share`,
    `${article}/filter?field=source&find=ha`,
    `${article}/filter?field=tags`,
    `${article}/charts?by=language&by=publishedAt_month`,
    `${article}/charts?by=wordCount&step=200`,
    `${article}/charts?measure=share&isAccessibleForFree=true&by=articleType`,
    `${article}/topic?q=climate&q=flood&source_country=GB`,
    `${article}/topic?q=climate&panel=words`,
    `${article}/topic?publishedAt=2026-11-09&panel=words`,
    `${article}/chart.csv?split=language&as=share`,
    `${article}/feed.atom?language=fr`,
    `${enrichment}/charts?measure=median&of=clickbaitScore&by=article_source`,
    `${enrichment}/topic?sentiment=negative&panel=values`,
  ],
  stress: ['/', '/c/example.stress.empty', '/c/example.stress.node?show=table'],
} as const

for (const [name, all] of Object.entries(addresses))
  test(`pages of ${name} are the same on every engine`, { skip: databases.length < 2 }, async () => {
    const [one, other] = [
      await openPages(name as keyof typeof addresses, 'sqlite'),
      await openPages(name as keyof typeof addresses, 'postgres'),
    ]
    for (const address of someForms<string>(all, 3)) {
      const found = await one.get(address)
      const { status, cost } = found
      assert.ok(status < 400 && cost <= limit, `${address}: ${status}, ${cost} points`)
      assert.deepEqual(await other.get(address), found, address)
    }
  })
