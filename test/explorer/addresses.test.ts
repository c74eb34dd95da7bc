/** Addresses that nobody should write: each is answered or refused, and none becomes markup. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import fc from 'fast-check'
import { closeCorpora, corpusNamed, newsLexicons } from '../golden/corpora.ts'
import { createSubjects } from '../../src/explorer/fields/subject.ts'
import { operators } from '../../src/explorer/view/conditions.ts'
import { modelOf } from '../support/service/agents.ts'
import { onEveryDatabase as test } from '../support/store/databases.ts'
import { explorerOver } from '../support/service/explorer.ts'
import { assertHarmless } from './harmless.ts'

const model = modelOf(newsLexicons.documents, newsLexicons.references)
const subjects = createSubjects(model)
const account = 'did:plc:lexigraphdemopress222222'
after(closeCorpora)

const evil = fc.constantFrom(
  '"><x-evil onload=alert(1)>',
  "'><script>alert(1)</script>",
  '</title><x-evil>',
  ']]><x-evil/>',
  'javascript:alert(1)',
  'data:text/html,<x-evil>',
  '//evil.example',
  '\u202Egpj.exe\u2066',
  '\0',
  '\uD83D',
  '%',
  '-',
  '*',
  '__proto__',
  'constructor',
  'toString',
  '9'.repeat(400),
  'é'.repeat(5_000),
)
const plausible = fc.constantFrom(
  'en',
  'GB',
  'storm',
  'storm -flood',
  '"coastal storm"',
  'sto*',
  'negative',
  'sport',
  'true',
  '0',
  '1',
  '-1',
  '8',
  '2026-11-01',
  '2026-11-31',
  '2026-11-01T00:00:00Z',
  '+275760-09-13',
  'table',
  'cards',
  'language,title',
  'language',
  'publishedAt',
  '-wordCount',
  'RELEVANCE',
  'month',
  'lines',
  'share',
  'average',
  'compare',
  'unusual',
  'publishedAt_week',
  'clickbaitScore',
  `at://${account}/tech.service.news.source/alpenfunk.example`,
)
const value = fc.oneof(
  { arbitrary: plausible, weight: 5 },
  evil,
  fc.string({ unit: 'binary', maxLength: 40 }),
)
const fieldNames = [...new Set(subjects.all.flatMap(({ fields }) => [...fields.keys()]))]
const own =
  'q sort show columns facets after before field find op value lang part measure of by kind top step query on against split as per'
const name = fc.oneof(
  fc.constantFrom(...own.split(' ')),
  fc.constantFrom(...fieldNames),
  fc
    .tuple(fc.constantFrom(...fieldNames), fc.constantFrom(...operators))
    .map(([field, operator]) => `${field}.${operator}`),
  evil,
)
const parameters = fc.array(fc.tuple(name, value), { maxLength: 5 })

const nsid = fc.constantFrom(...subjects.all.map(({ collection }) => collection.nsid))
const segment = fc.oneof(evil, fc.string({ maxLength: 20 })).map(encodeText)
const path = fc.oneof(
  { arbitrary: fc.constantFrom('/', '/search', '/search/', '/c/', '/at/', '/embed/'), weight: 2 },
  {
    arbitrary: fc
      .tuple(
        nsid,
        fc.constantFrom(
          '',
          '',
          '/filter',
          '/charts',
          '/charts',
          '/chart.svg',
          '/chart.csv',
          '/chart.parquet',
          '/feed.atom',
          '/feed.json',
        ),
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

/** Lone surrogates cannot be in an address. */
function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

test('no address fails, and none becomes markup', async (database) => {
  const { service } = await corpusNamed('demo', database)
  const explorer = explorerOver(service, model)
  await fc.assert(
    fc.asyncProperty(path, parameters, async (place, given) => {
      const query = new URLSearchParams(given).toString()
      const { status, body } = await explorer.get(query === '' ? place : `${place}?${query}`)
      assert.ok([200, 303, 400, 404].includes(status), `${status} ${body}`)
      // Neither JSON nor files of values are markup.
      if (body.startsWith('<')) assertHarmless(body)
    }),
    { numRuns: 300 },
  )
})
