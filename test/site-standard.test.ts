/** The lexicons of standard.site: records of them import and answer. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test as testOnce } from 'node:test'
import { createLineReader } from '../src/lexicon/records/validate.ts'
import { buildLexicons } from '../src/lexicon/lexicons.ts'
import { siteLexicons } from './golden/corpora.ts'
import type { Json } from './reference/shapes.ts'
import { onEveryEngine as test } from './support/store/databases.ts'
import type { Engine } from './support/store/postgres.ts'
import { sharedService } from './support/service/service.ts'
import type { StoredLine } from './support/service/engine.ts'

const folder = new URL('schemas/site-standard/', import.meta.url)
const { documents, references } = siteLexicons
const records: readonly StoredLine[] = readFileSync(new URL('records.jsonl', folder), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

const ana = 'did:plc:standardana2222222222222'
const tide = `at://${ana}/site.standard.publication/3mz5s6rqsp222`

const openSite = sharedService(async () => ({ lexicons: documents, references, records }))

async function ask(database: Engine, text: string): Promise<Json> {
  return (await openSite(database)).data(text)
}

/** Why the record of this key is refused with these properties in place of its own; null when it is not. */
function refusalOf(rkey: string, more: Json): string | null {
  const files = documents.map((document) => ({ file: document.id, document }))
  const built = buildLexicons(files, references)
  assert.ok(built.ok, JSON.stringify(built))
  const given = records.find(({ uri }) => uri.endsWith(rkey)) as StoredLine
  const line = JSON.stringify({ ...given, value: { ...given.value, ...more } })
  const reading = createLineReader(built.lexicons)(line)
  return reading.ok ? null : reading.message
}

test('records of every collection are stored, and whole', async (database) => {
  const answer = await ask(
    database,
    `{
    documents: siteStandardDocument { nodes { uri recordJson } }
    publications: siteStandardPublication { nodes { uri recordJson } }
    themes: siteStandardThemeBasic { nodes { uri recordJson } }
    subscriptions: siteStandardGraphSubscription { nodes { uri recordJson } }
    recommendations: siteStandardGraphRecommend { nodes { uri recordJson } } }`,
  )
  const counts = Object.values<Json>(answer).map(({ nodes }) => nodes.length)
  assert.deepEqual(counts, [3, 2, 1, 3, 4])
  const stored = new Map(
    Object.values<Json>(answer).flatMap(({ nodes }) =>
      nodes.map((node: Json) => [node.uri, node.recordJson]),
    ),
  )
  for (const { uri, value } of records) assert.deepEqual(stored.get(uri), value)
})

testOnce('what a lexicon forbids is refused, inside an embedded record too', () => {
  const { basicTheme } = (records.find(({ uri }) => uri === tide) as StoredLine).value
  const themed = (more: Json) => refusalOf('3mz5s6rqsp222', { basicTheme: { ...basicTheme, ...more } })
  const color = { $type: 'site.standard.theme.color#rgb', r: 0, g: 0 }
  assert.equal(themed({}), null)
  assert.match(themed({ accent: { ...color, b: 256 } }) ?? '', /^Record\/basicTheme\/accent\/b .*255/)
  assert.match(themed({ accent: color }) ?? '', /^Record\/basicTheme\/accent must have the property "b"/)
  assert.match(themed({ accent: undefined }) ?? '', /^Record\/basicTheme must have the property "accent"/)
  assert.match(refusalOf('3mz5s6rqsp222', { basicTheme: [] }) ?? '', /^Record\/basicTheme must/)
  assert.match(refusalOf('3mz5s6rqsp232', { site: 'tide' }) ?? '', /^Record\/site must be a uri/)
  assert.match(refusalOf('3mz5s6rqsp232', { tags: ['é'.repeat(129)] }) ?? '', /^Record\/tags\/0 .*128/)
})
