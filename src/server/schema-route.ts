/** The schema as text at an address of its own, for tools that generate code from it. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import type { GraphQLSchema } from 'graphql'
import { schemaText } from '../schema/schema-text.ts'
import { crossOriginHeaders } from './cross-origin.ts'
import { acceptsGzip, matchesEtag } from './media-types.ts'

export const schemaPath = '/schema.graphql'

/**
 * Made and compressed for the first who asks, and kept: asking costs no points, and callers that read slowly share the
 * same bytes.
 */
export function addSchemaRoute(app: FastifyInstance, schema: GraphQLSchema): void {
  let plain: Buffer | undefined
  let zipped: Promise<Buffer> | undefined
  app.get(schemaPath, async ({ headers }, reply) => {
    const { text, hash } = schemaText(schema)
    const etag = `W/"${hash}"`
    reply.headers({
      ...crossOriginHeaders,
      'cache-control': 'public, no-cache',
      etag,
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
    })
    if (matchesEtag(headers['if-none-match'], etag)) return reply.code(304).send()
    reply.header('content-type', 'text/plain; charset=utf-8')
    plain ??= Buffer.from(text)
    if (!acceptsGzip(headers['accept-encoding'])) return reply.send(plain)
    zipped ??= promisify(gzip)(plain)
    return reply.header('content-encoding', 'gzip').send(await zipped)
  })
}
