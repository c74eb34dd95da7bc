import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GraphQLObjectType } from 'graphql'
import { lexiconsOf, recordDoc, ref, strongRef } from '../../../test/support/lexicons/documents.ts'
import { modelOf } from '../../../test/support/service/agents.ts'
import { buildGraphQLSchema } from '../graphql/graphql.ts'
import { buildModel } from './build-model.ts'
import type { Model } from './model.ts'
import { groupFields } from './operators.ts'

type Properties = Readonly<Record<string, unknown>>

test('text is free when it counts graphemes, bounded up to 5,000 bytes', () => {
  const kinds = collection(
    model({
      free: { type: 'string', maxGraphemes: 300, maxLength: 30_000 },
      headline: { type: 'string', maxGraphemes: 300, maxLength: 3000 },
      known: { type: 'string', maxGraphemes: 30, knownValues: ['a'] },
      plain: { type: 'string' },
      edge: { type: 'string', maxLength: 5000 },
      over: { type: 'string', maxLength: 5001 },
    }),
  ).type.fields.map(({ name, type }) =>
    type.kind === 'string' ? [name, type.freeText, type.bounded] : [name],
  )
  assert.deepEqual(kinds, [
    ['free', true, false],
    ['headline', true, true],
    ['known', false, true],
    ['plain', false, false],
    ['edge', false, true],
    ['over', false, false],
  ])
})

test('properties that clash or are no names are mapped, and each mapping is noted', () => {
  const { notes } = model({
    cid: { type: 'string' },
    actorHandle: { type: 'string' },
    count: { type: 'integer' },
    AND: { type: 'string' },
    'with-dash': { type: 'string' },
    with_dash: { type: 'string' },
  })
  assert.deepEqual(notes, [
    'org.example.thing: property "cid" is the field record_cid.',
    'org.example.thing: property "actorHandle" is the field record_actorHandle.',
    'org.example.thing: property "count" is the field record_count.',
    'org.example.thing: property "AND" is the field record_AND.',
    'org.example.thing: property "with-dash" is the field with_dash.',
    'org.example.thing: property "with_dash" is the field with_dash_.',
  ])
})

test('a generated field gives way to a property of its name, and that is noted', () => {
  const at = { type: 'string', format: 'datetime' }
  const { notes } = model({
    at,
    at_weekday: { type: 'string' },
    other: strongRef,
    otherResolved: { type: 'string' },
    orgExampleThingViaOther: { type: 'string' },
  })
  assert.deepEqual(notes, [
    'org.example.thing: the generated field at_weekday gives way to the property of that name.',
    'org.example.thing: the generated field otherResolved gives way to the property of that name.',
    'org.example.thing: the generated field orgExampleThingViaOther gives way to the property of that name.',
  ])
})

test('references are found in objects and arrays, circular ones once, with their declared targets', () => {
  const built = model(
    {
      one: strongRef,
      many: { type: 'array', items: { type: 'string', format: 'at-uri' } },
      box: ref('#box'),
      either: { type: 'union', refs: ['com.atproto.repo.strongRef'] },
    },
    {
      'org.example.thing#one': ['org.example.thing'],
      'org.example.thing#many': ['org.example.thing', 'org.example.elsewhere'],
      'org.example.thing#box.content': [],
    },
  )
  const references = collection(built).references.map(({ path, many, target, targets, viaField }) => [
    path.join('.'),
    many,
    target,
    targets?.length,
    viaField,
  ])
  assert.deepEqual(references, [
    ['one', false, 'org.example.thing', 1, 'orgExampleThingViaOne'],
    ['many', true, null, 2, 'orgExampleThingViaMany'],
    ['box.content', false, null, 0, 'orgExampleThingViaBoxContent'],
  ])
  // Declared to lead nowhere, a reference has no reverse field.
  assert.deepEqual(
    collection(built).referredBy.map(({ viaField }) => viaField),
    ['orgExampleThingViaOne', 'orgExampleThingViaMany'],
  )
})

test('a union is one type, though its record is embedded elsewhere or its array has a definition', () => {
  const union = { type: 'union', refs: ['#box'] }
  const box = { type: 'object', properties: { more: ref('#list') } }
  const list = { type: 'array', items: { type: 'union', refs: ['#box'] } }
  const properties = {
    theme: ref('org.example.colors'),
    one: ref('#list'),
    two: ref('#list'),
  }
  const documents = [
    recordDoc('org.example.colors', { accent: union }, { box: { ...box, properties: {} } }),
    recordDoc('org.example.site', properties, { list, box }),
  ]
  const schema = buildGraphQLSchema(modelOf(documents, {}))
  const typeOf = (type: string, field: string) =>
    String((schema.getType(type) as GraphQLObjectType).getFields()[field]?.type)
  assert.equal(typeOf('OrgExampleColors', 'accent'), 'OrgExampleColorsAccentUnion')
  assert.equal(typeOf('OrgExampleColorsValue', 'accent'), 'OrgExampleColorsAccentUnion')
  assert.equal(typeOf('OrgExampleSite', 'one'), '[OrgExampleSiteListUnion!]')
  assert.equal(typeOf('OrgExampleSiteBox', 'more'), '[OrgExampleSiteListUnion!]')
})

test('in groups too, a property within an object has its name rather than the period of a time', () => {
  const at = { type: 'string', format: 'datetime' }
  const box = { type: 'object', properties: { at, at_day: { type: 'string' } } }
  const given = modelOf([recordDoc('org.example.thing', { box: ref('#box') }, { box })], {})
  const found = groupFields(collection(given), given).filter(({ name }) => /^box_at_(?:day|week)$/.test(name))
  assert.deepEqual(found.map(({ name, bucket }) => [name, bucket]).toSorted(), [
    ['box_at_day', null],
    ['box_at_week', 'week'],
  ])
  assert.match(given.notes.join(), /at_day gives way to the property/)
})

test('what records can be grouped by is found once for a model', () => {
  const given = model({ text: { type: 'string', maxGraphemes: 10 } })
  assert.equal(groupFields(collection(given), given), groupFields(collection(given), given))
})

function model(properties: Properties, references: Readonly<Record<string, readonly string[]>> = {}): Model {
  const box = { type: 'object', properties: { content: strongRef, inner: ref('#box') } }
  return modelOf([recordDoc('org.example.thing', properties, { box })], references)
}

function collection({ collections }: Model) {
  const [only] = collections
  assert.ok(only !== undefined)
  return only
}

test('a target that no lexicon defines is noted, with the nearest collection', () => {
  const documents = [recordDoc('a.b.book', { by: strongRef, on: strongRef }), recordDoc('a.b.person', {})]
  const notesWith = (...targets: readonly string[]) =>
    buildModel(lexiconsOf(documents, { 'a.b.book#by': targets })).notes
  assert.deepEqual(notesWith('a.b.person', 'a.b.book'), [])
  assert.deepEqual(notesWith('a.b.person', 'a.b.persom', 'org.elsewhere.entirely.different'), [
    'references.json: a.b.book#by: "a.b.persom" has no lexicon here, so its records are not served. Did you mean "a.b.person"? Add the lexicon, unless this is meant.',
    'references.json: a.b.book#by: "org.elsewhere.entirely.different" has no lexicon here, so its records are not served. Add the lexicon, unless this is meant.',
  ])
})
