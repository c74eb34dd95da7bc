/**
 * Static content with an ETag, compressed for clients that accept it; and the scripts and styles of pages, which the
 * package contains, and a checkout bundles from its sources for the first browser that asks.
 */
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { shared } from '../../util/async/promises.ts'
import { acceptsGzip, matchesEtag } from './requests.ts'

type Asset = ReturnType<typeof createAsset>

export function createAsset(type: string, plain: Buffer) {
  let zipped: Promise<Buffer> | undefined
  return {
    type,
    /** Weak, because the compressed content has the same ETag. */
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

/** `name`: of the folder in the package, of the module in `build/`, and of the first part of the path. */
export function bundledFiles(name: string) {
  return shared(() => loadFiles(name))
}

/** `load`: null where there are no files. */
export function addBundledFiles(
  app: FastifyInstance,
  name: string,
  load: () => ReturnType<typeof loadFiles> | null,
): void {
  const headers = { 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' }
  app.get(`/${name}/*`, async (request, reply) => {
    const files = await load()
    const asset = files?.assets.get(request.url.split('?', 1)[0] ?? '')
    if (asset === undefined) throw new ServiceError('NOT_FOUND', `This file is not part of the ${name}.`)
    return sendAsset(asset, headers, request, reply)
  })
}

/** Whether the files are in the package, so that nothing has to bundle them. */
export function isPackaged(name: string): boolean {
  return existsSync(folderOf(name))
}

/** `folder`: their path, which contains a hash of them, so that browsers may cache them for ever; `assets`: by path. */
async function loadFiles(name: string) {
  const contents = isPackaged(name) ? await readAll(folderOf(name)) : await bundle(name)
  const files = Array.from(contents, ([file, content]) => [file, toAsset(file, content)] as const)
  const tags = files.map(([file, { etag }]) => file + etag).toSorted()
  const folder = `/${name}/${hash('sha256', tags.join()).slice(0, 12)}/`
  return { folder, assets: new Map(files.map(([file, asset]) => [folder + file, asset])) }
}

function folderOf(name: string): URL {
  return new URL(`${name}/`, import.meta.url)
}

async function bundle(name: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const { href } = new URL(`../../../build/${name}.ts`, import.meta.url)
  return (await (await import(href)).bundle()).files
}

async function readAll(folder: URL): Promise<ReadonlyMap<string, Uint8Array>> {
  const names = await readdir(folder)
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, folder))] as const)),
  )
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

function toAsset(name: string, content: Uint8Array): Asset {
  const type = mediaTypes[extname(name)]
  if (type === undefined) throw new Error(`A page has a file of an unknown type: ${name}.`)
  return createAsset(type, Buffer.from(content.buffer, content.byteOffset, content.byteLength))
}
