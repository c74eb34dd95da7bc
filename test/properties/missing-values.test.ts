import assert from 'node:assert/strict'
import fc from 'fast-check'
import { fieldsOf } from '../../src/ask/fields.ts'
import { whereOf } from '../../src/ask/where.ts'
import { modelOf } from '../support/service/agents.ts'
import { literal } from '../support/service/graphql-text.ts'
import { libraryLexicons, libraryReferences, libraryStories } from '../support/records/lexicons.ts'
import { anyCollection, property } from '../support/random/property.ts'
import type { Where } from '../reference/matches.ts'

const model = modelOf(libraryLexicons, libraryReferences, libraryStories)

const groups = new Map(
  model.collections.map((collection) => [
    collection.nsid,
    [...fieldsOf(collection, model).values()].filter(({ isGroup }) => isGroup),
  ]),
)

property(
  'conditions find the records without values that a group without values counts',
  () =>
    anyCollection.chain((nsid) =>
      fc.record({
        nsid: fc.constant(nsid),
        by: fc.subarray(
          groups.get(nsid)!.map(({ name }) => name),
          { minLength: 1, maxLength: 2 },
        ),
      }),
    ),
  async ({ service, reference }, { nsid, by }) => {
    const { rootField } = reference.shapes.get(nsid)!
    const fields = groups.get(nsid)!.filter(({ name }) => by.includes(name))
    const names = fields.map(({ name, type }) => (type.kind === 'datetime' ? `${name}_day` : name))
    const missing = whereOf(fields.map((field) => ({ field, operator: 'missing', values: ['1'] })))
    const found = await service.data(`{
      all: ${rootField}Aggregate(groupBy: [${names.join(', ')}], limit: 1000) { groups { ${names.join(' ')} count } }
      list: ${rootField}(where: ${literal(missing as Where)}) { totalCount } }`)
    const group = found.all.groups.find((each: Readonly<Record<string, unknown>>) =>
      names.every((name) => each[name] === null),
    )
    assert.equal(found.list.totalCount, group?.count ?? 0)
  },
  50,
)
