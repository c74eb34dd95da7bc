/** Serves the schema as SDL at its own path, for code generators. */
import type { FastifyInstance } from 'fastify'
import type { GraphQLSchema } from 'graphql'
import { schemaText } from '../../schema/schema-text.ts'
import { type Asset, createAsset, sendAsset } from '../http/asset.ts'
import { crossOriginHeaders } from '../http/cross-origin.ts'

export const schemaPath = '/schema.graphql'

const headers = { ...crossOriginHeaders, 'cache-control': 'public, no-cache', vary: 'accept-encoding' }

/** Printed and compressed once: requests cost no points, and slow readers share the same bytes. */
export function addSchemaRoute(app: FastifyInstance, schema: GraphQLSchema): void {
  let asset: Asset | undefined
  app.get(schemaPath, (request, reply) => {
    asset ??= createAsset('text/plain; charset=utf-8', Buffer.from(schemaText(schema).text))
    return sendAsset(asset, headers, request, reply)
  })
}
