/** An answer that is empty because of a value names the values that exist, and how many it leaves out. */
import assert from 'node:assert/strict'
import { newsLexicons } from '../../../test/golden/corpora.ts'
import { createAgent, engineEndpoint, modelOf } from '../../../test/support/service/agents.ts'
import { onOneDatabase } from '../../../test/support/store/databases.ts'
import type { Engine } from '../../../test/support/store/postgres.ts'
import { buildRecord } from '../../../test/support/records/records.ts'
import { openTestService } from '../../../test/support/service/service.ts'

const { documents: lexicons, references } = newsLexicons
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Codes of two letters, each of one more outlet than the next. */
function outlets(codes: readonly string[]) {
  const of = codes.flatMap((country, at) => Array.from({ length: codes.length - at }, () => country))
  return Promise.all(
    of.map((country, at) =>
      buildRecord('tech.service.news.source', {
        rkey: `outlet-${at}`,
        value: {
          displayName: `Outlet ${at}`,
          baseUrl: 'https://outlet.example/',
          country,
          languages: [country.toLowerCase()],
          createdAt: '2026-11-01T00:00:00.000Z',
        },
      }),
    ),
  )
}

async function whyNone(database: Engine, size: number) {
  const codes = Array.from({ length: size }, (_, at) => `${letters[Math.floor(at / 5)]}${letters[at % 5]}`)
  const records = await outlets(codes)
  const service = await openTestService({ lexicons, references, records, database })
  const agent = createAgent(modelOf(lexicons, references), engineEndpoint(service.engine))
  return {
    agent,
    why: async (filters: object): Promise<string | undefined> =>
      (await agent.call('search_records', { collection: 'source', filters })).hint,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

onOneDatabase('of more than 25 values the number of the others is told', async (database) => {
  await using corpus = await whyNone(database, 31)
  const { why } = corpus
  assert.match(
    (await why({ country: 'QQ' })) ?? '',
    /^No .* There are: AA, .*, EE and 6 more, which describe lists\.$/,
  )
  assert.match((await why({ country: 'ga' })) ?? '', /mean "GA"\?/)
  assert.equal(await why({ region: 'xx' }), 'No record has region.')
  const { values } = await corpus.agent.call('describe', { collection: 'source' })
  assert.deepEqual(Object.entries(values.country).at(-1), ['…', '19 more'])
})

onOneDatabase('a value in other letters is found among more than 50, in lists too', async (database) => {
  await using corpus = await whyNone(database, 60)
  const { why } = corpus
  // The rarest of all.
  for (const [filters, meant] of [
    [{ country: 'le' }, 'LE'],
    [{ country: ['Le', 'qq'] }, 'LE'],
    [{ languages: 'LE' }, 'le'],
    [{ languages: { hasAll: ['LE'] } }, 'le'],
  ] as const)
    assert.match(
      (await why(filters)) ?? '',
      new RegExp(`^No .* Did you mean "${meant}"\\? The most frequent of 60: aa, `, 'i'),
    )
  assert.match((await why({ country: 'AAA' })) ?? '', /mean "AA"\?/)
  for (const [filters, said] of [
    [{ country: 'LE', languages: 'aa' }, /^Each filter is met, but not all together: country 1, lan/],
    [{ country: ['QQ', 'RR', 'SS', 'TT', 'UU'] }, /^No record has any of these values in country\. The most/],
    [{ 'article.language': 'en' }, /^No source has any article: no record refers to one so\.$/],
    [{ article: 'some' }, /^No source has any article/],
    [{ active: true }, /^No record has active\.$/],
    [{ country: null }, /^Every source has country\.$/],
    [{ indexedAt: '1999' }, /^No record has that in indexedAt: it goes from 2026-01-01 to 2026-01-01\.$/],
    [
      { baseUrl: 'https://outlet.example/?id=1' },
      /without its query there is 1830: write "https:\/\/outlet\.ex/,
    ],
  ] as const)
    assert.match((await why(filters)) ?? '', said)
})
