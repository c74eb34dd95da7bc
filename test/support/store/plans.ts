/** Plans without a database: what can be told of an operation from its document and variables alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildTables } from '../../../src/database/layout/tables.ts'
import { buildLexicons } from '../../../src/lexicon/lexicons.ts'
import { buildPlan } from '../../../src/query/plan/build-plan.ts'
import type { Plan } from '../../../src/query/plan/plan.ts'
import { sizeOf } from '../../../src/query/price/cost.ts'
import { coerceInSteps, findOperation, prepare, runAllSteps } from '../../../src/query/parse/prepare.ts'
import { buildModel } from '../../../src/schema/model/build-model.ts'
import { buildGraphQLSchema } from '../../../src/schema/graphql/graphql.ts'
import type { Json, References } from '../../reference/shapes.ts'

export type Planner = (text: string, variables?: Readonly<Record<string, unknown>>) => Plan

/** Pages may be as large as anybody's. */
export function createPlanner(documents: readonly Json[], references: References = {}): Planner {
  const files = documents.map((document) => ({
    file: `${document.id}.json`,
    document: structuredClone(document),
  }))
  const read = buildLexicons(files, references)
  if (!read.ok) throw new Error('The lexicons of a test do not hold.')
  const model = buildModel(read.lexicons)
  const tables = buildTables(model)
  const schema = buildGraphQLSchema(model)
  return (text, variables = {}) => {
    const document = prepare(schema, text)
    const operation = findOperation(document, null)
    const values = runAllSteps(coerceInSteps(schema, operation, variables))
    const selection = { schema, fragments: document.fragments, variables: values }
    const context = { version: '0.0.0', model, tables, maxPageSize: 1_000, file: null, selection }
    return buildPlan(context, operation, variables)
  }
}

/** A test of operations and their sizes, worked out by hand with the table in docs/limits.md, besides what is written. */
export function costTests(planned: Planner) {
  return (sentence: string, operations: readonly (readonly [text: string, expected: number])[]): void => {
    test(sentence, () => {
      for (const [text, expected] of operations)
        assert.equal(sizeOf({ ...planned(text), written: 0 }), expected, text)
    })
  }
}
