/** Paths to records that refer: what answers show of them, and what refusals say instead. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { createCatalogue } from '../ask/collections.ts'
import { reverseNames } from '../ask/paths.ts'
import { buildGraphQLSchema } from '../schema/graphql/graphql.ts'
import { loadCorpus } from '../../test/support/random/property.ts'
import { libraryLexicons, libraryReferences, libraryStories } from '../../test/support/records/lexicons.ts'
import { rounds, seed } from '../../test/support/rounds.ts'
import type { Reference } from '../../test/reference/reference.ts'
import type { PlainRecord } from '../../test/reference/dataset.ts'
import type { Field, Json } from '../../test/reference/shapes.ts'
import { type Answer, file } from './tools/tool.ts'
import { open, reference as newsReference } from '../../test/support/service/news-agent.ts'
import { closeCorpora } from '../../test/golden/corpora.ts'
import { type Agent, createAgent, engineEndpoint, modelOf } from '../../test/support/service/agents.ts'

const loaded = await loadCorpus(22)
after(() => loaded[Symbol.asyncDispose]())
after(closeCorpora)
const model = modelOf(libraryLexicons, libraryReferences, libraryStories)
const context = { catalogue: createCatalogue(model), schema: buildGraphQLSchema(model) }
const agent = createAgent(model, engineEndpoint(loaded.service.engine))

test('what a group by a number of referring records is refused with can be done', async () => {
  let grouped = 0
  for (const { collection, label } of context.catalogue.subjects)
    for (const name of reverseNames(collection, context).values()) {
      // A property of this name, which books have, is the value of each record that refers.
      if (name.startsWith('book')) continue
      const refusal = await agent.refusal('aggregate', { collection: label, by: [`${name}.count`] })
      const [, sort = ''] = /sorts \w+ by "(.+?)", and filters take/.exec(refusal) ?? assert.fail(refusal)
      const filters = { [sort.slice(1)]: { gte: 0 } }
      const { total } = await agent.call('search_records', { collection: label, sort, filters })
      assert.ok(total > 0, refusal)
      const [, other, own] = /; aggregate (\w+) by "(.+?)" counts them/.exec(refusal) ?? []
      if (other === undefined) continue
      const { columns } = await agent.call('aggregate', { collection: other, by: [own] })
      assert.deepEqual(columns, [own, 'count'])
      grouped += 1
    }
  assert.ok(grouped > 2)
})

const most = 3

/** A path, its value, and how many records refer, by the paths of the lists on the way; undefined for missing values. */
interface Way {
  readonly path: string
  readonly value: (record: PlainRecord) => unknown
  readonly totals: (record: PlainRecord) => Json
}

const scalars = ['integer', 'boolean', 'datetime', 'string']

/** The paths inside an object or a record to single values, lists of texts, and values of objects in lists. */
function inside(
  fields: readonly Field[],
): readonly (readonly [path: string, value: (of: Json) => unknown])[] {
  return fields.flatMap(({ name, property, kind }): (readonly [string, (of: Json) => unknown])[] => {
    const own = (of: Json) => of[property]
    if (scalars.includes(kind.kind)) return [[name, own]]
    if (kind.kind !== 'array') return []
    const { of: element } = kind
    if (element.kind === 'string') return [[name, own]]
    if (element.kind !== 'object') return []
    return inside(element.fields())
      .filter(([path]) => !path.includes('.'))
      .map(([path, value]) => [`${name}.${path}`, (of) => listed(own(of)?.map(value))])
  })
}

/** With null for what is missing; undefined if everything is. */
function listed(values: readonly unknown[] | undefined): unknown {
  const all = values?.map((value) => value ?? null)
  return all?.every((value) => value === null) ? undefined : all
}

/** The paths from a collection through at least one list of referring records, and its own ones in lists of objects. */
function ways(reference: Reference, collection: string, depth: number): readonly Way[] {
  const none = () => ({})
  const own = inside(reference.shapes.get(collection)?.fields ?? []).map(([path, value]): Way => {
    return { path, value: (record) => value(record.value), totals: none }
  })
  if (depth === 0) return own
  const behind = reference.referredBy(collection).flatMap((held) => {
    const { viaField } = held
    const refer = (record: PlainRecord) => reference.reverse(record, held, { first: most })
    return ways(reference, held.collection, depth - 1).map(({ path, value, totals }): Way => {
      return {
        path: `${viaField}.${path}`,
        value: (record) => listed(refer(record).records.map(value)),
        totals(record) {
          const { records, totalCount } = refer(record)
          const below = records.map(totals)
          const lists = [...new Set(below.flatMap((each) => Object.keys(each)))]
          const inner = lists.map((list) => [`${viaField}.${list}`, below.map((each) => each[list])])
          return { [viaField]: totalCount, ...Object.fromEntries(inner) }
        },
      }
    })
  })
  return [...own.filter(({ path }) => path.includes('.')), ...behind]
}

const questionsOf = (reference: Reference) => {
  const referred = [...reference.shapes.keys()].filter((nsid) => reference.referredBy(nsid).length > 0)
  return fc.constantFrom(...referred).chain((collection) =>
    fc.record({
      collection: fc.constant(collection),
      shown: fc.uniqueArray(fc.constantFrom(...ways(reference, collection, 2)), {
        minLength: 1,
        maxLength: 4,
        selector: ({ path }) => path,
      }),
    }),
  )
}

const isMore = (total: unknown): boolean => [total].flat(2).some((count) => Number(count) > most)

test('lists along one way have the values of each record in the same place', async () => {
  let [cut, nulls] = [0, 0]
  const checkOn = ({ agent, reference }: { agent: Agent; reference: Reference }) =>
    fc.asyncProperty(questionsOf(reference), async ({ collection, shown }) => {
      const { records } = reference.list(collection, { first: 5 })
      const args = { collection, fields: shown.map(({ path }) => path), sort: '-indexedAt', limit: 5 }
      const found = await agent.call('search_records', { ...args, max_tokens: 10_000 })
      if (found.records.length < records.length || /are cut/.test(found.hint ?? '')) return
      for (const [at, record] of records.entries()) {
        const expected = shown.map(({ path, value }) => [path, value(record)])
        const totals = shown.flatMap((way) => Object.entries(way.totals(record)))
        const more = totals.filter(([, total]) => isMore(total))
        const row = {
          uri: record.uri,
          ...Object.fromEntries(expected),
          ...(more.length > 0 && { cut: Object.fromEntries(more) }),
        }
        assert.deepEqual(found.records[at], JSON.parse(JSON.stringify(row)))
        cut += more.length
        nulls += JSON.stringify(row).includes('null') ? 1 : 0
      }
      assert.equal(
        /cut: how many refer/.test(found.hint ?? ''),
        JSON.stringify(found.records).includes('"cut"'),
      )
    })
  await fc.assert(checkOn({ agent, reference: loaded.reference }), { seed, numRuns: rounds(60) })
  await fc.assert(checkOn({ agent: open(), reference: newsReference }), { seed, numRuns: rounds(30) })
  assert.ok(cut > 0 && nulls > 0)
})

test('the link to a file says which columns it lacks', async () => {
  const news = open()
  const searchRecords = news.tools.find(({ name }) => name === 'search_records')
  const referring = ['enrichment', 'enrichment.sentiment', 'enrichment.entities.name']
  const fields = fc.subarray(['title', 'source', 'source.country', 'tags', ...referring], { minLength: 1 })
  const check = fc.asyncProperty(fields, async (fields) => {
    const args = { collection: 'article', fields, limit: 50, max_tokens: 10_000 }
    const answer: Answer = (await searchRecords?.run(args, new AbortController().signal)) ?? {}
    const { rows = '', query = '' } = answer[file] ?? {}
    const [, without] = /^All rows that your tier allows(?:, without (.*))?$/.exec(rows) ?? assert.fail(rows)
    const lacking = fields.filter((field) => referring.includes(field))
    assert.deepEqual(without?.split(', ') ?? [], lacking)
    assert.ok(!query.includes('ViaArticle'))
  })
  await fc.assert(check, { seed, numRuns: rounds(10) })
})
