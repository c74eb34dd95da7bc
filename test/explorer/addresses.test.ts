/** Addresses that nobody should write: each is answered or refused, and none becomes markup. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { groupMeasures } from '../../src/explorer/chart-data/group-choices.ts'
import { measures } from '../../src/explorer/chart-data/over-time.ts'
import { periods } from '../../src/explorer/chart-data/periods.ts'
import { chartKinds } from '../../src/explorer/charts/chart-spec.ts'
import { createSubjects } from '../../src/explorer/fields/subject.ts'
import { operators } from '../../src/ask/fields.ts'
import { chartParameters, filterParameters, viewParameters } from '../../src/explorer/view/parameters.ts'
import { fileFormats } from '../../src/files/file-spec.ts'
import { rounds, seed } from '../support/rounds.ts'
import { assertHarmless } from './harmless.ts'
import { article, enrichment, newsModel, openPages } from './pages.ts'

const subjects = createSubjects(newsModel)
const account = 'did:plc:lexigraphdemopress222222'

const evil = fc.constantFrom(
  '"><x-evil onload=alert(1)>',
  ...`'><script>alert(1)</script> </title><x-evil> ]]><x-evil/> javascript:alert(1) data:text/html,<x-evil>
  //evil.example \u202Egpj.exe\u2066 \0 \uD83D % - * __proto__ constructor toString`.split(/\s+/),
  '9'.repeat(400),
  'é'.repeat(5_000),
)
const plausible = fc.constantFrom(
  ...`en GB storm sto* negative sport true 0 1 -1 8 2026-11-01 2026-11-31 2026-11-01T00:00:00Z
  +275760-09-13 table cards language,title language publishedAt -wordCount RELEVANCE topic groups
  publishedAt_week clickbaitScore`.split(/\s+/),
  'storm -flood',
  '-flood',
  '!!',
  '"coastal storm"',
  `at://${account}/tech.service.news.source/alpenfunk.example`,
  ...periods,
  ...measures,
  ...groupMeasures,
  ...chartKinds,
)
const value = fc.oneof(
  { arbitrary: plausible, weight: 5 },
  evil,
  fc.string({ unit: 'binary', maxLength: 40 }),
)
const fieldNames = [...new Set(subjects.all.flatMap(({ fields }) => [...fields.keys()]))]
const own = [...viewParameters, ...filterParameters, ...chartParameters, 'lang']
const name = fc.oneof(
  fc.constantFrom(...own),
  fc.constantFrom(...fieldNames),
  fc
    .tuple(fc.constantFrom(...fieldNames), fc.constantFrom(...operators))
    .map(([field, operator]) => `${field}.${operator}`),
  evil,
)
const parameters = fc.array(fc.tuple(name, value), { maxLength: 5 })

const files = ['feed.atom', 'chart.svg', ...fileFormats.map((format) => `chart.${format}`)]
const nsid = fc.constantFrom(...subjects.all.map(({ collection }) => collection.nsid))
const segment = fc.oneof(evil, fc.string({ maxLength: 20 })).map(encodeText)
const path = fc.oneof(
  { arbitrary: fc.constantFrom('/', '/search', '/search/', '/c/', '/at/', '/embed/'), weight: 2 },
  {
    arbitrary: fc
      .tuple(
        nsid,
        fc.constantFrom('', '', '/filter', '/charts', '/charts', ...files.map((each) => `/${each}`)),
      )
      .map(([id, page]) => `/c/${id}${page}`),
    weight: 10,
  },
  nsid.map((id) => `/embed/c/${id}`),
  fc.tuple(nsid, segment).map(([id, more]) => `/c/${id}/${more}`),
  fc.tuple(nsid, segment).map(([id, key]) => `/at/${account}/${id}/${key}`),
  fc.constantFrom(`/at/${account}`, `/at/${account}/tech.service.news.source/alpenfunk.example`),
  fc.tuple(segment, segment, segment).map((parts) => `/at/${parts.join('/')}`),
)

type Address = [string, [string, string][]]
/** Each condition alone can be asked. */
const tooDear: Address[1] = [
  ['locations_name', 'en'],
  ['article_source_feeds_kind', 'en'],
]

/** Lone surrogates cannot be in an address. */
function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

test('no address fails, and none becomes markup', async () => {
  const { get } = await openPages()
  await fc.assert(
    fc.asyncProperty(path, parameters, async (place, given) => {
      const query = new URLSearchParams(given).toString()
      const { status, body } = await get(query === '' ? place : `${place}?${query}`)
      assert.ok([200, 303, 400, 404].includes(status), `${status} ${body}`)
      // Neither JSON nor files of values are markup.
      if (body.startsWith('<')) assertHarmless(body)
    }),
    {
      numRuns: rounds(200),
      seed,
      examples: [
        ...['-flood', '!!', '\u200B'].map((search) => [article, [['q', search]]] as Address),
        ...[enrichment, `/embed${enrichment}`].map((place) => [place, tooDear] as Address),
      ],
    },
  )
})
