/**
 * The scripts and styles of pages. The package contains them; a checkout bundles them from its sources for the first
 * browser that asks.
 */
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { extname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { shared } from '../../util/async/promises.ts'
import { type Asset, createAsset, sendAsset } from './asset.ts'

export interface BundledFiles {
  /** The path of the files, which contains a hash of them, so that browsers may cache them for ever. */
  readonly folder: string
  /** By path. */
  readonly assets: ReadonlyMap<string, Asset>
}

/** `name`: of the folder in the package, of the module in `build/`, and of the first part of the path. */
export function bundledFiles(name: string): () => Promise<BundledFiles> {
  return shared(() => load(name))
}

/** `load`: null where there are no files. */
export function addBundledFiles(
  app: FastifyInstance,
  name: string,
  load: () => Promise<BundledFiles> | null,
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

async function load(name: string): Promise<BundledFiles> {
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
