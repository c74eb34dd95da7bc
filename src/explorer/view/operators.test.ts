/** Every operator of every field, of lexicons with every kind of field. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GraphQLInputType, validateInputValue } from 'graphql'
import { newsLexicons } from '../../../test/golden/corpora.ts'
import { modelOf } from '../../../test/support/service/agents.ts'
import { libraryLexicons, libraryReferences } from '../../../test/support/records/lexicons.ts'
import { buildGraphQLSchema } from '../../schema/graphql/graphql.ts'
import type { ShownField } from '../fields/shown-field.ts'
import { createSubjects, type Subject } from '../fields/subject.ts'
import { argumentOf } from '../operation.ts'
import { type Condition, type Operator, operatorsOf } from './conditions.ts'
import { readView, type View, writeView } from './view.ts'
import { type Where, whereOf } from './where.ts'

const models = [
  modelOf(newsLexicons.documents, newsLexicons.references),
  modelOf(libraryLexicons, libraryReferences),
]
const samples: Readonly<Record<string, readonly string[]>> = {
  string: ['a', 'b&c=d,"e" f'],
  integer: ['-3', '12'],
  boolean: ['true', 'false'],
  datetime: ['2026-11-01', '2026-11-30T12:00:00.5+01:00'],
  strongRef: ['at://did:plc:abc/org.example.book/1', 'at://did:plc:abc/org.example.book/2'],
  atUri: ['at://did:plc:abc/org.example.book/1', 'at://did:plc:abc/org.example.book/2'],
}

function valuesFor(field: ShownField, operator: Operator): readonly (readonly string[])[] {
  if (operator === 'missing') return [['0'], ['1']]
  const [one = '', other = ''] = samples[field.type.kind] ?? []
  return operator === 'is' || operator === 'not' || operator === 'all'
    ? [[one], [one, other]]
    : [[one], [other]]
}

function conditionsOn(subject: Subject): readonly Condition[] {
  return [...subject.fields.values()].flatMap((field) =>
    operatorsOf(field).flatMap((operator) =>
      valuesFor(field, operator).map((values) => ({ field, operator, values })),
    ),
  )
}

test('every condition reads as it was written, and becomes a where of the schema, with others on its field too', () => {
  for (const model of models) {
    const schema = buildGraphQLSchema(model)
    for (const subject of createSubjects(model).all) {
      const type = argumentOf(schema, subject.collection.rootField, 'where')?.type as GraphQLInputType
      const { view: empty } = readView([], subject)
      const all = conditionsOn(subject)
      for (const condition of all) {
        const view: View = { ...empty, conditions: [condition] }
        const address = writeView(view)
        const read = readView([...new URLSearchParams(address)], subject)
        assert.deepEqual([read.problems, read.view], [[], view], address)
        assertValid(whereOf(view.conditions), type)
      }
      for (const conditions of Map.groupBy(all, ({ field }) => field.name).values()) {
        const where = whereOf(conditions)
        assertValid(where, type)
        assert.equal(operatorsIn(where), conditions.length, JSON.stringify(where))
      }
    }
  }
})

function assertValid(where: Where, type: GraphQLInputType): void {
  validateInputValue(where, type, (error, path) =>
    assert.fail(`${JSON.stringify(where)} at ${path.join('.')}: ${error.message}`),
  )
}

/** The number of operators in the objects and lists of a where. */
function operatorsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce(
    (sum, [name, inner]) => sum + (leaves.has(name) ? 1 : operatorsIn(inner)),
    0,
  )
}

const leaves = new Set('eq in has hasAny hasAll isNull gte lte lt contains startsWith matches'.split(' '))
