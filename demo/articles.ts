/** The articles: 60 days of headlines, some undated, some repeated by other outlets. */
import type { LanguagePack } from './headlines/pack.ts'
import { languagePack } from './languages.ts'
import type { Outlet } from './outlets.ts'
import type { Random } from './random.ts'
import {
  buildRecord,
  computeCid,
  type DemoRecord,
  formatInstant,
  formatTid,
  type StrongRef,
} from './record.ts'
import type { Source } from './sources.ts'
import { type Section, stories, type Story } from './stories.ts'
import { chooseNames, fillSlots, type Names, writeStandfirst } from './write-headline.ts'

/** An article and what its analyses need to know of it. */
export interface Article {
  readonly record: DemoRecord
  readonly outlet: Outlet
  readonly story: Story
  readonly names: Names
  readonly copy: Copy
  readonly createdAt: number
  /** The CID of the version before the headline was changed. */
  readonly outdatedCid?: string
}

interface Copy {
  readonly title: string
  /** The headline without what baits. */
  readonly plainTitle: string
  readonly description: string
  readonly section: Section
  readonly tags: readonly string[]
}

export const articleCount = 660
const end = Date.UTC(2026, 10, 15, 21, 30)
const start = end - 60 * 86_400_000
/** The one article whose headline was changed after it had been analysed. */
const changedArticle = 300

const offsetMinutes: Readonly<Record<string, number>> = {
  JP: 540,
  CN: 480,
  SG: 480,
  IN: 330,
  AE: 240,
  AR: -180,
  BR: -180,
  CO: -300,
}
const rareForms = [
  'analysis',
  'background',
  'review',
  'live-blog',
  'fact-check',
  'press-release',
  'video',
  'audio',
  'gallery',
  'other',
]
const deck = stories.flatMap((story) => Array.from({ length: story.weight }, () => story))

export function buildArticles(random: Random, sources: readonly Source[]): Article[] {
  const titles = new Set<string>()
  const articles: Article[] = []
  for (let index = 0; index < articleCount; index += 1) {
    // Every outlet has its say before the draw is free.
    const source = (index < sources.length ? sources[index] : undefined) ?? random.pick(openSources(sources))
    const pack = languagePack(source.outlet.language)
    const story = random.pick(deck)
    const createdAt = start + Math.round(((index + random.fraction() * 0.9) * (end - start)) / articleCount)
    const original = random.chance(0.04) ? findOriginal(articles, source.outlet) : undefined
    const written = original ?? writeArticle(random, pack, source.outlet, story, titles)
    titles.add(written.copy.title).add(written.copy.plainTitle)
    articles.push(buildArticle(random, source, pack, written, createdAt, index, original))
  }
  return articles
}

/** An article that was taken back before it was indexed: what refers to it refers to nothing. */
export function buildWithdrawnReference(source: Source): StrongRef {
  const time = Date.UTC(2026, 9, 20, 10)
  const { uri, cid } = buildRecord(
    source.outlet.repository,
    'tech.service.news.article',
    formatTid(time, 9),
    time,
    {
      title: 'Withdrawn',
      url: `https://www.${source.outlet.slug}.example/withdrawn`,
      source: refer(source.record),
      createdAt: formatInstant(time),
    },
  )
  return { uri, cid }
}

export function refer(record: DemoRecord): StrongRef {
  return { uri: record.uri, cid: record.cid }
}

type Written = Pick<Article, 'story' | 'names' | 'copy'>

/** Draws again until the headline is new. */
function writeArticle(
  random: Random,
  pack: LanguagePack,
  outlet: Outlet,
  drawn: Story,
  taken: ReadonlySet<string>,
): Written {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const untold = pack.rarities.filter(([, title]) => !taken.has(title))
    const rarity = untold.length > 0 && random.chance(0.1) ? random.pick(untold) : undefined
    const story = rarity === undefined ? drawn : (stories.find(({ kind }) => kind === rarity[0]) ?? drawn)
    const names = chooseNames(random, pack, outlet.country, story.kind)
    const { tags, titles } = pack.stories[story.kind]
    const plainTitle = rarity === undefined ? fillSlots(random.pick(titles), names) : rarity[1]
    const baits = random.fraction() * 12 < outlet.bait - 1
    const title = baits ? random.pick(pack.teasers) + plainTitle : plainTitle
    if (taken.has(title)) continue
    const description = writeStandfirst(random, pack, story, names)
    const shownTags = random.chance(0.85) ? tags : tags.slice(0, 1)
    return { story, names, copy: { title, plainTitle, description, section: story.section, tags: shownTags } }
  }
  throw new Error(`The headlines for "${drawn.kind}" in "${pack.language}" are used up: write more of them.`)
}

function openSources(sources: readonly Source[]): readonly Source[] {
  return sources.filter(({ outlet }) => !outlet.closed)
}

/** A recent article in the same language by another outlet that is no repetition itself. */
function findOriginal(articles: readonly Article[], outlet: Outlet): Article | undefined {
  return articles
    .slice(-120)
    .findLast(
      (article) =>
        article.outlet.language === outlet.language &&
        article.outlet.slug !== outlet.slug &&
        !('duplicateOf' in article.record.value),
    )
}

function buildArticle(
  random: Random,
  source: Source,
  pack: LanguagePack,
  written: Written,
  createdAt: number,
  index: number,
  original: Article | undefined,
): Article {
  const { outlet } = source
  const { story, names, copy } = written
  const publishedAt = createdAt - random.integer(4, 90) * 60_000
  const path = `${formatInstant(createdAt).slice(0, 10).replaceAll('-', '/')}/${story.kind}-${index + 1}`
  const url = `https://www.${outlet.slug}.example/${path}`
  const changed = index === changedArticle
  const properties = {
    title: copy.title,
    description: random.chance(0.88) ? copy.description : undefined,
    url: random.chance(0.1) ? `${url}?utm_source=feed` : url,
    canonicalUrl: random.chance(0.15) ? url : undefined,
    source: refer(source.record),
    publishedAt: random.chance(0.06) ? undefined : formatInstant(publishedAt, offsetMinutes[outlet.country]),
    updatedAt:
      changed || random.chance(0.12) ? formatInstant(createdAt - random.integer(0, 3) * 60_000) : undefined,
    language: random.chance(0.03) ? undefined : pack.language,
    country: names.place.country !== outlet.country && random.chance(0.4) ? names.place.country : undefined,
    authors: buildAuthors(random, pack, outlet),
    section: random.chance(0.93) ? pack.sections[copy.section] : undefined,
    tags: random.chance(0.9) ? copy.tags : random.chance(0.3) ? [] : undefined,
    articleType: chooseForm(random, story, outlet),
    image: buildImage(random, names, outlet, index),
    wordCount: random.chance(0.9) ? random.integer(90, 900) + (random.chance(0.1) ? 1500 : 0) : undefined,
    isAccessibleForFree: outlet.paywall ? random.chance(0.35) : random.chance(0.8) ? true : undefined,
    guid: random.chance(0.7) ? `tag:${outlet.slug}.example,2026:${index + 1}` : undefined,
    duplicateOf: original?.record.uri,
    usageTerms:
      outlet.mediaType === 'news-agency' ? 'Free to reprint with the name of the agency.' : undefined,
    createdAt: formatInstant(createdAt),
  }
  const collection = 'tech.service.news.article'
  const record = buildRecord(
    outlet.repository,
    collection,
    formatTid(createdAt, index % 1024),
    createdAt + random.integer(1, 40) * 1000,
    properties,
  )
  const article = { record, outlet, story, names, copy, createdAt }
  if (!changed) return article
  return { ...article, outdatedCid: computeCid({ ...record.value, title: `${copy.title} …` }) }
}

function buildAuthors(random: Random, pack: LanguagePack, outlet: Outlet): object[] | undefined {
  if (outlet.mediaType === 'aggregator' || random.chance(0.25)) return undefined
  return random.sample(pack.reporters, random.chance(0.15) ? 2 : 1).map((name) => ({
    name,
    ...(random.chance(0.2) && {
      url: `https://www.${outlet.slug}.example/people/${pack.reporters.indexOf(name) + 1}`,
    }),
  }))
}

function chooseForm(random: Random, story: Story, outlet: Outlet): string | undefined {
  if (random.chance(0.05)) return undefined
  if (story.kind === 'opinion' || story.kind === 'interview') return story.kind
  if (outlet.mediaType === 'video-broadcast' && random.chance(0.5)) return 'video'
  if (outlet.mediaType === 'audio-broadcast' && random.chance(0.4)) return 'audio'
  return random.chance(0.7) ? 'report' : random.pick(rareForms)
}

function buildImage(random: Random, names: Names, outlet: Outlet, index: number): object | undefined {
  if (random.chance(0.4)) return undefined
  const [width, height] = random.pick([
    [1200, 800],
    [1600, 900],
    [800, 800],
    [640, 360],
  ] as const)
  return {
    url: `https://img.${outlet.slug}.example/${index + 1}.jpg`,
    ...(random.chance(0.7) && { alt: names.place.name }),
    ...(random.chance(0.6) && { credit: outlet.name }),
    ...(random.chance(0.8) && { width, height }),
  }
}
