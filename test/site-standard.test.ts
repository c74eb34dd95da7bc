/** The lexicons of standard.site: records of them import and answer. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test as testOnce } from 'node:test'
import { createLineReader } from '../src/lexicon/records/validate.ts'
import { buildLexicons } from '../src/lexicon/lexicons.ts'
import { readLexiconFolder } from './golden/corpora.ts'
import type { Json } from './reference/shapes.ts'
import { onEveryDatabase as test } from './support/store/databases.ts'
import type { Engine } from './support/store/postgres.ts'
import { sharedService } from './support/service/service.ts'
import type { StoredLine } from './support/service/engine.ts'

const folder = new URL('schemas/site-standard/', import.meta.url)
const { documents, references } = readLexiconFolder(new URL('lexicons/', folder))
const records: readonly StoredLine[] = readFileSync(new URL('records.jsonl', folder), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

const ana = 'did:plc:standardana2222222222222'
const ben = 'did:plc:standardben2222222222222'
const mei = 'did:web:mei.example.com'
const tide = `at://${ana}/site.standard.publication/3mz5s6rqsp222`
const boats = `at://${ana}/site.standard.document/3mz5s6rqsp232`

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

test('a document answers with everything it says', async (database) => {
  const { document } = await ask(
    database,
    `{ document: siteStandardDocumentByUri(uri: "${boats}") {
    site path title tags publishedAt updatedAt
    coverImage { ref mimeType size }
    content { type value } links { type value }
    contributors { did displayName role }
    labels { __typename ... on ComAtprotoLabelDefsSelfLabels { values { val } } }
    bskyPostRef { uri isCurrent } bskyPostRefResolved { __typename } } }`,
  )
  assert.deepEqual(document, {
    site: tide,
    path: '/boats',
    title: 'Every boat has two names',
    tags: ['boats', 'harbour'],
    publishedAt: '2026-11-14T09:00:00.000Z',
    updatedAt: '2026-11-15T12:30:00+02:00',
    coverImage: {
      ref: 'bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity',
      mimeType: 'image/jpeg',
      size: 912345,
    },
    content: {
      type: 'com.example.markdown',
      value: { $type: 'com.example.markdown', text: '# Boats\n\nEvery boat has **two** names.' },
    },
    links: {
      type: 'com.example.links',
      value: { $type: 'com.example.links', see: ['https://harbour.example.com'] },
    },
    contributors: [
      { did: ana, displayName: 'Ana', role: 'author' },
      { did: mei, displayName: null, role: null },
    ],
    labels: {
      __typename: 'ComAtprotoLabelDefsSelfLabels',
      values: [{ val: 'graphic-media' }, { val: 'spoiler' }],
    },
    // Posts are not among these lexicons.
    bskyPostRef: { uri: `at://${ana}/app.bsky.feed.post/3mz5s6rqsp242`, isCurrent: null },
    bskyPostRefResolved: null,
  })
})

test('lists filter, sort and count by words, tags, labels and instants', async (database) => {
  const answer = await ask(
    database,
    `{
    word: siteStandardDocument(where: {title: {contains: "CANCION"}}) { nodes { title } }
    tag: siteStandardDocument(where: {tags: {has: "harbour"}}) { nodes { path } }
    by: siteStandardDocument(where: {contributors: {some: {role: {eq: "author"}}}}) { nodes { path } }
    site: siteStandardDocument(where: {site: {eq: "${tide}"}}) { nodes { path } }
    pathless: siteStandardDocument(where: {path: {isNull: true}}) { nodes { title } }
    oldest: siteStandardDocument(first: 1, sortBy: [{field: publishedAt}]) { totalCount nodes { path } }
    hidden: siteStandardPublication(where: {preferences: {showInDiscover: {eq: false}}}) { nodes { name } }
    byDay: siteStandardDocumentAggregate(groupBy: [publishedAt_day], orderBy: KEY_ASC) {
      groups { publishedAt_day count } } }`,
  )
  assert.deepEqual(answer, {
    word: { nodes: [{ title: 'La canción de la lámpara' }] },
    tag: { nodes: [{ path: '/boats' }] },
    by: { nodes: [{ path: '/boats' }] },
    site: { nodes: [{ path: '/boats' }] },
    pathless: { nodes: [{ title: 'Nothing but a title' }] },
    oldest: { totalCount: 3, nodes: [{ path: '/boats' }] },
    hidden: { nodes: [{ name: 'The Tide Table' }] },
    byDay: {
      groups: [14, 15, 16].map((day) => ({ publishedAt_day: `2026-11-${day}`, count: 1 })),
    },
  })
})

test('open unions answer with the named type, or with whatever else they hold', async (database) => {
  const { labels } = await ask(
    database,
    `{ labels: siteStandardDocument(sortBy: [{field: publishedAt}]) { nodes { labels {
    __typename ... on ComAtprotoLabelDefsSelfLabels { values { val } } ... on UnknownObject { type value } } } } }`,
  )
  assert.deepEqual(
    labels.nodes.map((node: Json) => node.labels),
    [
      {
        __typename: 'ComAtprotoLabelDefsSelfLabels',
        values: [{ val: 'graphic-media' }, { val: 'spoiler' }],
      },
      null,
      {
        __typename: 'UnknownObject',
        type: 'com.example.labels',
        value: { $type: 'com.example.labels', stars: 4 },
      },
    ],
  )
})

test('a theme is a record of its own and an object in a publication', async (database) => {
  const colors = `accent { ... on SiteStandardThemeColorRgb { r g b } ... on UnknownObject { type value } }
    accentForeground { __typename ... on SiteStandardThemeColorRgb { r g b } }`
  const { own, within } = await ask(
    database,
    `{
    own: siteStandardThemeBasic { nodes { did ${colors} } }
    within: siteStandardPublication(sortBy: [{field: indexedAt}]) {
      nodes { icon { mimeType size } basicTheme { __typename ${colors} } } } }`,
  )
  assert.deepEqual(own.nodes, [
    { did: mei, accent: { r: 0, g: 128, b: 0 }, accentForeground: { __typename: 'UnknownObject' } },
  ])
  const accent = { $type: 'site.standard.theme.color#rgba', r: 0, g: 90, b: 160, a: 80 }
  assert.deepEqual(within.nodes, [
    {
      icon: { mimeType: 'image/png', size: 20480 },
      basicTheme: {
        __typename: 'SiteStandardThemeBasicValue',
        accent: { type: accent.$type, value: accent },
        accentForeground: { __typename: 'SiteStandardThemeColorRgb', r: 250, g: 250, b: 240 },
      },
    },
    { icon: null, basicTheme: null },
  ])
})

test('references lead forwards and backwards, but only to the collection they are for', async (database) => {
  const answer = await ask(
    database,
    `{
    recommendations: siteStandardGraphRecommend(sortBy: [{field: createdAt}]) { nodes { did
      documentResolved { ... on SiteStandardDocument { path } } } }
    documents: siteStandardDocument(sortBy: [{field: publishedAt}]) { nodes {
      siteStandardGraphRecommendViaDocument(sortBy: [{field: createdAt}]) { totalCount nodes { did } } } }
    publications: siteStandardPublication(sortBy: [{field: name}]) { nodes { name
      siteStandardGraphSubscriptionViaPublication(sortBy: [{field: did}]) { totalCount nodes { did createdAt } } } }
    stray: siteStandardGraphSubscription(where: {publication: {isIndexed: true}, rkey: {eq: "3mz5s6rqsp264"}}) {
      nodes { publicationResolved { __typename } } } }`,
  )
  assert.deepEqual(answer.recommendations.nodes, [
    { did: ben, documentResolved: { path: '/boats' } },
    { did: mei, documentResolved: { path: '/boats' } },
    { did: ana, documentResolved: { path: '/luz' } },
    { did: mei, documentResolved: null },
  ])
  assert.deepEqual(
    answer.documents.nodes.map((node: Json) => node.siteStandardGraphRecommendViaDocument),
    [
      { totalCount: 2, nodes: [{ did: ben }, { did: mei }] },
      { totalCount: 0, nodes: [] },
      { totalCount: 1, nodes: [{ did: ana }] },
    ],
  )
  assert.deepEqual(answer.publications.nodes, [
    { name: 'El Faro de Papel', siteStandardGraphSubscriptionViaPublication: { totalCount: 0, nodes: [] } },
    {
      name: 'The Tide Table',
      siteStandardGraphSubscriptionViaPublication: {
        totalCount: 2,
        nodes: [
          { did: ben, createdAt: '2026-11-16T09:50:00Z' },
          { did: mei, createdAt: null },
        ],
      },
    },
  ])
  assert.deepEqual(answer.stray.nodes, [{ publicationResolved: { __typename: 'SiteStandardDocument' } }])
})

test('conditions and groups reach through references', async (database) => {
  const answer = await ask(
    database,
    `{
    of: siteStandardGraphRecommend(where: {document: {tags: {has: "boats"}}}) { totalCount }
    loved: siteStandardDocument(
      where: {siteStandardGraphRecommendViaDocument: {some: {did: {eq: "${mei}"}}}}) { nodes { path } }
    themed: siteStandardGraphSubscription(where: {publication: {basicTheme: {isNull: false}}}) { totalCount }
    ranking: siteStandardGraphRecommendAggregate(groupBy: [document_title]) { groups { document_title count } } }`,
  )
  assert.deepEqual(answer, {
    of: { totalCount: 2 },
    loved: { nodes: [{ path: '/boats' }] },
    themed: { totalCount: 2 },
    ranking: {
      groups: [
        { document_title: 'Every boat has two names', count: 2 },
        { document_title: null, count: 1 },
        { document_title: 'La canción de la lámpara', count: 1 },
      ],
    },
  })
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
