/** Conditions on records of other lexicons than the library's: arrays of objects with texts, objects inside themselves. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import fc from 'fast-check'
import { buildSchema, getNamedType, type GraphQLObjectType, isLeafType, isObjectType } from 'graphql'
import { closeCorpora, corpusNamed } from '../golden/corpora.ts'
import type { Json } from '../reference/shapes.ts'
import { wheres } from '../support/random/where.ts'
import { rounds, seed } from '../support/rounds.ts'
import { onOneDatabase } from '../support/store/databases.ts'

after(closeCorpora)

for (const name of ['demo', 'network'] as const)
  onOneDatabase(
    `conditions on records of ${name} find what the reference evaluator finds`,
    async (database) => {
      const { service, reference } = await corpusNamed(name, database)
      const questions = fc
        .constantFrom(...reference.shapes.keys())
        .chain((collection) => fc.tuple(fc.constant(collection), wheres(reference, collection, 2)))
      const check = fc.asyncProperty(questions, async ([collection, where]) => {
        const { typeName, rootField } = reference.shapes.get(collection)!
        const query = `query ($where: ${typeName}WhereInput) { list: ${rootField}(where: $where, first: 0) { totalCount } }`
        const { list } = await service.data(query, { where })
        assert.equal(list.totalCount, reference.count(collection, where))
      })
      await fc.assert(check, { seed, numRuns: 25 * rounds(), includeErrorInReport: true })
    },
  )

for (const name of ['demo', 'network', 'stress', 'odd', 'library'] as const)
  onOneDatabase(`no record of ${name} lacks a value that the schema calls never null`, async (database) => {
    const { service, reference } = await corpusNamed(name, database)
    const schema = buildSchema(service.opened.schemaText)
    for (const { typeName, rootField } of reference.shapes.values()) {
      const type = schema.getType(typeName)
      assert.ok(isObjectType(type))
      const { list } = await service.data(`{ list: ${rootField}(first: 100) { nodes ${required(type)} } }`)
      for (const node of list.nodes) assertPresent(node)
    }
  })

/** The marked fields of a type, and all that may hold some, so many objects deep. */
function required(type: GraphQLObjectType, depth = 3): string {
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type)
    const isMarked = field.astNode?.directives?.some(({ name }) => name.value === 'semanticNonNull') === true
    const alias = isMarked ? `required_${field.name}: ` : ''
    if (field.args.length > 0 || depth === 0) return []
    if (isObjectType(inner)) return [`${alias}${field.name} ${required(inner, depth - 1)}`]
    return isLeafType(inner) && isMarked ? [`${alias}${field.name}`] : []
  })
  return `{ __typename ${fields.join(' ')} }`
}

function assertPresent(value: Json): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    assert.ok(inner !== null || !name.startsWith('required_'), name)
    assertPresent(inner)
  }
}
