/** The question that the options of `export --format`, and those of `explain --collection`, ask. */
import type { GraphQLSchema } from 'graphql'
import { UsageError } from '../../../errors.ts'
import { unlimited } from '../../../query/execute/execute.ts'
import { type AggregateQuery, buildAggregateQuery } from '../../../query/export/aggregate-query.ts'
import { buildExportQuery, collectionNamed, type ExportQuery } from '../../../query/export/export-query.ts'
import type { Config } from '../../settings/settings.ts'

export type FileQuery =
  | { readonly kind: 'records'; readonly query: ExportQuery }
  | { readonly kind: 'groups'; readonly query: AggregateQuery }

/** Options that are parameters of files, by the names of these; only groups have those of `ofGroups`. */
const ofGroups = {
  'group-by': 'groupBy',
  denominator: 'denominator',
  'time-zone': 'timeZone',
  'week-start': 'weekStart',
  interval: 'interval',
  'order-by': 'orderBy',
  'rank-by': 'rankBy',
  having: 'having',
  significant: 'significant',
  'min-count': 'minCount',
  fill: 'fill',
} as const
const parameterNames = {
  where: 'where',
  search: 'search',
  'sort-by': 'sortBy',
  fields: 'fields',
  limit: 'limit',
  ...ofGroups,
} as const
export const fileOptions: readonly string[] = Object.keys(parameterNames)

/** Rows of a file without `--limit`; it is an `Int` of GraphQL. */
const mostRows = 2_000_000_000

/** The operator is not charged. */
export const fileLimits = { ...unlimited, pageSize: mostRows }

export function assertOptions(config: Config, given: ReadonlySet<string>): void {
  const [grouped] = Object.keys(ofGroups).filter((name) => given.has(name))
  if (grouped !== undefined && config['group-by'] === null)
    throw new UsageError(`--${grouped} is for groups: write --group-by with it, or leave it out.`)
}

/** The options as parameters of `GET /export`. */
export function parametersOf(config: Config): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(parameterNames).flatMap(([option, name]) => {
      const value = config[option as keyof typeof parameterNames]
      return value === null || value === false ? [] : [[name, String(value)] as const]
    }),
  )
}

export function buildFileQuery(schema: GraphQLSchema, config: Config, nsid: string): FileQuery {
  const collection = collectionNamed(schema, nsid)
  const parameters = parametersOf(config)
  return config['group-by'] === null
    ? { kind: 'records', query: buildExportQuery(schema, collection, parameters, mostRows) }
    : { kind: 'groups', query: buildAggregateQuery(schema, collection, parameters) }
}
