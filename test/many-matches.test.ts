/** Relevance when a search finds more records than are ranked. */
import assert from 'node:assert/strict'
import { unlimited } from '../src/query/execute/execute.ts'
import { parseSearch } from '../src/search/parse-search.ts'
import { mostRanked } from '../src/search/relevance.ts'
import { plainWordsOf } from '../src/search/words.ts'
import type { Json } from './reference/shapes.ts'
import { scoresOf } from './reference/words/relevance.ts'
import { type SearchedField, searchHolds } from './reference/words/search.ts'
import { onEveryDatabase, onEveryEngine } from './support/store/databases.ts'
import { openTestService, type TestService } from './support/service/service.ts'
import { line, thing } from './support/records/things.ts'

const free = { type: 'string', maxGraphemes: 1_000 }
const lexicons = [thing({ title: free, text: free })]
const unranked = 1_500
const pageSize = 2_000

interface Edge {
  readonly score: number | null
  readonly node: { readonly rkey: string }
}

/** Seconds after the first record; keys are in the same order. */
function recordAt(second: number, text: string, suffix = '', title?: string) {
  const key = `k${String(second).padStart(6, '0')}${suffix}`
  const indexedAt = new Date(Date.UTC(2026, 0, 1) + 1_000 * second).toISOString()
  return line(key, title === undefined ? { text } : { title, text }, { indexedAt })
}

/** All have a frequent word; some have a rarer one, more words, or more of them. */
function textOf(index: number): string {
  return ['storm', ...Array(index % 7).fill('calm'), ...(index % 11 === 0 ? ['flood'] : []), 'storm']
    .slice(index % 2)
    .join(' ')
}

/** Words of all records and of some, in any text and in one, as phrases and prefixes, and twice. */
const searches = [
  'storm flood',
  'storm storm flood',
  'text:storm flood',
  'stor* OR flood',
  '"storm calm" OR flood',
  'title:storm OR storm OR flood',
  'storm',
  'text:storm text:storm',
]

function fieldsOf({ title, text }: Json): SearchedField[] {
  return [
    { name: 'title', words: plainWordsOf(title ?? '') },
    { name: 'text', words: plainWordsOf(text) },
  ]
}

async function page(service: TestService, given: string, cursor: string | null, search = 'storm OR flood*') {
  const from = cursor === null ? '' : `, ${given.startsWith('first') ? 'after' : 'before'}: "${cursor}"`
  const answer = await service.opened.engine.execute(
    {
      query: `{ list: orgExampleThing(search: ${JSON.stringify(search)}, sortBy: [{field: RELEVANCE}], ${given}${from}) {
        ranked totalCount edges { score node { rkey } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
    },
    { ...unlimited, pageSize },
  )
  if (answer.kind !== 'data') throw new Error(answer.errors[0]?.message)
  return JSON.parse(new TextDecoder().decode(answer.body)).data.list
}

onEveryEngine(
  'the newest matches are ranked, and all others follow once, while records come',
  async (database) => {
    const records = Array.from({ length: mostRanked + unranked }, (_, index) =>
      recordAt(index, textOf(index), '', index % 5 === 0 ? 'Flood and storm' : undefined),
    )
    await using service = await openTestService({ lexicons, database, records })
    const keys = records.map(({ uri }) => uri.split('/').at(-1) ?? '')
    const [others, newest] = [keys.slice(0, unranked), keys.slice(unranked)]

    const texts = records.map(({ value }) => fieldsOf(value))
    for (const search of searches) {
      const given = `first: ${pageSize}`
      const [list, parsed] = [
        await page(service, given, null, search),
        parseSearch(search, ['title', 'text']),
      ]
      assert.ok(parsed !== null)
      const isFound = (fields: (typeof texts)[number]) => searchHolds(fields, parsed)
      const ranked = texts.filter(isFound).slice(-mostRanked)
      const scores = scoresOf(parsed, texts, ranked).toSorted((a, b) => b - a)
      assert.deepEqual(
        list.edges.map(({ score }: Edge) => score),
        scores.slice(0, pageSize),
        search,
      )
    }

    const found: Edge[] = []
    let cursor: string | null = null
    for (let number = 1; cursor !== null || number === 1; number += 1) {
      const list = await page(service, `first: ${pageSize}`, cursor)
      assert.equal(list.pageInfo.hasPreviousPage, number > 1)
      if (number === 1) {
        assert.equal(list.ranked, mostRanked)
        assert.equal(list.totalCount, records.length)
      }
      found.push(...list.edges)
      cursor = list.pageInfo.hasNextPage ? list.pageInfo.endCursor : null
      if (number === 5)
        await service.store([
          recordAt(90_000, 'flood', 'best'),
          recordAt(90_001, `storm ${'calm '.repeat(50)}`, 'worst'),
          recordAt(10, 'flood', 'old'),
        ])
    }
    // Of the records that came, those appear whose place was still ahead.
    const worst = 'k090001worst'
    const old = 'k000010old'
    const ranked = found.filter(({ score }) => score !== null)
    assert.deepEqual(ranked.map(({ node }) => node.rkey).toSorted(), [...newest, worst].toSorted())
    assert.equal(ranked.at(-1)?.node.rkey, worst)
    for (const [index, { score, node }] of ranked.entries()) {
      const before = ranked[index - 1]
      if (before === undefined || score === null || before.score === null) continue
      assert.ok(before.score > score || (before.score === score && before.node.rkey > node.rkey), node.rkey)
    }
    assert.deepEqual(
      found.slice(ranked.length).map(({ node }) => node.rkey),
      [...others, old].toSorted().toReversed(),
    )
  },
)

onEveryDatabase(
  'an index of words is read once for many rows, not for each',
  async (database) => {
    const records = Array.from({ length: 6_000 }, (_, index) => recordAt(index, 'storm'))
    await using service = await openTestService({ lexicons, database, records })
    await service.store([recordAt(10, 'storm', 'old')])
    const list = await page(service, 'first: 500', null)
    assert.equal(list.ranked, 6_001)
    assert.doesNotMatch(service.opened.lastStatement(), /exists \(select 1 from "[^"]*:words"/)
  },
  ['sqlite'],
)
