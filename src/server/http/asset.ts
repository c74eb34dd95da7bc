/** Static content with an ETag, compressed for clients that accept it. */
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptsGzip, matchesEtag } from './requests.ts'

export interface Asset {
  readonly type: string
  /** Weak, because the compressed content has the same ETag. */
  readonly etag: string
  readonly plain: Buffer
  readonly zipped: () => Promise<Buffer>
}

export function createAsset(type: string, plain: Buffer): Asset {
  let zipped: Promise<Buffer> | undefined
  return {
    type,
    etag: `W/"${hash('sha256', plain)}"`,
    plain,
    // Compressed once: the largest takes a tenth of a second, which callers must not be able to cause at will.
    zipped: () => (zipped ??= promisify(gzip)(plain)),
  }
}

/** For a text that changes now and then: hashed and compressed again only when it has. */
export function createTextAsset(type: string): (text: string) => Asset {
  let made: { readonly text: string; readonly asset: Asset } | undefined
  return (text) => {
    if (made?.text !== text) made = { text, asset: createAsset(type, Buffer.from(text)) }
    return made.asset
  }
}

export async function sendAsset(
  { type, etag, plain, zipped }: Asset,
  headers: Readonly<Record<string, string>>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.headers({ ...headers, etag, 'x-content-type-options': 'nosniff' })
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  reply.type(type)
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(plain)
  return reply.header('content-encoding', 'gzip').send(await zipped())
}
