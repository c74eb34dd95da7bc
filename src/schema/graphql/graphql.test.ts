import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GraphQLSchema, isInputObjectType, isObjectType, isUnionType, validateSchema } from 'graphql'
import { buildLexicons } from '../../lexicon/lexicons.ts'
import { buildModel } from '../model/build-model.ts'
import { buildGraphQLSchema } from './graphql.ts'

type Document = { readonly id: string } & Readonly<Record<string, unknown>>

test('two lexicons whose types would have one name are refused with both origins', () => {
  assert.throws(
    () => build([record('org.ex-ample.thing', {}), record('org.ex.ample.thing', {})]),
    /OrgExAmpleThing is needed twice: for org\.ex-ample\.thing and for org\.ex\.ample\.thing\./,
  )
})

test('a definition whose type has the name of another lexicon is refused with both origins', () => {
  const box = { box: { type: 'object', properties: { a: { type: 'string' } } } }
  const holder = record('org.example.thing', { box: { type: 'ref', ref: '#box' } }, box)
  assert.throws(
    () => build([holder, record('org.example.thing.box', {})]),
    /OrgExampleThingBox is needed twice: for org\.example\.thing\.box and for org\.example\.thing#box\./,
  )
})

test('a lexicon whose type has the name of a generated one is refused with both origins', () => {
  assert.throws(
    () => build([record('org.example.thing', {}), record('org.example.thing.edge', {})]),
    /OrgExampleThingEdge is needed twice: for org\.example\.thing\.edge and for lists of org\.example\.thing\./,
  )
})

test('inputs for different things never share a name', () => {
  const strongRef = { strongRef: { type: 'object', properties: { a: { type: 'string' } } } }
  const properties = {
    parent: { type: 'ref', ref: 'com.atproto.repo.strongRef' },
    box: { type: 'ref', ref: '#strongRef' },
  }
  assert.throws(
    () =>
      build([record('org.example.thing', properties, strongRef)], {
        'org.example.thing#parent': ['org.example.thing'],
      }),
    /OrgExampleThingStrongRefWhereInput is needed twice: for .*references to a org\.example\.thing record.* and for .*org\.example\.thing#strongRef/,
  )
})

test('descriptions carry the words, requirements, ranges and known values of the lexicon', () => {
  const schema = build([
    record('org.example.thing', {
      title: { type: 'string', description: 'What it is called.', maxLength: 300 },
      level: { type: 'integer', minimum: 1, maximum: 9 },
      mood: { type: 'string', knownValues: ['glad', 'sad'] },
      label: { type: 'ref', ref: '#label' },
    }),
  ])
  const described = (type: string) => {
    const found = schema.getType(type)
    assert.ok(isObjectType(found) || isInputObjectType(found))
    const descriptions = Object.values(found.getFields()).map(({ name, description }) => [name, description])
    const byName = Object.fromEntries(descriptions)
    return ['title', 'level', 'mood', 'label'].map((name) => byName[name])
  }
  const expected = [
    'What it is called. Required by the lexicon. At most 300 bytes.',
    'From 1 to 9.',
    'Known values: glad, sad.',
    'A short name.',
  ]
  assert.deepEqual(described('OrgExampleThing'), expected)
  assert.deepEqual(described('OrgExampleThingWhereInput'), expected)
  assert.equal(schema.getType('OrgExampleThing')?.description, 'A thing.')
})

test('there is nothing but queries', () => {
  const schema = build([record('org.example.thing', {})])
  assert.equal(schema.getMutationType() ?? null, null)
  assert.equal(schema.getSubscriptionType() ?? null, null)
  assert.deepEqual(
    Object.keys(schema.getTypeMap()).filter((name) => /mutation|subscription/i.test(name)),
    [],
  )
  assert.deepEqual(Object.keys(schema.getQueryType()?.getFields() ?? {}), [
    'orgExampleThing',
    'orgExampleThingAggregate',
    'orgExampleThingByUri',
    'node',
    'nodes',
    'indexStatus',
  ])
})

test('an open union has room for the unforeseen, a closed one has not, an empty one is bare', () => {
  const schema = build([
    record('org.example.thing', {
      open: { type: 'union', refs: ['#box', 'com.atproto.repo.strongRef'] },
      closed: { type: 'union', refs: ['#box'], closed: true },
      anyObject: { type: 'union', refs: [] },
      never: { type: 'union', refs: [], closed: true },
    }),
  ])
  const members = (name: string) => {
    const union = schema.getType(name)
    assert.ok(isUnionType(union))
    return union.getTypes().map((type) => type.name)
  }
  assert.deepEqual(members('OrgExampleThingOpenUnion'), [
    'OrgExampleThingBox',
    'ComAtprotoRepoStrongRef',
    'UnknownObject',
  ])
  assert.deepEqual(members('OrgExampleThingClosedUnion'), ['OrgExampleThingBox'])
  const thing = schema.getType('OrgExampleThing')
  assert.ok(isObjectType(thing))
  assert.equal(String(thing.getFields()['anyObject']?.type), 'UnknownObject')
  assert.equal(String(thing.getFields()['never']?.type), 'JSON')
})

test('an object without properties has a field that says so, and no conditions', () => {
  const schema = build([record('org.example.thing', { nothing: { type: 'ref', ref: '#nothing' } })])
  const nothing = schema.getType('OrgExampleThingNothing')
  assert.ok(isObjectType(nothing))
  assert.deepEqual(Object.keys(nothing.getFields()), ['_empty'])
  assert.equal(schema.getType('OrgExampleThingNothingWhereInput'), undefined)
})

function build(
  documents: readonly Document[],
  references: Readonly<Record<string, readonly string[]>> = {},
): GraphQLSchema {
  const files = documents.map((document) => ({ file: `${document.id}.json`, document }))
  const result = buildLexicons(files, references)
  assert.ok(result.ok, JSON.stringify(result))
  const schema = buildGraphQLSchema(buildModel(result.lexicons))
  // Types that are named lazily are all made by now.
  schema.getTypeMap()
  assert.deepEqual(validateSchema(schema), [])
  return schema
}

function record(id: string, properties: object, defs: object = {}): Document {
  return {
    lexicon: 1,
    id,
    defs: {
      main: {
        type: 'record',
        description: 'A thing.',
        key: 'any',
        record: { type: 'object', properties, ...('title' in properties && { required: ['title'] }) },
      },
      box: { type: 'object', properties: { size: { type: 'integer' } } },
      nothing: { type: 'object', properties: {} },
      label: { type: 'string', description: 'A short name.' },
      ...defs,
    },
  }
}
