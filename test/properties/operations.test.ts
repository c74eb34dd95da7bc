import { assertAnswered } from '../support/ask.ts'
import { operations } from '../support/operations.ts'
import { property } from '../support/property.ts'

property(
  'whatever fields of lists, records and aggregates an operation selects, the answer is the plain evaluator’s',
  ({ reference }) => operations(reference),
  async ({ service }, operation) => void (await assertAnswered(service, operation)),
  40,
)
