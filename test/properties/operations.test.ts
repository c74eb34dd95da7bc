import { assertAnswered } from '../support/random/ask.ts'
import { operations } from '../support/random/operations.ts'
import { property } from '../support/random/property.ts'

property(
  'whatever fields of lists, records and aggregates an operation selects, the answer is the plain evaluator’s',
  ({ reference }) => operations(reference),
  async ({ service }, operation) => void (await assertAnswered(service, operation)),
  40,
)
