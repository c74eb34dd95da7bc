/** The analyses: two invented models, one writing English, one writing the article's language. */
import { type Article, refer } from './articles.ts'
import { buildEntities, buildLocations } from './entities.ts'
import type { Random } from './random.ts'
import { explainBait, explainImpact, explainOrientation } from './reasonings.ts'
import {
  buildRecord,
  type DemoRecord,
  formatInstant,
  formatTid,
  type Repository,
  type StrongRef,
} from './record.ts'
import { mediaTopicOf, type Story } from './stories.ts'

interface Analyst {
  readonly model: string
  readonly modelVersion: string
  readonly promptVersion?: string
  readonly repository: Repository
  readonly writesEnglish: boolean
  /** Minutes after the article. */
  readonly delay: readonly [number, number]
}

const halcyon: Analyst = {
  model: 'halcyon/press-reader',
  modelVersion: '2.1',
  promptVersion: '2026-09-01',
  repository: 'analysis',
  writesEnglish: true,
  delay: [1, 9],
}
const quill: Analyst = {
  model: 'quill/annotator-small',
  modelVersion: '0.9',
  repository: 'press',
  writesEnglish: false,
  delay: [20, 240],
}

const orientations = ['left', 'center-left', 'center', 'center-right', 'right'] as const

/** Some articles have none, some one, some two; in order of time. */
export function buildEnrichments(
  random: Random,
  articles: readonly Article[],
  withdrawn: StrongRef,
): DemoRecord[] {
  const records: { createdAt: number; build: (clockId: number) => DemoRecord }[] = []
  const add = (article: Article, analyst: Analyst, subject: StrongRef) => {
    const createdAt =
      article.createdAt + random.integer(...analyst.delay) * 60_000 + random.integer(0, 59_999)
    const properties = buildAnalysis(random, article, analyst, subject, createdAt)
    records.push({
      createdAt,
      build: (clockId) =>
        buildRecord(
          analyst.repository,
          'tech.service.news.enrichment',
          formatTid(createdAt, clockId),
          createdAt + 1500,
          properties,
        ),
    })
  }
  for (const article of articles) {
    const current = refer(article.record)
    if (article.outdatedCid !== undefined) {
      add(article, halcyon, { uri: current.uri, cid: article.outdatedCid })
      continue
    }
    if (random.chance(0.12)) continue
    const first = random.chance(0.7) ? halcyon : quill
    add(article, first, current)
    if (random.chance(0.37)) add(article, first === halcyon ? quill : halcyon, current)
  }
  const example = articles[Math.floor(articles.length / 2)]
  if (example !== undefined) add(example, quill, withdrawn)
  return records.toSorted((a, b) => a.createdAt - b.createdAt).map(({ build }, index) => build(index % 1024))
}

function buildAnalysis(
  random: Random,
  article: Article,
  analyst: Analyst,
  subject: StrongRef,
  createdAt: number,
): object {
  const { story, names, copy, outlet } = article
  const language = analyst.writesEnglish ? 'en' : outlet.language
  const place = analyst.writesEnglish ? names.place.english : names.place.name
  const impactLevel = random.integer(...story.impact)
  const clickbaitScore = scoreBait(random, article)
  const sentimentScore = clamp(story.mood + random.integer(-35, 35), -100, 100)
  const neutral = story.neutral.replace('{place}', place)
  const reasons = analyst.writesEnglish && random.chance(0.8)
  const day = Math.floor(article.createdAt / 86_400_000 / 7)
  return {
    article: subject,
    summary: random.chance(0.9)
      ? analyst.writesEnglish
        ? `${neutral}. ${story.claim}.`
        : copy.description
      : undefined,
    neutralHeadline: analyst.writesEnglish ? neutral : copy.plainTitle,
    language,
    impactLevel: random.chance(0.97) ? impactLevel : undefined,
    impactReasoning: reasons ? explainImpact(impactLevel) : undefined,
    emotionalTone: outlet.bait > 6 && random.chance(0.4) ? 'sensationalist' : random.pick(story.tones),
    sentiment: nameSentiment(random, sentimentScore),
    sentimentScore: random.chance(0.95) ? sentimentScore : undefined,
    clickbaitScore,
    clickbaitReasoning: reasons ? explainBait(clickbaitScore) : undefined,
    ...buildOrientation(random, article, reasons),
    category: story.category,
    mediaTopics: random.chance(0.8) ? [mediaTopicOf(story.category)] : undefined,
    topics: story.topics,
    eventType: story.eventType,
    scope: random.pick(story.scopes),
    entities: buildEntities(random, article, analyst.writesEnglish),
    locations: buildLocations(random, names.place, analyst.writesEnglish),
    claims: buildClaims(random, story, analyst),
    keywords: random.chance(0.85) ? [...new Set([story.kind, ...story.topics, ...copy.tags])] : undefined,
    storyId: `${story.kind}-${names.place.english.toLowerCase().replaceAll(' ', '-')}-${day}`,
    model: analyst.model,
    modelVersion: analyst.modelVersion,
    promptVersion: analyst.promptVersion,
    createdAt: formatInstant(createdAt),
  }
}

function scoreBait(random: Random, { copy, outlet }: Article): number {
  const teased = copy.title !== copy.plainTitle
  return clamp(Math.round(outlet.bait * 0.6) + (teased ? 4 : 0) + random.integer(-1, 2), 0, 10)
}

function nameSentiment(random: Random, score: number): string {
  if (random.chance(0.12)) return 'mixed'
  if (score > 20) return 'positive'
  return score < -20 ? 'negative' : 'neutral'
}

/** Close to the outlet's own; absent where the story is of no political kind. */
function buildOrientation(random: Random, { story, outlet }: Article, reasons: boolean): object {
  if (!story.political) return random.chance(0.15) ? { politicalOrientation: 'neutral' } : {}
  const home = orientations.findIndex((orientation) => orientation === outlet.orientation)
  const position = clamp(home === -1 ? 2 : home + random.integer(-1, 1), 0, 4)
  const politicalOrientation =
    home === -1 && random.chance(0.6) ? 'neutral' : (orientations[position] ?? 'center')
  return {
    politicalOrientation,
    orientationConfidence: random.integer(35, 96),
    ...(reasons && { orientationReasoning: explainOrientation(politicalOrientation) }),
  }
}

function buildClaims(random: Random, story: Story, analyst: Analyst): object[] | undefined {
  if (!analyst.writesEnglish || random.chance(0.3)) return undefined
  return [{ text: story.claim, ...(random.chance(0.8) && { confidence: random.integer(20, 95) }) }]
}

function clamp(value: number, lowest: number, highest: number): number {
  return Math.min(highest, Math.max(lowest, value))
}
