/** Builds the logical plan of an operation and its variables: the data that each root field reads. */
import type { OperationDefinitionNode } from 'graphql'
import { buildAggregate } from './build-aggregate.ts'
import { buildList } from './build-list.ts'
import { buildRecord } from './build-output.ts'
import { buildNode, buildNodes } from './build-nodes.ts'
import { buildStatus } from './build-status.ts'
import { argumentsOf, type Collected, collectFields } from '../parse/collect.ts'
import { introspect } from '../parse/introspect.ts'
import { assertWithin, countFields } from '../parse/limits.ts'
import { Asked, type PlanContext, type PlanSetting, tableOf } from './context.ts'
import type { Plan, RootOutput } from './plan.ts'
import { checkedAtUri } from './values.ts'

/** `rawVariables` are the variables of the request as sent, for introspection, which graphql-js executes itself. */
export function buildPlan(
  setting: PlanSetting,
  operation: OperationDefinitionNode,
  rawVariables: Readonly<Record<string, unknown>>,
): Plan {
  const context = { ...setting, asked: new Asked() }
  const query = context.selection.schema.getQueryType()
  if (query === null || query === undefined) throw new Error('The schema has no query type.')
  const collected = collectFields(context.selection, query, [operation.selectionSet])
  // Each introspection is counted while the plan is built, so their number is limited first.
  const introspections = collected.filter(({ name }) => name === '__schema' || name === '__type').length
  assertWithin('introspections', introspections, 'Too many `__schema` and `__type` are selected')
  const roots = collected.map((collected) => ({
    key: collected.key,
    output: rootOutput(context, operation, collected, rawVariables),
  }))
  const fields = countFields(operation.selectionSet, context.selection.fragments)
  return { roots, written: fields + context.asked.conditions }
}

function rootOutput(
  context: PlanContext,
  operation: OperationDefinitionNode,
  collected: Collected,
  rawVariables: Readonly<Record<string, unknown>>,
): RootOutput {
  const { name, field, selections } = collected
  if (name === '__typename') return { kind: 'constant', json: '"Query"' }
  const role = field?.extensions.role
  if (role === undefined)
    return { kind: 'introspection', ...introspect(context.selection, operation, collected, rawVariables) }
  switch (role.kind) {
    case 'connection':
      return {
        kind: 'list',
        list: buildList(context, collected, tableOf(context, role.collection), null, name),
      }
    case 'aggregate':
      return {
        kind: 'aggregate',
        aggregate: buildAggregate(context, collected, tableOf(context, role.collection)),
      }
    case 'byUri': {
      const uri = checkedAtUri('uri', String(argumentsOf(context.selection, collected).uri))
      const table = tableOf(context, role.collection)
      return { kind: 'byUri', table, uri, fields: buildRecord(context, table, selections) }
    }
    case 'node':
      return buildNode(context, collected)
    case 'nodes':
      return buildNodes(context, collected)
    case 'status':
      return { kind: 'status', fields: buildStatus(context, collected) }
    case 'reverse':
    case 'system':
    case 'property':
    case 'resolved':
    case 'group':
    case 'groupResolved':
      throw new Error(`The root field ${name} reads a ${role.kind}.`)
  }
}
