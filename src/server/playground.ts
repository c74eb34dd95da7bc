/**
 * The page a browser gets: Altair, served from its package, with the address and an example filled in.
 * Nothing on it comes from another host; docs/decisions/0005-playground.md says why it is this one.
 */
import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type RenderOptions, getDistDirectory, renderAltair, renderInitSnippet } from 'altair-static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.ts'
import { acceptsGzip } from './media-types.ts'

/** What one address answers with. The bytes are read when they are first asked for. */
interface Asset {
  readonly type: string
  readonly load: () => Promise<Content>
}

interface Content {
  readonly plain: Buffer
  /** Null for what is compressed already, such as fonts. */
  readonly zipped: Buffer | null
  readonly etag: string
}

/** Adds the addresses of the page's files, and returns the function that answers with the page itself. */
export async function addPlaygroundRoutes(
  app: FastifyInstance,
  options: { endpoint: string; exampleQuery: string },
) {
  const altair: RenderOptions = {
    endpointURL: options.endpoint,
    initialQuery: options.exampleQuery,
    disableAccount: true,
    serveInitialOptionsInSeperateRequest: startScript,
    initialSettings: { theme: 'system' },
    persistedSettings: {
      'alert.disableUpdateNotification': true,
      'banners.disable': true,
      disablePushNotification: true,
    },
  }
  const start = renderInitSnippet(altair)
  const files = await listFiles(getDistDirectory())
  // The folder's name changes with what is in it, so that browsers may keep the files for ever.
  const folder = `/playground/${digest([renderAltair(), start].join()).slice(0, 12)}/`
  const page = inMemory('.html', renderAltair({ ...altair, baseURL: folder }))
  const assets = new Map<string, Asset>([[folder + startScript, inMemory('.js', start)]])
  for (const file of files) assets.set(folder + file, onDisk(join(getDistDirectory(), file)))

  app.get('/playground/*', (request, reply) => {
    const asset = assets.get(request.url)
    if (asset === undefined) throw new ServiceError('NOT_FOUND', 'This file is not part of the playground.')
    return sendAsset(asset, 'public, max-age=31536000, immutable', request, reply)
  })
  return (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('content-security-policy', contentSecurityPolicy).header('referrer-policy', 'no-referrer')
    return sendAsset(page, 'no-cache', request, reply)
  }
}

const startScript = 'start.js'

/** Styles are written into the page by its editor; scripts, and everything else, come from here alone. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
}

/**
 * The package's files that the page may ask for. Its own index.html is replaced by ours, and its frame for
 * running callers' scripts needs `eval`, which the policy above forbids.
 */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && mediaTypes[extname(entry.name)] !== undefined)
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll(sep, '/'),
    )
    .filter((file) => file !== 'index.html' && !file.startsWith('iframe-sandbox/'))
}

function inMemory(extension: string, text: string): Asset {
  return asset(extension, () => Promise.resolve(Buffer.from(text)))
}

function onDisk(file: string): Asset {
  return asset(extname(file), () => readFile(file))
}

/** Compressed once and kept: the largest file takes a tenth of a second, which nobody may cause at will. */
function asset(extension: string, read: () => Promise<Buffer>): Asset {
  const type = mediaTypes[extension] ?? 'application/octet-stream'
  let content: Promise<Content> | undefined
  const load = async (): Promise<Content> => {
    const plain = await read()
    const zipped = /^text|json|svg/.test(type) ? await promisify(gzip)(plain) : null
    return { plain, zipped, etag: `"${digest(plain).slice(0, 20)}"` }
  }
  return { type, load: () => (content ??= load()) }
}

async function sendAsset(asset: Asset, cacheControl: string, request: FastifyRequest, reply: FastifyReply) {
  const { plain, zipped, etag } = await asset.load()
  reply.headers({
    'cache-control': cacheControl,
    etag,
    vary: 'accept, accept-encoding',
    'x-content-type-options': 'nosniff',
  })
  if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
  reply.type(asset.type)
  if (zipped === null || !acceptsGzip(request.headers['accept-encoding'])) return reply.send(plain)
  return reply.header('content-encoding', 'gzip').send(zipped)
}

function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
