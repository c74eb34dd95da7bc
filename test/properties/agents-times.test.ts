/** Times in the agents' tools, over a library of random records. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { SortField } from '../../src/schema/model/operators.ts'
import { hasConditions, sortFields } from '../../src/schema/model/operators.ts'
import { leafProperties } from '../../src/schema/model/leaves.ts'
import type { Collection } from '../../src/schema/model/model.ts'
import { createCatalogue } from '../../src/ask/collections.ts'
import { percent } from '../../src/mcp/tools/describe/describe-parts.ts'
import type { Json, References } from '../reference/shapes.ts'
import { createAgent, engineEndpoint, modelOf } from '../support/service/agents.ts'
import { libraryLexicons, libraryReferences } from '../support/records/lexicons.ts'
import { type Loaded, property } from '../support/random/property.ts'

const model = modelOf(libraryLexicons as readonly Json[], libraryReferences as References)
const catalogue = createCatalogue(model)
const anyCollection = fc.constantFrom(...model.collections)

function agentOf({ service }: Loaded) {
  return createAgent(model, engineEndpoint(service.engine))
}

function isTime({ leaf }: SortField): boolean {
  return leaf.kind === 'property' && leaf.field.type.kind === 'datetime'
}

/** The value of a sort field in a record; null if it is missing. */
function valueOf({ leaf }: SortField, value: Json): unknown {
  if (leaf.kind !== 'property') return null
  return leafProperties(leaf).reduce<Json>((at, name) => at?.[name], value) ?? null
}

const orders = anyCollection
  .filter((collection) => sortFields(collection).some(isTime))
  .chain((collection) =>
    fc.record({
      collection: fc.constant(collection),
      field: fc.constantFrom(...sortFields(collection).filter(isTime)),
      isDescending: fc.boolean(),
      limit: fc.integer({ min: 1, max: 9 }),
    }),
  )

interface Order {
  readonly collection: Collection
  readonly field: SortField
  readonly isDescending: boolean
  readonly limit: number
}

property(
  'agents page by any time in either order, with the records without it at the end',
  () => orders,
  async (loaded, { collection, field, isDescending, limit }: Order) => {
    const agent = agentOf(loaded)
    const sortBy = [{ field: field.name, direction: isDescending ? 'DESC' : 'ASC' }] as const
    const sorted = loaded.reference.sorted(collection.nsid, { sortBy })
    const dated = sorted.filter(({ value }) => valueOf(field, value) !== null)
    const wanted = [...dated, ...sorted.filter((record) => !dated.includes(record))]
    const found: string[] = []
    const sort = `${isDescending ? '-' : ''}${field.name}`
    let after: string | undefined
    do {
      const args = { collection: collection.nsid, sort, fields: ['did'], limit, ...(after && { after }) }
      const page = await agent.call('search_records', args)
      if (after === undefined) assert.equal(page.total, wanted.length)
      found.push(...page.records.map(({ uri }: Json) => `${page.prefix ?? ''}${uri}`))
      after = page.after
    } while (after !== undefined)
    assert.deepEqual(
      found,
      wanted.map(({ uri }) => uri),
    )
  },
)

property(
  'agents learn the fill rate of every field, and what a condition on time leaves out',
  () => anyCollection,
  async (loaded, collection) => {
    const agent = agentOf(loaded)
    const records = loaded.reference.sorted(collection.nsid, {})
    const asked = { collection: collection.nsid, max_tokens: 10_000 }
    const { fields, unfilled = '', hint } = await agent.call('describe', asked)
    assert.equal(hint, undefined)
    for (const { name, property: key, type, mayMiss } of collection.type.fields) {
      const lacking = [records.filter(({ value }) => [value[key] ?? []].flat().length === 0).length]
      // To conditions and groups, a text that is too long for an index is missing.
      if (hasConditions(type))
        lacking.push(loaded.reference.count(collection.nsid, { [name]: { isNull: true } }))
      const rates = lacking.map((count) => percent(records.length - count, records.length))
      const isUnfilled = unfilled.split(' ').includes(name)
      // A field that all records fill is described without a rate.
      const [rate] = isUnfilled ? ['0%'] : (/^[~<]?[\d.]+%/.exec(fields[name]) ?? ['100%'])
      if (mayMiss && records.length > 0) assert.ok(rates.includes(rate), `${name}: ${rate} of ${rates}`)
      else assert.equal(rate, '100%', name)
    }
    const { time } = catalogue.of(collection.nsid)
    const own = collection.type.fields.find(({ name }) => name === time)
    const undated =
      own === undefined ? 0 : records.filter(({ value }) => (value[own.property] ?? null) === null).length
    const since = await agent.call('aggregate', { collection: collection.nsid, since: '1900' })
    assert.equal(
      /(\d+) records? that meets? all other/.exec(since.hint ?? '')?.[1],
      undated > 0 ? `${undated}` : undefined,
    )
  },
  8,
)
