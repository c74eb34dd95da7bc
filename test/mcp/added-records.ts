/**
 * What the questions ask for and the demo corpus does not have: outlets that bait all month long, one story in many
 * outlets, an older version of a model, and something that has just happened.
 */
import { refer } from '../../demo/articles.ts'
import { buildDemoCorpus } from '../../demo/corpus.ts'
import { outlets } from '../../demo/outlets.ts'
import { buildRecord, type DemoRecord, formatInstant, formatTid } from '../../demo/record.ts'
import { buildSources } from '../../demo/sources.ts'

const minute = 60_000

/** An article and what is said of it. */
interface Added {
  /** Of the outlet. */
  readonly slug: string
  readonly at: number
  readonly title: string
  readonly article?: object
  /** Without it nothing has been said yet. */
  readonly analysis?: object
}

/** The demo corpus and the records that are added to it; `now` dates the newest of them. */
export function buildCorpus(now: number): readonly DemoRecord[] {
  const demo = [...buildDemoCorpus()]
  return [...demo, ...[...baits(), ...justNow(now)].flatMap(writeDown), ...bridge(), ...oldVersion(demo)]
}

/** More than twenty articles in two weeks of November, each worse than the last. */
function baits(): Added[] {
  const loud = [
    ['shockscroll', 22, 6],
    ['klick-und-knall', 21, 7],
    ['uferblatt', 24, 1],
    // Louder than all, but too few.
    ['bomba-do-dia', 3, 10],
  ] as const
  return loud.flatMap(([slug, count, score]) =>
    Array.from({ length: count }, (_, index) => ({
      slug,
      at: Date.UTC(2026, 10, 1, 6) + index * 13 * 60 * minute,
      title: `You will not believe number ${index + 1} of ${slug}`,
      analysis: { clickbaitScore: Math.min(score + (index % 4), 10), impactLevel: 1 + (index % 3) },
    })),
  )
}

/** Four articles of the last hour; the last has not been judged yet. */
function justNow(now: number): Added[] {
  return [9, 8, 7, null].map((impactLevel, index) => ({
    slug: 'harbour-and-hill',
    at: now - (index + 1) * 10 * minute,
    title: `Ferries stay in port: bulletin ${index + 1}`,
    ...(impactLevel === null ? {} : { analysis: { impactLevel } }),
  }))
}

/** Five outlets in the order in which they had it; the third repeats the first. */
function bridge(): DemoRecord[] {
  const slugs = [
    'aire-valley-ledger',
    'harbour-and-hill',
    'gather-daily',
    'prairie-signal',
    'cascadia-courant',
  ]
  const records: DemoRecord[] = []
  for (const [index, slug] of slugs.entries())
    records.push(
      ...writeDown({
        slug,
        at: Date.UTC(2026, 10, 12, 8 + 2 * index),
        title: `Bridge over the Aire closed, report ${index + 1}`,
        article: { duplicateOf: index === 2 ? records[0]?.uri : undefined },
        analysis: {
          storyId: 'bridge-closed-leeds',
          claims: [{ text: 'The bridge stays closed until spring.', confidence: 80 }],
          impactLevel: 5,
        },
      }),
    )
  return records
}

/** Analyses that a model's version before has left. */
function oldVersion(demo: readonly DemoRecord[]): DemoRecord[] {
  const articles = demo.filter(({ uri }) => uri.includes('/tech.service.news.article/')).slice(10, 13)
  return articles.map((article, index) =>
    analyse(article, Date.UTC(2026, 8, 18, 12, index), 0, { modelVersion: '2.0', impactLevel: 4 }),
  )
}

const sources = new Map(buildSources().map(({ outlet, record }) => [outlet.slug, record]))

function writeDown({ slug, at, title, article = {}, analysis }: Added): DemoRecord[] {
  const outlet = outlets.find((one) => one.slug === slug)
  const source = sources.get(slug)
  if (outlet === undefined || source === undefined) throw new Error(`There is no outlet ${slug}.`)
  // Several outlets publish in one repository, at one moment too.
  const clock = outlets.indexOf(outlet)
  const rkey = formatTid(at, clock)
  const record = buildRecord(outlet.repository, 'tech.service.news.article', rkey, at + 1000, {
    title,
    description: `${title}, in a few words.`,
    url: `https://www.${slug}.example/added/${rkey}`,
    source: refer(source),
    publishedAt: formatInstant(at),
    language: outlet.language,
    articleType: 'report',
    ...article,
    createdAt: formatInstant(at + minute),
  })
  return analysis === undefined ? [record] : [record, analyse(record, at + 5 * minute, clock, analysis)]
}

function analyse(article: DemoRecord, at: number, clock: number, said: object): DemoRecord {
  const collection = 'tech.service.news.enrichment'
  return buildRecord('analysis', collection, formatTid(at, clock), at + 1000, {
    article: refer(article),
    summary: 'Added for a question.',
    language: 'en',
    sentiment: 'neutral',
    category: 'society',
    model: 'halcyon/press-reader',
    modelVersion: '2.1',
    createdAt: formatInstant(at),
    ...said,
  })
}
