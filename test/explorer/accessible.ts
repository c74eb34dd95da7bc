/** Looks at pages in a browser as people need them: as wide as their screen, and without what axe finds hard to use. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { demoService, openReader } from './reader.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const article = '/c/tech.service.news.article'
const account = '/at/did:plc:lexigraphdemopress222222'
/** Letters that nothing breaks. */
const long = 'donaudampfschifffahrts'.repeat(8)
export const pages = {
  home: '/',
  search: '/search?q=flood',
  collection: article,
  'filtered collection': `${article}?q=flood+-village&language=en&section.not=sport&publishedAt.from=2026-10-01`,
  table: `${article}?show=table`,
  cards: `${article}?show=cards`,
  filter: `${article}/filter?field=source`,
  charts: `${article}/charts`,
  topics: `${article}/topic?q=climate&q=flood&language=en`,
  'a long word': `${article}?q=${long}`,
  'a long word everywhere': `/search?q=${long}`,
  'topic of a long word': `${article}/topic?q=${long}`,
  facets: `${article}/facets?q=flood&language=en&source_country=GB`,
  'one of each story': `${article}?stories=1`,
  'stories of a topic': `${article}/topic?q=election&panel=stories`,
  'unusual words': `${article}/topic?publishedAt=2026-11-09&panel=words`,
  'table of two fields': `${article}/charts?by=language&by=source_country`,
  'time charts': `${article}?language=en&split=source_country&as=share`,
  account,
  embedded: `/embed${article}?language=en`,
  outlet: `${account}/tech.service.news.source/alpenfunk.example`,
  'refused address': `${article}?colour=red`,
  'unknown record': `${account}/tech.service.news.source/nobody`,
} as const

type Kind = keyof typeof pages | 'article' | 'story' | 'article of a story'

/** No page is wider than a phone, and axe finds nothing in those that are `examined`, light or dark. */
export async function assertAccessible(
  lang: string,
  visited: readonly Kind[],
  examined: readonly Kind[],
): Promise<void> {
  const { url } = await demoService()
  const addresses = { ...pages, article: await articlePath(), ...(await storyPaths()) }
  const narrow = { width: 360, height: 740 }
  await using reader = await openReader(`/?lang=${lang}`, { viewport: narrow })
  const { page } = reader
  const found: string[] = []
  for (const name of new Set([...visited, ...examined])) {
    const address = `${url}${addresses[name]}${addresses[name].includes('?') ? '&' : '?'}lang=${lang}`
    await page.setViewportSize(narrow)
    if (page.url() !== address) await page.goto(address)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    if (width !== 360) found.push(`${name}: ${width} pixels`)
    if (!examined.includes(name)) continue
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.evaluate(axe)
    await page.emulateMedia({ colorScheme: 'light' })
    found.push(...(await findingsOf(page, `${name}, light`)))
    await page.emulateMedia({ colorScheme: 'dark' })
    found.push(...(await findingsOf(page, `${name}, dark`, ['color-contrast'])))
  }
  assert.deepEqual(found, [])
}

/** The page of a report with two analyses. */
async function articlePath(): Promise<string> {
  const { query } = await demoService()
  const { techServiceNewsArticle: found } = await query(
    '{ techServiceNewsArticle(first: 1) { nodes { uri } } }',
  )
  return `/${found.nodes[0].uri.replace('at://', 'at/')}`
}

/** The page of the story that most reports tell, and that of its first report. */
export async function storyPaths() {
  const { query } = await demoService()
  const { techServiceNewsArticleAggregate: found } = await query(
    '{ techServiceNewsArticleAggregate(where: {story: {isNull: false}}, groupBy: [story], limit: 1) { groups { story count } } }',
  )
  const [{ story, count }] = found.groups
  assert.ok(count > 1)
  const of = `${article}?story=${encodeURIComponent(story)}`
  return { story: of, 'article of a story': `/${story.replace('at://', 'at/')}` }
}

async function findingsOf(page: Page, name: string, rules?: readonly string[]): Promise<readonly string[]> {
  const options = {
    resultTypes: ['violations'],
    ...(rules && { runOnly: { type: 'rule', values: rules } }),
  }
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => `${name}: ${id}: ${html}: ${failureSummary}`),
  )
}
