/** Builds the logical plan of an operation and its variables: the data that each root field reads. */
import type { OperationDefinitionNode } from 'graphql'
import type { Table } from '../../database/layout/tables.ts'
import { schemaText } from '../../schema/schema-text.ts'
import { buildAggregate } from './groups/build-aggregate.ts'
import { constantOutput, fieldsBelow, namedBelow } from './build-fields.ts'
import { buildList, buildMergedLists, buildRecord } from './build-output.ts'
import type { Collected } from '../parse/prepare.ts'
import { argumentsOf, badInput, checkedAtUri, collectFields, isAtUri } from '../parse/prepare.ts'
import { introspect } from '../parse/introspect.ts'
import { assertWithin, countFields, OperationCounts } from '../parse/limits.ts'
import type { Constant, Fields, Selected } from './fields.ts'
import type { FilePart, Plan, PlanContext, RootOutput, StatusOutput } from './plan.ts'
import { tableOf } from './plan-facts.ts'

/** `rawVariables` are the variables of the request as sent, for introspection, which graphql-js executes itself. */
export function buildPlan(
  setting: Omit<PlanContext, 'counts' | 'snippets'>,
  operation: OperationDefinitionNode,
  rawVariables: Readonly<Record<string, unknown>>,
): Plan {
  const context: PlanContext = { ...setting, counts: new OperationCounts(), snippets: [] }
  const query = context.selection.schema.getQueryType()
  if (query === null || query === undefined) throw new Error('The schema has no query type.')
  const collected = collectFields(context.selection, query, [operation.selectionSet])
  // Each introspection is counted while the plan is built, so their number is limited first.
  const isIntrospection = ({ name }: Collected): boolean => name === '__schema' || name === '__type'
  const introspections = collected.filter(isIntrospection).length
  assertWithin('introspections', introspections, 'Too many `__schema` and `__type` are selected')
  const roots = collected.map((root): Selected<RootOutput> => {
    if (!isIntrospection(root)) return { key: root.key, output: rootOutput(context, root) }
    const introspection = introspect(context.selection, operation, root, rawVariables)
    return { key: root.key, output: { kind: 'introspection', ...introspection } }
  })
  const fields = countFields(operation.selectionSet, context.selection.fragments)
  const plan = { roots, written: fields + context.counts.conditions, snippets: context.snippets }
  return context.file === null ? plan : withTotal(plan, context.file)
}

/** The plan of a file with the totals that its head needs; those of groups alone are with them. */
function withTotal(plan: Plan, part: FilePart): Plan {
  const [{ key, output: root }] = plan.roots as readonly [Selected<RootOutput>]
  const withRoot = (output: RootOutput, added: number): Plan => {
    return { ...plan, written: plan.written + added, roots: [{ key, output }] }
  }
  if (root.kind === 'list') {
    const { list } = root
    const total = { key: 'totalCount', output: { kind: 'totalCount' } } as const
    return withRoot(
      { ...root, list: { ...list, fields: [...(part === 'rows' ? list.fields : []), total] } },
      1,
    )
  }
  if (root.kind !== 'aggregate') throw new Error('A file is one list or one aggregate.')
  const { aggregate } = root
  if (aggregate.keys.length === 0)
    throw badInput('`groupBy` is missing: a file of groups has a row for each. Name fields to group by.')
  const more = { key: 'hasNextPage', output: { kind: 'hasNextPage' } } as const
  const fields = [
    ...aggregate.fields.map(({ output }) => ({ key: 'groups', output })),
    { key: 'groupCount', output: { kind: 'groupCount' } },
    { key: 'groupsPageInfo', output: { kind: 'groupsPageInfo', fields: [more] } },
  ] as const
  return withRoot({ ...root, aggregate: { ...aggregate, fields } }, 3)
}

function rootOutput(context: PlanContext, collected: Collected): RootOutput | Constant {
  const { name, field, selections } = collected
  if (name === '__typename') return constantOutput('Query')
  const role = field?.extensions.role
  switch (role?.kind) {
    case 'connection':
      return { kind: 'list', list: buildList(context, collected, tableOf(context, role.collection), null) }
    case 'aggregate':
      return {
        kind: 'aggregate',
        aggregate: buildAggregate(context, collected, tableOf(context, role.collection)),
      }
    case 'byUri': {
      const uri = checkedAtUri(String(argumentsOf(context.selection, collected).uri))
      const table = tableOf(context, role.collection)
      return { kind: 'byUri', table, uri, fields: buildRecord(context, table, selections) }
    }
    case 'node': {
      // An id is an AT-URI, which names the collection to read. No record has any other text as id.
      const uri = String(argumentsOf(context.selection, collected).id)
      const table = isAtUri(uri) ? tableNamedBy(context, uri) : undefined
      if (table === undefined) return constantOutput(null)
      return { kind: 'byUri', table, uri, fields: buildRecord(context, table, selections) }
    }
    case 'nodes':
      return buildNodes(context, collected)
    case 'search':
      return { kind: 'merged', lists: buildMergedLists(context, collected) }
    case 'status':
      return { kind: 'status', fields: buildStatus(context, collected) }
  }
  throw new Error(`The root field ${name} reads a ${role?.kind}.`)
}

function buildNodes(context: PlanContext, collected: Collected): RootOutput | Constant {
  const ids = argumentsOf(context.selection, collected).ids as readonly string[]
  const { maxPageSize } = context
  if (ids.length > maxPageSize)
    throw badInput(
      `\`ids\` has ${ids.length} ids, and a page has at most ${maxPageSize}: ask for them in several requests.`,
    )
  context.counts.countValues(ids.length)
  const uris = ids.map((id) => (isAtUri(id) ? id : ''))
  const named = new Set(uris.map((uri) => tableNamedBy(context, uri)))
  const records = context.tables
    .filter((table) => named.has(table))
    .map((table) => ({ table, fields: buildRecord(context, table, collected.selections) }))
  if (records.length === 0) return constantOutput(uris.map(() => null))
  return { kind: 'nodes', uris, records }
}

/** Undefined if the URI does not name a collection that is served. */
function tableNamedBy({ tables }: PlanContext, uri: string): Table | undefined {
  const [, , , nsid] = uri.split('/')
  return tables.find(({ collection }) => collection.nsid === nsid)
}

/** Values that cannot change while the process runs are constants. */
function buildStatus(context: PlanContext, collected: Collected): Fields<StatusOutput> {
  return fieldsBelow(context, collected, (below): StatusOutput | Constant => {
    switch (below.name) {
      case 'version':
        return constantOutput(context.version)
      case 'schemaHash':
        return constantOutput(schemaText(context.selection.schema).hash)
      case 'lexicons':
        return constantOutput(lexicons(context, below))
      case 'collections':
        return { kind: 'collections', tables: context.tables, fields: namedBelow(context, below) }
      default:
        return { kind: 'sources', fields: namedBelow(context, below) }
    }
  })
}

function lexicons(context: PlanContext, collected: Collected): unknown[] {
  return context.model.lexicons.map(({ nsid, revision, hash }) => {
    const values: Readonly<Record<string, unknown>> = { name: nsid, revision, hash }
    const fields = fieldsBelow(context, collected, ({ name }) => constantOutput(values[name]))
    return Object.fromEntries(fields.map(({ key, output }) => [key, JSON.parse(output.json) as unknown]))
  })
}
