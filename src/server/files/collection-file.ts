/** The address of a whole collection as a file, which is the answer to a query of all its records. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { GraphQLSchema } from 'graphql'
import { isObjectType } from 'graphql/type'
import { ServiceError } from '../../errors.ts'
import { fileFormats } from '../../files/file-spec.ts'
import type { Collection } from '../../schema/model/model.ts'
import { usualPaths } from '../../schema/graphql/usual-selection.ts'
import { nearest } from '../../util/text/nearest.ts'
import { assertNoKeyInUrl } from '../admission/authentication.ts'
import { type AskedAnswer, parseQueryString } from '../graphql/graphql-http.ts'
import type { Answer } from '../graphql/graphql-routes.ts'
import { formOf } from './send-file.ts'

export const exportPath = '/export/'

/** `answer`: as a GraphQL request whose question is read when its caller is known. */
export function addCollectionFiles(app: FastifyInstance, schema: GraphQLSchema, answer: Answer): void {
  // The HEAD route that the framework adds to a GET route says that the file is empty.
  app.route({
    method: ['GET', 'HEAD'],
    url: `${exportPath}*`,
    config: { turn: 'own' },
    handler: (request, reply) => answer(request, reply, () => readAddress(schema, request)),
  })
}

function readAddress(schema: GraphQLSchema, { url, headers }: FastifyRequest): AskedAnswer {
  assertNoKeyInUrl(url)
  const { bom, ...others } = Object.fromEntries(parseQueryString(url))
  const path = url.split('?', 1)[0] ?? ''
  const [, nsid = '', format] = /^\/export\/([A-Za-z0-9.-]{1,317}?)\.([a-z]{1,20})$/.exec(path) ?? []
  if (!fileFormats.some((each) => each === format))
    throw new ServiceError(
      'NOT_FOUND',
      `A whole collection is at ${exportPath}NSID.FORMAT, and FORMAT is ${fileFormats.join(', ')}. ${byQuery}`,
    )
  const { rootField, typeName } = collectionNamed(schema, nsid)
  const [name] = Object.keys(others)
  if (name !== undefined)
    throw new ServiceError(
      'BAD_USER_INPUT',
      `${path} is the whole collection and takes no \`${name}\`. ${byQuery} The list is \`${rootField}\`.`,
    )
  const type = schema.getType(typeName)
  const fields = (isObjectType(type) ? usualPaths(type) : []).map(([name, inside]) =>
    inside === undefined ? name : `${name} { ${inside} }`,
  )
  const query = `{ ${rootField} { nodes { ${fields.join(' ')} } } }`
  return { question: { query }, form: formOf({ format, bom }, headers) }
}

const byQuery =
  'Other rows and columns are those of a query: GET /api/graphql?format=csv&query={ … { nodes { uri } } }.'

/** Throws NOT_FOUND for an NSID that is not served. */
function collectionNamed(schema: GraphQLSchema, nsid: string): Collection {
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
