/** The lexicon sets and records that golden cases ask: the demo's, and those of test/schemas. */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { schemas } from '@atproto/api'
import { createReference, type Reference } from '../reference/reference.ts'
import type { Json, References } from '../reference/shapes.ts'
import { parseInstant } from '../reference/values.ts'
import type { PlainRecord } from '../reference/dataset.ts'
import type { Engine } from '../support/store/postgres.ts'
import { demoRecords } from '../support/records/demo.ts'
import { cidOf } from '../support/records/records.ts'
import { libraryLexicons, libraryReferences } from '../support/records/lexicons.ts'
import { withStories } from '../reference/words/stories.ts'
import { openTestService, type TestService } from '../support/service/service.ts'

export interface LexiconFolder {
  readonly documents: readonly Json[]
  readonly references: References
  /** The content of `stories.json`. */
  readonly stories?: Json
}

export interface Corpus {
  readonly service: TestService
  readonly reference: Reference
}

/** Lexicon documents as plain JSON, in the order of their paths. */
export function readLexiconFolder(url: URL): LexiconFolder {
  const cwd = fileURLToPath(url)
  const read = (file: string): Json => JSON.parse(readFileSync(new URL(file, url), 'utf8'))
  const files = globSync('**/*.json', { cwd }).toSorted()
  return {
    documents: files
      .filter((file) => !['references.json', 'stories.json', 'display.json'].includes(file))
      .map(read),
    references: files.includes('references.json') ? read('references.json') : {},
    ...(files.includes('stories.json') && { stories: read('stories.json') }),
  }
}

export const newsLexicons = readLexiconFolder(new URL('../../lexicons/', import.meta.url))
export const stressLexicons = readLexiconFolder(new URL('../schemas/stress/lexicons/', import.meta.url))
export const siteLexicons = readLexiconFolder(new URL('../schemas/site-standard/lexicons/', import.meta.url))
/** Names, times and numbers at the edge of what is allowed. */
export const oddLexicons = readLexiconFolder(new URL('../schemas/odd/lexicons/', import.meta.url))
/** With more than one target there are reverse fields, but no nested filters. */
export const networkLexicons: LexiconFolder = {
  documents: schemas as readonly Json[],
  references: {
    'app.bsky.feed.like#subject': ['app.bsky.feed.post', 'app.bsky.feed.generator'],
    'app.bsky.feed.repost#subject': ['app.bsky.feed.post'],
    'app.bsky.feed.post#reply.root': ['app.bsky.feed.post'],
    'app.bsky.feed.post#reply.parent': ['app.bsky.feed.post'],
    'app.bsky.feed.threadgate#post': ['app.bsky.feed.post'],
    'app.bsky.graph.listitem#list': ['app.bsky.graph.list'],
    'app.bsky.graph.starterpack#list': ['app.bsky.graph.list'],
  },
}

const open = {
  demo: openDemo,
  stress: (database: Engine) =>
    openFolder(database, 'stress', stressLexicons, withoutTokens(stressLexicons.documents)),
  site: (database: Engine) => openFolder(database, 'site-standard', siteLexicons),
  odd: (database: Engine) => openFolder(database, 'odd', oddLexicons),
  library: (database: Engine) =>
    openFolder(database, 'library', { documents: libraryLexicons, references: libraryReferences }),
  network: (database: Engine) => {
    const judged = JSON.parse(JSON.stringify(schemas).replaceAll('"lex:', '"'))
    return openFolder(database, 'network', networkLexicons, judged)
  },
} as const
export type CorpusName = keyof typeof open

const opened = new Map<string, Promise<Corpus>>()

/** Opened on first use and kept: cases only read. */
export function corpusNamed(name: CorpusName, database: Engine): Promise<Corpus> {
  const key = `${name} ${database}`
  const known = opened.get(key) ?? open[name](database)
  opened.set(key, known)
  return known
}

export async function closeCorpora(): Promise<void> {
  for (const corpus of opened.values()) await (await corpus).service[Symbol.asyncDispose]()
  opened.clear()
}

async function openDemo(database: Engine): Promise<Corpus> {
  const records = demoRecords().map((record) => plainRecord(record))
  return openCorpus(database, newsLexicons, newsLexicons.documents, records)
}

async function openFolder(
  database: Engine,
  name: string,
  lexicons: LexiconFolder,
  judged: readonly Json[] = lexicons.documents,
) {
  const text = readFileSync(new URL(`../schemas/${name}/records.jsonl`, import.meta.url), 'utf8')
  const records = await Promise.all(
    text
      .trim()
      .split('\n')
      .map(async (line, index) => {
        const given = JSON.parse(line)
        // Lines without an instant of their own get one a minute, in the order of the file.
        const indexedAt = new Date(Date.UTC(2026, 10, 18, 9, index)).toISOString()
        return plainRecord({ indexedAt, ...given, cid: await cidOf(given.value) })
      }),
  )
  return openCorpus(database, lexicons, judged, records)
}

/** The reference evaluator knows no tokens; no case that it judges asks for one. */
function withoutTokens(documents: readonly Json[]): readonly Json[] {
  const copies: Json[] = structuredClone(documents) as Json[]
  for (const { defs } of copies) delete defs.main?.record?.properties.refToToken
  return copies
}

async function openCorpus(
  database: Engine,
  { documents, references, stories = {} }: LexiconFolder,
  judged: readonly Json[],
  records: readonly PlainRecord[],
): Promise<Corpus> {
  const service = await openTestService({ lexicons: documents, references, stories, records, database })
  const key = records.map(({ cid }) => cid).join()
  const reference =
    evaluators.get(key) ??
    remembering(createReference(judged, references, withStories(records, stories), stories))
  evaluators.set(key, reference)
  return { service, reference }
}

/** Engines are held to the same answers, which take as long to compute as to ask for. */
const evaluators = new Map<string, Reference>()

function remembering(reference: Reference): Reference {
  const { list, aggregate } = reference
  return { ...reference, list: remembered(list), aggregate: remembered(aggregate) }
}

function remembered<Result>(
  compute: (collection: string, given: Json) => Result,
): (collection: string, given: Json) => Result {
  const known = new Map<string, Result>()
  return (...asked) => {
    const key = JSON.stringify(asked)
    const result = known.get(key) ?? compute(...asked)
    known.set(key, result)
    return result
  }
}

export function plainRecord({ uri, cid, rev, indexedAt, value }: Json): PlainRecord {
  const [did, collection, rkey] = uri.slice('at://'.length).split('/')
  const instant = parseInstant(indexedAt)
  return { uri, cid, rev, did, rkey, collection, indexedAt: instant, changedAt: instant, value }
}
