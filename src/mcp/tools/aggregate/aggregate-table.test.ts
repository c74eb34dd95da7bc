/** Shares of groups, compared with counts of records, where there are more groups than the service returns at once. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import fc from 'fast-check'
import { rounds, seed } from '../../../../test/support/rounds.ts'
import { type Answer, file } from '../tool.ts'
import { openOn } from '../../../../test/support/service/news-agent.ts'
import { closeCorpora } from '../../../../test/golden/corpora.ts'
import { checkedCalls } from '../../../../test/mcp/checked-calls.ts'
import {
  type Agent,
  createAgent,
  demoDay,
  engineEndpoint,
  modelOf,
  readPages,
} from '../../../../test/support/service/agents.ts'
import { onOneDatabase } from '../../../../test/support/store/databases.ts'
import type { Engine } from '../../../../test/support/store/postgres.ts'
import type { Json } from '../../../util/is-object.ts'
import { buildRecord } from '../../../../test/support/records/records.ts'
import { sharedService } from '../../../../test/support/service/service.ts'
import { recordLexicon } from '../../../../test/support/store/store.ts'

after(closeCorpora)

const short = { type: 'string', maxLength: 20 }
const part = { type: 'object', properties: { name: short, role: short } }
const properties = {
  kind: short,
  language: short,
  title: { type: 'string', maxGraphemes: 100 },
  parts: { type: 'array', items: { type: 'ref', ref: '#part' } },
}
const lexicon = recordLexicon('test.shares.work', properties, { defs: { part } })

const note = recordLexicon('test.shares.note', { about: { type: 'string', format: 'at-uri' } })
/** Called like the columns that are no paths. */
const titles = 'count matching share against_count against_share score percent change samples'.split(' ')
const named = recordLexicon(
  'test.shares.named',
  Object.fromEntries(titles.map((title) => [title, { type: 'integer' }])),
)

const lexicons = [lexicon, note, named]
const references = { 'test.shares.note#about': ['test.shares.work'] }

const kinds = 1_300

/** Of each kind one work, in English unless its number is even; of every hundredth kind two. */
const works = Array.from({ length: kinds }, (_, at) => at).flatMap((at) => {
  const kind = `k${String(at).padStart(4, '0')}`
  const parts = [
    { name: kind, role: at % 2 === 0 ? 'maker' : 'seller' },
    { name: 'all', role: at % 2 === 0 ? 'seller' : 'maker' },
  ]
  const work = {
    kind,
    language: at % 2 === 0 ? 'fr' : 'en',
    title: at % 3 === 0 ? 'red stone' : 'stone',
    parts,
  }
  return at % 100 === 0 ? [work, { ...work, language: 'en' }] : [work]
})

type Row = readonly [kind: string, count: number, matching: number, share: number]

function expectedRows(
  all: typeof works,
  isShared: (work: (typeof works)[number]) => boolean,
): Map<string, Row> {
  const groups = Map.groupBy(all, ({ kind }) => kind)
  return new Map(
    [...groups].map(([kind, members]): [string, Row] => {
      const matching = members.filter(isShared).length
      return [kind, [kind, members.length, matching, matching / members.length]]
    }),
  )
}

const shared = sharedService(async () => ({
  lexicons,
  references,
  records: await recordsOfWorks(),
}))

/** A note about the first work. */
async function recordsOfWorks() {
  const records = await Promise.all(
    works.map((value, at) => buildRecord('test.shares.work', { rkey: `r${at}`, value })),
  )
  const about = await buildRecord('test.shares.note', { rkey: 'n', value: { about: records[0]?.uri } })
  const value = Object.fromEntries(titles.map((title, at) => [title, 100 + at]))
  return [...records, about, await buildRecord('test.shares.named', { rkey: 'n', value })]
}

async function open(database: Engine): Promise<Agent> {
  return createAgent(modelOf(lexicons, references), await endpointOf(database))
}

async function endpointOf(database: Engine) {
  return engineEndpoint((await shared(database)).engine, undefined, { points: 1_000 })
}

const asked = { collection: 'work', by: ['kind'], share: { language: 'en' } }

onOneDatabase('every group has its share, however many groups there are', async (database) => {
  const agent = await open(database)
  const isEnglish = ({ language }: (typeof works)[number]) => language === 'en'
  for (const [args, among] of [
    [{}, works],
    [{ order: 'key' }, works],
    [{ order: '-count', min_count: 2 }, works],
    [{ search: 'red' }, works.filter(({ title }) => title.startsWith('red'))],
    [{ filters: { 'parts.role': 'maker' } }, works],
  ] as const) {
    const { rows, hint } = await agent.call('aggregate', { ...asked, limit: 30, ...args })
    const expected = expectedRows([...among], isEnglish)
    assert.ok(rows.length > 10)
    for (const row of rows) assert.deepEqual(row, expected.get(row[0]) as Row, JSON.stringify(args))
    assert.equal(hint, undefined)
  }
})

onOneDatabase('an order by share has all groups, the zeros too', async (database) => {
  const agent = await open(database)
  const expected = expectedRows(works, ({ language }) => language === 'en')
  for (const sign of [-1, 1]) {
    const order = sign < 0 ? '-share' : 'share'
    const args = { ...asked, limit: 500, max_tokens: 10_000, order }
    const answers = await readPages(agent.call, 'aggregate', args)
    for (const { hint } of answers) assert.equal(hint, undefined)
    const all = answers.flatMap(({ rows }): Row[] => rows)
    assert.deepEqual(new Map(all.map((row) => [row[0], row])), expected)
    const shares = all.map((row) => row[3])
    assert.deepEqual(
      shares,
      shares.toSorted((a, b) => sign * (a - b)),
    )
  }
})

onOneDatabase(
  'shares of values in an array of objects are of the elements that meet them',
  async (database) => {
    const agent = await open(database)
    const { rows } = await agent.call('aggregate', {
      collection: 'work',
      by: ['parts.name'],
      share: { 'parts.role': 'maker' },
      limit: 40,
    })
    for (const [name, count, matching] of rows) {
      const among = works.filter(({ parts }) => parts.some((part) => part.name === name))
      const makers = among.filter(({ parts }) =>
        parts.some((part) => part.name === name && part.role === 'maker'),
      )
      assert.deepEqual([count, matching], [among.length, makers.length], name)
    }
  },
)

onOneDatabase('a sample without a name has that of what it refers to', async (database) => {
  const agent = await open(database)
  const { rows } = await agent.call('aggregate', { collection: 'note', by: ['did'], samples: 1 })
  const [{ uri, about }] = rows[0][2]
  assert.deepEqual([uri.endsWith('/n'), about], [true, 'red stone (r0)'])
})

onOneDatabase('a share and the filters may be met by different referring records', async (database) => {
  const { agent, reference } = await openOn(database)
  const call = checkedCalls(agent.call, reference, demoDay)
  const [article, negative] = ['tech.service.news.article', { sentiment: { eq: 'negative' } }]
  const share = { 'enrichment.sentiment': 'negative' }
  for (const [filters, where] of [
    [{ 'enrichment.clickbaitScore': { gte: 5 } }, { clickbaitScore: { gte: 5 } }],
    [{ 'enrichment.sentiment': 'neutral' }, { sentiment: { eq: 'neutral' } }],
  ] as const) {
    const { rows } = await call('aggregate', { collection: 'article', filters, share })
    const some = { AND: [where, negative] }
    const inOne = reference.count(article, { techServiceNewsEnrichmentViaArticle: { some } })
    assert.ok(rows[0][1] > inOne, JSON.stringify(filters))
  }
})

onOneDatabase('the file of a table has its columns, and as many rows as its link says', async (database) => {
  const endpoint = await endpointOf(database)
  const { tools } = await open(database)
  const paths = fc.constantFrom('kind', 'language', 'title', 'parts.name', 'parts.role')
  const table = fc.record({
    by: fc.uniqueArray(paths, { minLength: 1, maxLength: 2 }),
    measures: fc.uniqueArray(
      paths.map((path) => `distinct:${path}`),
      { maxLength: 3 },
    ),
    within: fc.constantFrom({}, { min_count: 2 }, { top: { by: 'did' } }, { samples: 1 }),
  })
  await fc.assert(
    fc.asyncProperty(table, async ({ within, ...given }) => {
      const args = { collection: 'work', ...given, ...within, limit: 20, max_tokens: 10_000 }
      const aggregate = tools.find(({ name }) => name === 'aggregate')
      const answer: Answer = (await aggregate?.run(args, new AbortController().signal)) ?? {}
      const of = answer[file]
      if (of === undefined) return
      const { data } = await endpoint.ask({ query: of.query }, new AbortController().signal)
      assert.ok(data !== null)
      const { groups } = data['testSharesWorkAggregate'] as { readonly groups: readonly Json[] }
      const all = Number(answer['groups'])
      const lists = ['top' in within ? ['top did'] : [], 'samples' in within ? ['samples'] : []].flat()
      const lacking = lists.length === 0 ? '' : `, without ${lists.join(', ')}`
      assert.deepEqual(
        [groups.length, of.rows],
        all > 1_000 ? [1_000, `At most 1000 rows${lacking}`] : [all, `All rows${lacking}`],
      )
      const columns = (answer['columns'] as readonly string[]).filter((column) => !lists.includes(column))
      for (const [at, row] of (answer['rows'] as readonly (readonly unknown[])[]).entries())
        assert.deepEqual(
          columns.map((column) => groups[at]?.[column.replace(/[:.]/g, '_')]),
          row.slice(0, columns.length),
        )
    }),
    { seed, numRuns: rounds(8) },
  )
})

onOneDatabase('columns of one answer have different names, and paths keep theirs', async (database) => {
  const agent = await open(database)
  const by = fc.uniqueArray(fc.constantFrom(...titles), { minLength: 1, maxLength: 3 })
  const measures = fc.array(fc.constantFrom('avg:count', 'mean:count', 'max:score', 'count', 'percent'), {
    maxLength: 4,
  })
  const more = fc.constantFrom({}, { samples: 1 }, { top: { by: 'did' } }, { change: true })
  const within = fc.constantFrom({}, { share: { count: 100 } }, { unusual: {}, filters: { count: 100 } })
  await fc.assert(
    fc.asyncProperty(by, measures, more, within, async (by, measures, more, within) => {
      const isSeries = 'change' in more
      if (isSeries && 'unusual' in within) return
      const paths = isSeries ? ['indexedAt', ...by] : by
      const args = { collection: 'named', by: paths, measures, ...more, ...within, min_count: 1 }
      const { columns, rows } = await agent.call('aggregate', args)
      assert.equal(new Set(columns).size, columns.length)
      assert.deepEqual(columns.slice(0, paths.length), paths)
      for (const row of rows) {
        assert.equal(row.length, columns.length)
        for (const [at, path] of paths.entries())
          if (path !== 'indexedAt') assert.equal(row[at], 100 + titles.indexOf(path))
        assert.equal(row[paths.length], 1)
      }
    }),
    { seed, numRuns: rounds(40) },
  )
})
