import { assertAnswered } from '../support/random/ask.ts'
import { operations } from '../support/random/operations.ts'
import { property } from '../support/random/property.ts'

property(
  'any selection of fields of lists, records and aggregates has the reference evaluator’s answer',
  ({ reference }) => operations(reference),
  async ({ service }, operation) => void (await assertAnswered(service, operation)),
  40,
)
