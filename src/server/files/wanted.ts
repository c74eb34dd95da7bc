/** What a request for a file asks for: from its path, its parameters and its headers. */
import type { FastifyRequest } from 'fastify'
import type { GraphQLSchema } from 'graphql'
import { ServiceError } from '../../errors.ts'
import { type FileFormat, fileFormats, type FileSpec } from '../../files/file-spec.ts'
import { type AggregateQuery, buildAggregateQuery } from '../../query/export/aggregate-query.ts'
import { buildExportQuery, collectionNamed, type ExportQuery } from '../../query/export/export-query.ts'
import { parseQueryString } from '../graphql/graphql-http.ts'
import { acceptsGzip } from '../http/requests.ts'

export const exportPath = '/export/'

export type Wanted = (
  | { readonly kind: 'records'; readonly query: ExportQuery }
  | { readonly kind: 'groups'; readonly query: AggregateQuery }
) & { readonly name: string; readonly spec: FileSpec }

/** `mostRows`: how many records the caller may have. The name of the file is without its ending. */
export function readWanted(
  schema: GraphQLSchema,
  { url, headers }: FastifyRequest,
  mostRows: number,
): Wanted {
  const { nsid, isGrouped, format } = parsePath(url.split('?', 1)[0] ?? '')
  const collection = collectionNamed(schema, nsid)
  const parameters = parseQueryString(url)
  const wanted = isGrouped
    ? { kind: 'groups' as const, query: buildAggregateQuery(schema, collection, parameters) }
    : { kind: 'records' as const, query: buildExportQuery(schema, collection, parameters, mostRows) }
  const spec: FileSpec = {
    format,
    columns: wanted.query.columns,
    bom: isTrue('bom', parameters.get('bom')),
    gzip: format !== 'parquet' && acceptsGzip(headers['accept-encoding']),
    query: url,
  }
  return { ...wanted, spec, name: isGrouped ? `${nsid}.aggregate` : nsid }
}

function isTrue(name: string, text: string | undefined): boolean {
  if (text === undefined || text === 'true' || text === 'false') return text === 'true'
  throw new ServiceError('BAD_USER_INPUT', `\`${name}\` is \`true\` or \`false\`.`)
}

function parsePath(path: string): {
  readonly nsid: string
  readonly isGrouped: boolean
  readonly format: FileFormat
} {
  const [, nsid, aggregate, ending] =
    /^\/export\/([A-Za-z0-9.-]{1,317}?)(\/aggregate)?\.([a-z]{1,20})$/.exec(path) ?? []
  const format = fileFormats.find((each) => each === ending)
  if (nsid !== undefined && format !== undefined) return { nsid, isGrouped: aggregate !== undefined, format }
  throw new ServiceError(
    'NOT_FOUND',
    `An export is at ${exportPath}NSID.FORMAT or ${exportPath}NSID/aggregate.FORMAT, and FORMAT is ${fileFormats.join(', ')}.`,
  )
}
