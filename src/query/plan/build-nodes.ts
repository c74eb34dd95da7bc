/** Builds the outputs of the fields `node` and `nodes`. An id is an AT-URI, which names the collection to read. */
import type { Table } from '../../database/layout/tables.ts'
import { ServiceError } from '../../errors.ts'
import { buildRecord } from './build-output.ts'
import { argumentsOf, type Collected } from '../parse/collect.ts'
import type { PlanContext } from './context.ts'
import type { RootOutput } from './plan.ts'
import { checkedAtUri } from './values.ts'

export function buildNode(context: PlanContext, collected: Collected): RootOutput {
  const uri = checkedAtUri('id', String(argumentsOf(context.selection, collected).id))
  const table = tableNamedBy(context, uri)
  if (table === undefined) return { kind: 'constant', json: 'null' }
  return { kind: 'byUri', table, uri, fields: buildRecord(context, table, collected.selections) }
}

export function buildNodes(context: PlanContext, collected: Collected): RootOutput {
  const ids = argumentsOf(context.selection, collected).ids as readonly string[]
  const { maxPageSize } = context
  if (ids.length > maxPageSize)
    throw new ServiceError(
      'BAD_USER_INPUT',
      `\`ids\` has ${ids.length} ids, and a page has at most ${maxPageSize}: ask for them in several requests.`,
    )
  context.asked.countValues(ids.length)
  const uris = ids.map((id, index) => checkedAtUri(`ids[${index}]`, id))
  const named = new Set(uris.map((uri) => tableNamedBy(context, uri)))
  const records = context.tables
    .filter((table) => named.has(table))
    .map((table) => ({ table, fields: buildRecord(context, table, collected.selections) }))
  if (records.length === 0) return { kind: 'constant', json: JSON.stringify(uris.map(() => null)) }
  return { kind: 'nodes', uris, records }
}

/** Undefined if the URI does not name a collection that is served. */
function tableNamedBy({ tables }: PlanContext, uri: string): Table | undefined {
  const [, , , nsid] = uri.split('/')
  return tables.find(({ collection }) => collection.nsid === nsid)
}
