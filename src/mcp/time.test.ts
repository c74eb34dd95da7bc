/** Times in tools: records without one, empty windows, and archives, over the demo corpus and the reference evaluator. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { model, openOn } from '../../test/support/service/news-agent.ts'
import { closeCorpora, corpusNamed } from '../../test/golden/corpora.ts'
import { isIncompleteIn } from '../../test/mcp/tables.ts'
import type { Json } from '../../test/reference/shapes.ts'
import {
  createAgent,
  demoDay,
  engineEndpoint,
  modelOf,
  readPages,
} from '../../test/support/service/agents.ts'
import { onOneDatabase } from '../../test/support/store/databases.ts'
import { buildRecord } from '../../test/support/records/records.ts'
import { openTestService } from '../../test/support/service/service.ts'
import { recordLexicon } from '../../test/support/store/store.ts'
import { sideCountsHint } from './words/side-counts.ts'
import type { Subject } from '../ask/collections.ts'

after(closeCorpora)

const article = 'tech.service.news.article'
const enrichment = 'tech.service.news.enrichment'

const datetime = { type: 'string', format: 'datetime' }

onOneDatabase(
  'records without a time are the last in either order, on pages of any size',
  async (database) => {
    const { agent, reference } = await openOn(database)
    const { records: wanted } = reference.list(article, { where: { language: { eq: 'hi' } }, first: 200 })
    const times = wanted.flatMap(({ value }) => (value.publishedAt ? Date.parse(value.publishedAt) : []))
    const last = Array.from({ length: wanted.length - times.length }, () => null)
    assert.ok(times.length > 20 && last.length > 2)
    const args = { collection: 'article', filters: { language: 'hi' }, fields: ['publishedAt'], limit: 7 }
    for (const sort of ['publishedAt', 'publishedAt desc']) {
      const pages = await readPages(agent.call, 'search_records', { ...args, sort })
      const records = pages.flatMap((page): Json[] => page['records'])
      const found = records.map(({ publishedAt }) => (publishedAt ? Date.parse(publishedAt) : null))
      const sign = sort === 'publishedAt' ? 1 : -1
      assert.deepEqual(found, [...times.toSorted((a, b) => sign * (a - b)), ...last])
    }
  },
)

onOneDatabase(
  'answers under a condition on time say how many records without one it excludes',
  async (database) => {
    const { agent, reference } = await openOn(database)
    const none = (where: Json) => reference.count(article, { ...where, publishedAt: { isNull: true } })
    const says = (count: number) =>
      new RegExp(
        `^${count} records? that meets? all other conditions (has|have) no publishedAt and (is|are) left out\\.`,
      )
    const french = { language: { eq: 'fr' } }
    const missing = none(french)
    assert.ok(missing > 1)
    const asked = { collection: 'article', filters: { language: 'fr' }, since: '2026-10-01' }
    const found = await agent.call('search_records', { ...asked, limit: 1 })
    assert.match(found.hint, says(missing))
    const next = await agent.call('search_records', { ...asked, limit: 1, after: found.after })
    assert.equal(next.hint, undefined)
    for (const by of [[], ['language'], ['tags', 'tags']])
      assert.match((await agent.call('aggregate', { ...asked, by })).hint, says(missing), `${by}`)
    const byFilter = { language: 'fr', publishedAt: { gte: '2026-10-01' } }
    assert.match(
      (await agent.call('aggregate', { collection: 'article', filters: byFilter })).hint,
      says(missing),
    )
    const searched = await agent.call('aggregate', {
      collection: 'article',
      search: 'klima*',
      since: '2026-10',
    })
    const all = await agent.call('aggregate', {
      collection: 'article',
      search: 'klima*',
      filters: { publishedAt: null },
    })
    assert.match(searched.hint ?? '', all.count === 0 ? /^$/ : says(all.count))
    const present = { collection: 'article', filters: { publishedAt: { ne: null } } }
    assert.equal((await agent.call('aggregate', present)).hint, undefined)
    const behind = { collection: 'article', filters: { 'duplicateOf.publishedAt': { gte: '2026-10-01' } } }
    assert.equal((await agent.call('aggregate', behind)).hint, undefined)
    const required = await agent.call('aggregate', { collection: 'enrichment', since: '2026-10-01' })
    assert.equal(required.hint, undefined)
    assert.doesNotMatch(agent.asked.at(-1)?.query ?? '', /undated/)
  },
)

onOneDatabase(
  'an empty window names the newest and the oldest time under the other conditions',
  async (database) => {
    const { agent, reference } = await openOn(database)
    const hint = async (tool: string, args: Json) =>
      (await agent.call(tool, { collection: 'article', ...args })).hint
    const daysOf = (where: Json) => {
      const { records } = reference.list(article, {
        where: { ...where, publishedAt: { isNull: false } },
        first: 1000,
      })
      const days = records
        .map(({ value }) => new Date(value.publishedAt).toISOString().slice(0, 10))
        .toSorted()
      return `newest is ${days.at(-1)}, the oldest is ${days[0]}.`
    }
    const since = '2027-01-01'
    assert.ok(
      (await hint('search_records', { since })).startsWith(`Nothing is from that time. The ${daysOf({})}`),
    )
    const japanese = `Of what meets the other conditions, the ${daysOf({ language: { eq: 'ja' } })}`
    const filters = { language: 'ja' }
    assert.ok((await hint('search_records', { since, filters })).includes(japanese))
    assert.ok((await hint('aggregate', { since, filters, by: ['source'] })).includes(japanese))
    assert.ok(
      (await hint('aggregate', { filters: { ...filters, publishedAt: { lt: '2020' } } })).includes(japanese),
    )
    const searched = { since, search: 'ceasefire' }
    assert.match(
      await hint('search_records', searched),
      /Of what meets the other conditions, the newest is 2026-1\d/,
    )
    assert.match(await hint('search_records', { since, filters: { language: 'xx' } }), /No record has "xx"/)
  },
)

onOneDatabase(
  'in an archive, times count from the newest record, and the answer says so',
  async (database) => {
    const later = new Date('2027-03-01T12:00:00Z')
    const { agent, reference } = await openOn(database, later)
    const newestOf = (nsid: string, time: string) =>
      Math.max(
        ...reference.records.flatMap((one) =>
          one.collection === nsid && one.value[time] ? [Date.parse(one.value[time])] : [],
        ),
      )
    const newest = new Date(newestOf(article, 'publishedAt'))
    const day = newest.toISOString().slice(0, 10)
    const says = `Times count from the newest record, ${day}, because the index is an archive.`
    const week = new Date(newest.getTime() - 7 * 86_400_000).toISOString()
    const wanted = reference.count(article, { publishedAt: { gte: week } })
    assert.ok(wanted > 10)
    for (const [tool, args, member] of [
      ['aggregate', { since: 'last 7 days' }, 'count'],
      ['search_records', { since: 'last 7 days', limit: 1 }, 'total'],
      ['aggregate', { filters: { publishedAt: { gte: 'last 7 days' } } }, 'count'],
      ['aggregate', { filters: { publishedAt: 'last 7 days' } }, 'count'],
      ['search_records', { filters: { publishedAt: 'last 7 days' }, limit: 1 }, 'total'],
      ['aggregate', { since: 'last 7 days', until: 'last 7 days' }, 'count'],
      ['aggregate', { since: week, until: 'last 7 days' }, 'count'],
      ['aggregate', { since: week, filters: { publishedAt: { lte: 'last 7 days' } } }, 'count'],
    ] as const) {
      const answer = await agent.call(tool, { collection: 'article', ...args })
      assert.equal(answer[member], wanted)
      assert.ok(answer.hint.endsWith(says), answer.hint)
    }
    const afterwards = await agent.call('aggregate', {
      collection: 'article',
      filters: { publishedAt: { gt: 'last 7 days' } },
    })
    assert.equal(afterwards.count, 0)
    const shared = await agent.call('aggregate', {
      collection: 'article',
      share: { publishedAt: 'last 7 days' },
    })
    assert.equal(shared.rows[0][1], wanted)
    const today = await agent.call('aggregate', { collection: 'article', since: 'today', until: 'today' })
    assert.equal(today.count, reference.count(article, { publishedAt: { gte: `${day}T00:00:00Z` } }))
    const behind = { 'article.publishedAt': { gte: 'last 7 days' } }
    const analysed = await agent.call('aggregate', { collection: 'enrichment', filters: behind })
    assert.equal(analysed.count, reference.count(enrichment, { article: { publishedAt: { gte: week } } }))
    assert.ok(analysed.hint.endsWith(says))
    const exact = await agent.call('aggregate', { collection: 'article', since: day })
    assert.ok(!/archive/.test(exact.hint ?? ''))
  },
)

onOneDatabase(
  'since and until one moment is that moment, and a day after until is refused',
  async (database) => {
    const { agent, reference } = await openOn(database)
    const count = async (since: string, until: string): Promise<number> =>
      (await agent.call('aggregate', { collection: 'article', since, until })).count
    const moment = new Date(reference.records.find(({ value }) => value.publishedAt)?.value.publishedAt)
    const publishedAt = { eq: moment.toISOString() }
    assert.equal(
      await count(moment.toISOString(), moment.toISOString()),
      reference.count(article, { publishedAt }),
    )
    await assert.rejects(count('2026-11-12', '2026-11-10'), /^AskError: since begins at 2026-11-12T00:00:00/)
  },
)

onOneDatabase(
  'a collection that rarely grows counts from now while the main one is fresh',
  async (database) => {
    const { agent } = await openOn(database)
    const answer = await agent.call('aggregate', { collection: 'source', since: 'last 7 days' })
    assert.equal(answer.count, 0)
    const read = '"last 7 days" is from 2026-11-09T09:30:00Z.'
    assert.equal(answer.hint, `Nothing is from that time. The newest is 2026-09-14. ${read}`)
  },
)

test('one record without a time and several are told in words', () => {
  const subject = { time: 'madeAt', display: null, texts: [], collection: { searchFields: [] } }
  const told = (count: number) =>
    sideCountsHint({ undated: { count } }, 9, {}, subject as unknown as Subject, { budget: 900 })
  assert.deepEqual([0, 1, 2].map(told), [
    '',
    '1 record that meets all other conditions has no madeAt and is left out.',
    '2 records that meet all other conditions have no madeAt and are left out.',
  ])
})

test('what a condition on time leaves out is not counted if the caller cannot pay for it', async () => {
  const { service } = await corpusNamed('demo', 'sqlite')
  const asked = { collection: 'article', search: 'storm OR flood', since: '2026-10-01', limit: 1 }
  const answers = [250, 115].map((points) =>
    createAgent(model, engineEndpoint(service.engine, undefined, { points })).call('search_records', asked),
  )
  const [whole, cheap] = await Promise.all(answers)
  assert.match(whole?.hint, /ha(s|ve) no publishedAt/)
  assert.deepEqual([cheap?.hint, cheap?.total], [undefined, whole?.total])
})

/** Works, and the authors to whom they refer. */
const lexicons = [
  recordLexicon('test.archive.author', { name: { type: 'string' }, bornAt: datetime }),
  recordLexicon('test.archive.work', {
    by: { type: 'ref', ref: 'com.atproto.repo.strongRef' },
    madeAt: datetime,
  }),
]
const references = { 'test.archive.work#by': ['test.archive.author'] }

const archives: readonly (readonly [
  says: string,
  times: readonly (string | undefined)[],
  from: string | null,
  indexedAt?: string,
])[] = [
  [
    'an index with a record of seven days ago is not an archive',
    ['2026-11-09T09:30:00Z', '2020-01-01T00:00:00Z'],
    null,
  ],
  [
    'an index whose newest record is older is an archive',
    ['2026-11-09T09:29:59.998001Z', '2020-01-01T00:00:00Z'],
    '2026-11-09',
  ],
  [
    'times in the future do not count',
    ['2031-01-01T00:00:00Z', '2026-07-03T23:30:00-05:00', undefined],
    '2026-07-04',
  ],
  [
    'times after the last indexing do not count',
    ['2020-07-01T00:00:00Z', '2020-05-31T10:00:00Z', '2020-05-31T10:00:00.000002Z', '2026-11-15T00:00:00Z'],
    '2020-05-31',
    '2020-05-31T10:00:00.000001Z',
  ],
  ['an index with times in the future alone is not an archive', ['2031-01-01T00:00:00Z', undefined], null],
  ['an index without times is not an archive', [undefined], null],
]

for (const [says, times, from, indexedAt = demoDay.toISOString()] of archives)
  onOneDatabase(says, async (database) => {
    const values = times.map((madeAt) => ({ ...(madeAt && { madeAt }) }))
    const records = await Promise.all(
      values.map((value, at) => buildRecord('test.archive.work', { rkey: `r${at}`, indexedAt, value })),
    )
    await using service = await openTestService({ lexicons, references, records, database })
    const agent = createAgent(modelOf(lexicons, references), engineEndpoint(service.engine))
    const { count, hint = '' } = await agent.call('aggregate', { collection: 'work', since: 'today' })
    assert.equal(/count from the newest record, ([\d-]+), because/.exec(hint)?.[1] ?? null, from)
    if (from !== null) {
      // The newest record is in the days until itself, whatever its microseconds are.
      const newest = await agent.call('aggregate', { collection: 'work', filters: { madeAt: 'last 7 days' } })
      assert.equal(newest.count, 1)
      // Indexing ended in this month: it and all later months are incomplete, even where records claim a later time.
      const months = await agent.call('aggregate', {
        collection: 'work',
        by: ['madeAt:month'],
        until: '2026-11',
      })
      const end = months.rows.filter(([month = '']: readonly string[]) => month >= `${from.slice(0, 7)}-01`)
      assert.deepEqual(end.filter(isIncompleteIn(months)), end)
    }
    const start = Date.parse(from ?? demoDay.toISOString().slice(0, 10))
    assert.equal(count, times.filter((time) => time !== undefined && Date.parse(time) >= start).length)
  })

test('what a refused time in a list of times is told to take is taken', async () => {
  const diary = [recordLexicon('test.archive.diary', { dates: { type: 'array', items: datetime } })]
  const value = { dates: ['2026-11-16T09:30:00Z', '2020-01-01T00:00:00Z'] }
  const records = [await buildRecord('test.archive.diary', { rkey: 'r', value })]
  await using service = await openTestService({ lexicons: diary, references: {}, records })
  const agent = createAgent(modelOf(diary, {}), engineEndpoint(service.engine))
  const asked = (dates: unknown) => ({ collection: 'diary', filters: { dates } })
  for (const dates of [
    '2020-01-01',
    ['2020'],
    { has: 'last month' },
    { hasAny: ['2020'] },
    { eq: 'today' },
  ]) {
    const said = await agent.refusal('aggregate', asked(dates))
    const [, moment] =
      /^Here "dates" takes moments such as "([^"]*)", and not days or months\. Where it is one/.exec(said) ??
      []
    assert.equal((await agent.call('aggregate', asked(moment))).count, 1)
    assert.equal((await agent.call('aggregate', asked({ hasAll: [moment] }))).count, 1)
  }
})

onOneDatabase(
  'days and months in a list are each the whole of it, and no operator takes their beginnings alone',
  async (database) => {
    const { agent, reference } = await openOn(database)
    const count = async (publishedAt: unknown): Promise<number> =>
      (await agent.call('aggregate', { collection: 'article', filters: { publishedAt } })).count
    const between = (gte: string, lt: string) => ({ publishedAt: { gte, lt } })
    const months = [
      between('2026-09-01T00:00:00Z', '2026-10-01T00:00:00Z'),
      between('2026-11-03T00:00:00Z', '2026-11-04T00:00:00Z'),
    ]
    const expected = reference.count(article, { OR: months })
    assert.ok(expected > 100)
    assert.equal(await count(['2026-09', '2026-11-03']), expected)
    for (const operator of ['ne', 'in', 'notIn']) {
      const value = operator === 'ne' ? '2026-11' : ['2026-11']
      const args = { collection: 'article', filters: { publishedAt: { [operator]: value } } }
      assert.match(await agent.refusal('aggregate', args), /takes moments .* not days or months/)
    }
  },
)

test('answers say what times that count from now were read as', async () => {
  const { agent } = await openOn('sqlite')
  const week = '"last week" is 2026-11-09 to 2026-11-15'
  const past = '"past week" is from 2026-11-09T09:30:00Z'
  for (const [tool, args, says] of [
    ['aggregate', { filters: { publishedAt: 'last week' } }, week],
    ['aggregate', { since: 'last quarter' }, '"last quarter" is from 2026-07-01'],
    ['aggregate', { since: 'past week', until: 'last week' }, `${past}, "last week" is until 2026-11-15`],
    ['aggregate', { by: ['tags', 'tags'], since: 'past week' }, past],
    ['aggregate', { share: { publishedAt: { gte: 'past week' } } }, past],
    ['search_records', { filters: { publishedAt: ['last week', '2026-11-01'] }, limit: 1 }, week],
    [
      'search_records',
      { filters: { 'enrichment.createdAt': { lt: 'last week' } }, limit: 1 },
      '"last week" is before 2026-11-09',
    ],
  ] as const) {
    const { hint } = await agent.call(tool, { collection: 'article', ...args })
    assert.ok(hint.endsWith(`${says}.`), hint)
  }
  const plain = await agent.call('aggregate', { collection: 'enrichment', since: '2026-11-09' })
  assert.equal(plain.hint, undefined)
})
