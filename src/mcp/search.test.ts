/** Searches and unusual groups by the agents' tools, on both engines, compared with the reference evaluator. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { model, openOn } from '../../test/support/service/news-agent.ts'
import { closeCorpora, corpusNamed } from '../../test/golden/corpora.ts'
import { checkedCalls } from '../../test/mcp/checked-calls.ts'
import type { Json } from '../../test/reference/shapes.ts'
import type { PlainRecord } from '../../test/reference/dataset.ts'
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

after(closeCorpora)

const article = 'tech.service.news.article'
const enrichment = 'tech.service.news.enrichment'
const unmarked = (text: string): string => text.replaceAll('**', '')

const searches = [
  'storm OR flood',
  'elect* OR elecc* OR выбор*',
  '"natural disaster" rescue* -lyon',
  'title:portland',
  'ceasefire',
]

onOneDatabase('the pages of a search have all records that it finds, the best first', async (database) => {
  const { agent, reference } = await openOn(database)
  for (const search of searches)
    for (const [collection, nsid] of [
      ['article', article],
      ['enrichment', enrichment],
    ] as const) {
      const scores = reference.scores(nsid, { search })
      if (scores.size === 0 || (nsid === enrichment && search.includes(':'))) continue
      const best = reference.sorted(nsid, { search }).toSorted((a, b) => scoreOf(b) - scoreOf(a))
      const args = { collection, search, limit: 4, fields: ['language'] }
      const found = (await readPages(agent.call, 'search_records', args)).flatMap(
        ({ records }): Json[] => records,
      )
      assert.deepEqual(
        found.map(({ uri }) => uri),
        best.map(({ uri }) => uri),
        search,
      )
      for (const { uri, snippet } of found)
        assertSnippet(
          snippet,
          best.find((one) => one.uri === uri),
        )
      function scoreOf(record: PlainRecord): number {
        return scores.get(record) ?? 0
      }
    }
})

/** A part of one text of the record, with marks. */
function assertSnippet(snippet: Json, record: PlainRecord | undefined): void {
  const [[path, text] = ['', ''], ...others] = Object.entries<string>(snippet)
  assert.equal(others.length, 0)
  const whole = path.split('.').reduce((value, name) => value?.[name], record?.value)
  assert.match(text, /\*\*\S.*\*\*/)
  assert.ok(String(whole).includes(unmarked(text)), `${text} of ${whole}`)
}

onOneDatabase('unusual groups have both counts, both shares and a score', async (database) => {
  const { agent, reference } = await openOn(database)
  const negative = { sentiment: { eq: 'negative' } }
  for (const [unusual, against] of [
    [{}, {}],
    [{ sentiment: ['positive', 'neutral'] }, { sentiment: { in: ['positive', 'neutral'] } }],
  ] as const) {
    const { groups, groupCount } = reference.aggregate(enrichment, {
      groupBy: ['topics'],
      where: negative,
      significant: { against, minCount: 6 },
      limit: 1_000,
    })
    const args = { collection: 'enrichment', by: ['topics'], filters: { sentiment: 'negative' }, unusual }
    const answer = await agent.call('aggregate', { ...args, min_count: 6, limit: 5 })
    assert.deepEqual(answer.columns, ['topics', 'count', 'share', 'against_count', 'against_share', 'score'])
    assert.equal(answer.groups, groupCount)
    assert.equal(answer.cut, groupCount - 5)
    const expected = groups.slice(0, 5).map(({ keys, members, significance }) => {
      const { share = 0, againstCount, againstShare = 0, score = 0 } = significance ?? {}
      const digits = [share, againstShare].map((value) => Number(value.toPrecision(4)))
      return [keys[0], members.length, digits[0], againstCount, digits[1], Math.round(score * 100) / 100]
    })
    assert.deepEqual(answer.rows, expected)
  }
})

onOneDatabase(
  'a condition on time leaves records without one out of those compared with too',
  async (database) => {
    const { agent, reference } = await openOn(database)
    const since = '2026-11-01'
    const later = { publishedAt: { gte: since } }
    const dated = { publishedAt: { isNull: false } }
    const french = { language: { ne: 'fr' } }
    for (const [args, where, against] of [
      [{ since, unusual: {} }, later, dated],
      [{ filters: later, unusual: french }, later, { ...french, ...dated }],
      [{ until: '2026-10-31', unusual: {} }, { publishedAt: { lt: since } }, dated],
      [{ since, unusual: { publishedAt: null } }, later, { publishedAt: { isNull: true } }],
      [{ filters: { language: 'en' }, unusual: {} }, { language: { eq: 'en' } }, {}],
      [{ filters: dated, unusual: {} }, dated, {}],
    ] as const) {
      const significant = { against, minCount: 5 }
      const expected = reference.aggregate('tech.service.news.article', {
        groupBy: ['section'],
        where,
        significant,
        limit: 20,
      })
      const { rows } = await agent.call('aggregate', { collection: 'article', by: ['section'], ...args })
      assert.deepEqual(
        rows.map(([key, count, , others]: Json[]) => [key, count, others]),
        expected.groups.map(({ keys, members, significance }) => [
          keys[0] ?? null,
          members.length,
          significance?.againstCount,
        ]),
      )
      assert.ok(rows.length > 0, JSON.stringify(args))
    }
  },
)

onOneDatabase('a search narrows counts, groups, shares and unusual groups', async (database) => {
  const { agent, reference } = await openOn(database)
  const search = 'elect* OR elecc*'
  const args = { collection: 'article', search, by: ['language'] }
  const call = checkedCalls(agent.call, reference, demoDay)
  const { rows } = await call('aggregate', { ...args, order: 'key', share: { isAccessibleForFree: true } })
  const unusual = await agent.call('aggregate', { ...args, unusual: {} })
  assert.deepEqual(
    unusual.rows.map(([language, count]: Json[]) => [language, count]).toSorted(),
    rows.map(([language, count]: Json[]) => [language, count]).toSorted(),
  )
})

test('a snippet shows a text that the row does not show, if one has words', async () => {
  const { agent } = await openOn('sqlite')
  const args = { collection: 'enrichment', search: '"natural disaster"', limit: 1 }
  const hidden = await agent.call('search_records', { ...args, fields: ['neutralHeadline'] })
  assert.deepEqual(Object.keys(hidden.records[0].snippet), ['summary'])
  const shown = await agent.call('search_records', { ...args, fields: ['summary', 'neutralHeadline'] })
  assert.match(Object.values<string>(shown.records[0].snippet).join(), /^\*\*Natural disaster\*\* near/)
  const full = await agent.call('search_records', { ...args, detail: 'full' })
  assert.equal(full.records[0].snippet, undefined)
})

test('a search without words to rank by, or in another order, has no relevance', async () => {
  const { agent, reference } = await openOn('sqlite')
  const excluded = { collection: 'article', search: '-storm', limit: 1 }
  const { total, order, records } = await agent.call('search_records', excluded)
  assert.deepEqual(
    [total, order, records[0].snippet],
    [reference.list(article, { search: '-storm' }).totalCount, undefined, undefined],
  )
  const sorted = await agent.call('search_records', {
    collection: 'article',
    search: 'storm OR flood',
    sort: 'publishedAt',
    fields: ['publishedAt'],
  })
  const times = sorted.records.map(({ publishedAt }: Json) => publishedAt ?? 'none, and so last')
  assert.deepEqual(times, times.toSorted())
  assert.equal(sorted.order, undefined)
  const many = `storm OR ${'abcdefghijklmnop'.split('').join(' ')}`
  const unranked = await agent.call('search_records', { collection: 'article', search: many })
  assert.match(unranked.order, /^newest first: relevance takes at most 16/)
  const blank = await agent.call('search_records', { collection: 'article', search: ' ', limit: 1 })
  assert.equal(blank.total, 660)
})

onOneDatabase('an agent is told how many matches need other texts than the title', async (database) => {
  const { agent, reference } = await openOn(database)
  for (const [search, text] of [
    ['local'],
    ['storm OR minutes'],
    ['local -figures'],
    ['title:local'],
    ['-local'],
    [undefined, 'LOCAL'],
    ['election', 'a'],
  ] as const) {
    const args = { collection: 'article', search, text, filters: { language: 'en' } }
    const fields = ['title', 'description', 'section']
    const contains = (names: readonly string[]) =>
      text === undefined ? {} : { OR: names.map((name) => ({ [name]: { contains: text } })) }
    const isOfAny = search !== undefined && !/^(title:|-)/.test(search)
    const title = { ...(isOfAny && { title: { matches: search } }), AND: [contains(['title'])] }
    const count = (...conditions: Json[]): number =>
      reference.list(article, {
        ...(search !== undefined && { search }),
        where: { AND: [{ language: { eq: 'en' } }, contains(fields), ...conditions] },
      }).totalCount
    const others = count() - count(isOfAny || text !== undefined ? title : {})
    for (const [tool, more] of [
      ['search_records', { limit: 2 }],
      ['search_records', { sort: 'title' }],
      ['aggregate', { by: ['section'] }],
      ['aggregate', { by: ['tags', 'tags'] }],
    ] as const) {
      const { hint = '' } = await agent.call(tool, { ...args, ...more })
      const [, told = '0'] = /match in title, (\d+) in other texts alone \(desc/.exec(hint) ?? []
      assert.equal(Number(told), others, `${JSON.stringify(args)}: ${hint}`)
    }
  }
})

test('an answer says how many of the newest matches are ranked', async () => {
  const page = (members: Json) =>
    createAgent(model, {
      ask: async () => ({
        data: {
          techServiceNewsArticle: {
            ...members,
            edges: [{ cursor: 'c', node: { uri: `at://did:plc:x/${article}/1` } }],
            pageInfo: { hasNextPage: true },
          },
          indexStatus: { collections: [] },
        },
        errors: [],
        cost: 1,
      }),
    }).call('search_records', { collection: 'article', search: 'storm' })
  const orders = [
    [{ totalCount: 9, ranked: 9 }, 'relevance'],
    [{ ranked: 9 }, 'relevance'],
    [
      { totalCount: 52_341, ranked: 10_000 },
      'relevance among the newest 10000 matches; the others follow, newest first',
    ],
    [{ ranked: 10_000 }, 'relevance among the newest 10000 matches; the others follow, newest first'],
  ] as const
  for (const [members, order] of orders) assert.equal((await page(members)).order, order)
})

test('a cursor by relevance belongs to its search', async () => {
  const { agent } = await openOn('sqlite')
  const args = { collection: 'article', limit: 1 }
  const { after } = await agent.call('search_records', { ...args, search: 'storm OR flood' })
  const other = { ...args, search: 'flood', after }
  assert.match(await agent.refusal('search_records', other), /repeat all arguments/)
})

const nothing: readonly (readonly [args: Json, hint: RegExp])[] = [
  [{ search: 'hippopotamus storm' }, /^No article has hippopotamus\. Words match whole: .*OR\.$/],
  [{ search: 'stor flooded' }, /^No article has stor, flooded\. Did you mean storm \(3\), flood \(2\)\?/],
  [{ search: 'storm election portland a b c d' }, /^No article has all that is asked: leave words/],
  [{ search: 'title:storms' }, /^No article has title:storms\. Did you mean storm \(3\)\?/],
  [
    { search: 'participationist elecion' },
    /^No article has participationist, elecion, but participati\* finds \d+\. Did you mean election \(13\)\?/,
  ],
  [{ search: '候方 storm' }, /^No article has "候 方", but text: "候方" finds 5\. Words match whole/],
  [
    { search: 'title:放量 OR 班公' },
    /^No article has title:"放 量", "班 公", but text: "放量" finds \d, text: "班公" finds 3\./,
  ],
  [{ search: 'storm durban', filters: { language: 'ja' } }, /^Without filters and times, the search finds 1/],
  [{ search: 'storm election' }, /none has all that is asked: .* With OR between the words, \d+ are found/],
  [{ search: 'storm election', filters: { language: 'ja' } }, /with these filters none has any: leave filt/],
  [{ search: 'storm', filters: { language: 'english' } }, /^No record has "english" in language/],
]
for (const [args, hint] of nothing)
  test(`${JSON.stringify(args)} finds nothing and tells what to try`, async () => {
    const { agent } = await openOn('sqlite')
    const found = await agent.call('search_records', { collection: 'article', ...args })
    assert.deepEqual([found.total, found.order], [0, undefined])
    assert.match(found.hint, hint)
    assert.match((await agent.call('aggregate', { collection: 'article', ...args })).hint, hint)
  })

test('an empty answer is given even if the service refuses to explain it', async () => {
  const { service } = await corpusNamed('demo', 'sqlite')
  const whole = engineEndpoint(service.engine)
  let asked = 0
  const agent = createAgent(model, {
    ask(question, signal) {
      asked += 1
      const refused = { message: 'Too often.', code: 'RATE_LIMITED', retryAfter: 9 }
      return asked === 1
        ? whole.ask(question, signal)
        : Promise.resolve({ data: null, errors: [refused], cost: null })
    },
  })
  const args = { collection: 'article', search: 'hippopotamus' }
  const { total, hint } = await agent.call('search_records', args)
  assert.deepEqual([total, hint, asked], [0, undefined, 2])
})

test('nothing unusual is told, and a value to compare with that no record has', async () => {
  const { agent } = await openOn('sqlite')
  const args = { collection: 'article', by: ['language'], search: 'storm OR flood' }
  const none = await agent.call('aggregate', { ...args, unusual: {}, min_count: 9 })
  assert.deepEqual([none.count, none.groups, none.rows], [5, 0, []])
  assert.match(none.hint, /^No group of at least 9 records/)
  const wrong = await agent.call('aggregate', { ...args, unusual: { language: 'english' } })
  assert.match(wrong.hint, /^No record meets unusual\. No record has "english" in language/)
})

test('words may be asked for behind references', async () => {
  const { agent, reference } = await openOn('sqlite')
  const filters = { 'article.title': { matches: 'storm OR flood' } }
  const { count } = await agent.call('aggregate', { collection: 'enrichment', filters })
  assert.equal(count, reference.count(enrichment, { article: { title: { matches: 'storm OR flood' } } }))
  assert.ok(count > 0)
})

test('properties with the names of this server keep their meaning', async () => {
  const nsid = 'org.example.quote'
  const lexicons = [
    recordLexicon(nsid, {
      snippet: { type: 'string', maxGraphemes: 1_000 },
      body: { type: 'string', maxGraphemes: 1_000 },
      relevance: { type: 'integer' },
    }),
    recordLexicon('org.example.number', { size: { type: 'integer' } }),
  ]
  const values = [
    { snippet: 'own', body: 'storm', relevance: 1 },
    { body: 'storm and a flood', relevance: 2 },
  ]
  const records = await Promise.all(values.map((value, at) => buildRecord(nsid, { rkey: `r${at}`, value })))
  await using service = await openTestService({ lexicons, records })
  const agent = createAgent(modelOf(lexicons as readonly Json[], {}), engineEndpoint(service.engine))
  const args = { collection: 'quote', search: 'storm', fields: ['snippet', 'relevance'] }
  const { records: found } = await agent.call('search_records', { ...args, sort: 'relevance' })
  assert.deepEqual(
    found.map(({ snippet, relevance }: Json) => [snippet, relevance]),
    [
      ['own', 1],
      [{ body: '**storm** and a flood' }, 2],
    ],
  )
  assert.equal((await agent.call('search_records', args)).order, 'relevance')
  const refused = await agent.refusal('search_records', { collection: 'number', search: 'storm' })
  assert.match(refused, /^number has no text to search; use filters\.$/)
})
