import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GraphQLInputObjectType, isInputObjectType } from 'graphql/type'
import type { Json } from '../../../test/reference/shapes.ts'
import { newsLexicons } from '../../../test/golden/corpora.ts'
import { recordDoc } from '../../../test/support/lexicons/documents.ts'
import { modelOf } from '../../../test/support/service/agents.ts'
import type { ObjectType } from '../model/model.ts'
import { buildGraphQLSchema } from './graphql.ts'

const strongRef = { type: 'object', properties: { a: { type: 'string' } } }

for (const [what, documents, message, references] of [
  [
    'two lexicons whose types would have one name',
    [record('org.ex-ample.thing', {}), record('org.ex.ample.thing', {})],
    /OrgExAmpleThing is needed twice: for org\.ex-ample\.thing and for org\.ex\.ample\.thing\./,
  ],
  [
    'a definition whose type has the name of another lexicon',
    [record('org.example.thing', { box: { type: 'ref', ref: '#box' } }), record('org.example.thing.box', {})],
    /OrgExampleThingBox is needed twice: for org\.example\.thing\.box and for org\.example\.thing#box\./,
  ],
  [
    'a lexicon whose type has the name of a generated one',
    [record('org.example.thing', {}), record('org.example.thing.edge', {})],
    /OrgExampleThingEdge is needed twice: for org\.example\.thing\.edge and for lists of org\.example\.thing\./,
  ],
  [
    'two collections that want one root field',
    [record('org.example.odd', {}), record('org.example.oddAggregate', {})],
    /orgExampleOddAggregate is needed twice.*org\.example\.odd.*org\.example\.oddAggregate/,
  ],
  [
    'two things whose inputs would have one name',
    [
      record(
        'org.example.thing',
        {
          parent: { type: 'ref', ref: 'com.atproto.repo.strongRef' },
          box: { type: 'ref', ref: '#strongRef' },
        },
        { strongRef },
      ),
    ],
    /OrgExampleThingStrongRefWhereInput is needed twice: for .*references to a org\.example\.thing record.* and for .*org\.example\.thing#strongRef/,
    { 'org.example.thing#parent': ['org.example.thing'] },
  ],
] as const)
  test(`${what} are refused with both origins`, () => {
    assert.throws(() => buildGraphQLSchema(modelOf(documents, references ?? {})), message)
  })

test('`matches` is on the texts that searches find, and on no others', () => {
  const text = { type: 'string', maxGraphemes: 9 }
  const ref = { type: 'ref', ref: '#box' }
  const box = {
    type: 'object',
    properties: { text, code: { type: 'string' }, again: ref, many: { type: 'array', items: ref } },
  }
  const boxes = { one: ref, many: { type: 'array', items: ref }, text, other: { type: 'array', items: text } }
  const own = modelOf([record('org.example.thing', boxes, { box })], {})
  for (const model of [own, modelOf(newsLexicons.documents, newsLexicons.references, newsLexicons.stories)]) {
    const schema = buildGraphQLSchema(model)
    for (const { typeName, type, searchFields } of model.collections) {
      const searched = searchFields.map(({ name }) => name).toSorted()
      const input = schema.getType(`${typeName}WhereInput`) as GraphQLInputObjectType
      assert.deepEqual(withMatches(input, type, 4).toSorted(), searched, typeName)
    }
  }
})

/** The texts with `matches` in the conditions on an object, so many objects deep; `some` are those of elements. */
function withMatches(input: GraphQLInputObjectType, { fields }: ObjectType, depth: number): string[] {
  return fields.flatMap(({ name, type }) => {
    const inner = input.getFields()[name]?.type
    if (depth === 0 || !isInputObjectType(inner)) return []
    const { matches, some } = inner.getFields()
    if (matches !== undefined) return [name]
    const held = type.kind === 'array' ? type.of : type
    if (held.kind !== 'object') return []
    const below = some === undefined ? inner : (some.type as GraphQLInputObjectType)
    return withMatches(below, held.type, depth - 1).map((path) => `${name}_${path}`)
  })
}

function record(id: string, properties: object, defs: object = {}): Json {
  return recordDoc(id, properties, { box: strongRef, ...defs })
}
