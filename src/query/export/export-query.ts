/** The operation that an export of records asks, and the columns of its file. */
import type { GraphQLField, GraphQLSchema } from 'graphql'
import { ServiceError } from '../../errors.ts'
import type { FileColumn } from '../../files/file-spec.ts'
import type { Collection } from '../../schema/model/model.ts'
import { nearest } from '../../util/text/nearest.ts'
import type { GraphQLRequest } from '../execute/execute.ts'
import { integerArgument } from '../parse/prepare.ts'
import { assertKnown, readArguments } from './export-arguments.ts'
import { readFields } from './export-fields.ts'

export interface ExportQuery {
  /** One list, with `nodes` and `totalCount`. */
  readonly request: GraphQLRequest
  /** The number of records only. */
  readonly counting: GraphQLRequest
  readonly columns: readonly FileColumn[]
  /** Maximum number of rows. */
  readonly limit: number
}

/** Parameters of a file besides the arguments of the list. */
const others = ['fields', 'limit', 'bom']
/** An export is one page. */
const paging = new Set(['first', 'last', 'after', 'before'])

/** `mostRows`: how many rows the caller may have, which is the limit if none is given. */
export function buildExportQuery(
  schema: GraphQLSchema,
  collection: Collection,
  parameters: ReadonlyMap<string, string>,
  mostRows: number,
): ExportQuery {
  const list = rootField(schema, collection.rootField)
  const args = list.args.filter(({ name }) => !paging.has(name))
  assertKnown(parameters, { args }, others)
  const limit = parameters.get('limit')
  const first = integerArgument(
    'limit',
    limit === undefined ? null : readInteger(limit),
    mostRows,
    mostRows,
    1,
  )
  const { columns, selection } = readFields(schema, collection, readNames(parameters.get('fields')))
  const { definitions, uses, variables } = readArguments(args, parameters)
  const operation = (inside: string, more: readonly string[] = []): string => {
    const all = [...uses, ...more]
    const declared = definitions.length === 0 ? '' : `(${definitions.join(', ')})`
    return `query Export${declared} { ${list.name}${all.length === 0 ? '' : `(${all.join(', ')})`} { ${inside} } }`
  }
  const query = operation(`nodes { ${selection} } totalCount`, [`first: ${first}`])
  return {
    request: { query, variables },
    counting: { query: operation('totalCount'), variables },
    columns,
    limit: first,
  }
}

/** Throws NOT_FOUND for an NSID that is not served. */
export function collectionNamed(schema: GraphQLSchema, nsid: string): Collection {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {})
  const collections = fields.flatMap(({ extensions: { role } }) =>
    role?.kind === 'connection' ? [role.collection] : [],
  )
  const found = collections.find((collection) => collection.nsid === nsid)
  if (found !== undefined) return found
  const names = collections.map((collection) => collection.nsid)
  const guess = nearest(nsid, names)
  const hint = guess === null ? `There are ${names.join(', ')}.` : `Did you mean ${guess}?`
  throw new ServiceError('NOT_FOUND', `There is no collection ${JSON.stringify(nsid)}. ${hint}`)
}

export function rootField(schema: GraphQLSchema, name: string): GraphQLField<unknown, unknown> {
  const field = schema.getQueryType()?.getFields()[name]
  if (field === undefined) throw new Error(`The schema has no field ${name}.`)
  return field
}

export function readNames(text: string | undefined): readonly string[] | null {
  return text === undefined ? null : text.split(',').map((name) => name.trim())
}

function readInteger(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text
}
