/**
 * The scripts and styles of pages. The package contains them; a checkout bundles them from its sources for the first
 * browser that asks.
 */
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { extname } from 'node:path'
import { type Asset, createAsset } from './asset.ts'

export interface BundledFiles {
  /** The path of the files, which contains a hash of them, so that browsers may cache them for ever. */
  readonly folder: string
  /** By path. */
  readonly assets: ReadonlyMap<string, Asset>
}

/** `name`: of the folder in the package, and of the first part of the path. A call after a failure tries again. */
export function bundledFiles(
  name: string,
  bundle: () => Promise<ReadonlyMap<string, Uint8Array>>,
): () => Promise<BundledFiles> {
  let loaded: Promise<BundledFiles> | undefined
  return () => {
    loaded ??= load(name, bundle).catch((error) => {
      loaded = undefined
      throw error
    })
    return loaded
  }
}

/** Whether the files are in the package, so that nothing has to bundle them. */
export function isPackaged(name: string): boolean {
  return existsSync(folderOf(name))
}

async function load(
  name: string,
  bundle: () => Promise<ReadonlyMap<string, Uint8Array>>,
): Promise<BundledFiles> {
  const contents = isPackaged(name) ? await readAll(folderOf(name)) : await bundle()
  const files = Array.from(contents, ([file, content]) => [file, toAsset(file, content)] as const)
  const tags = files.map(([file, { etag }]) => file + etag).toSorted()
  const folder = `/${name}/${hash('sha256', tags.join()).slice(0, 12)}/`
  return { folder, assets: new Map(files.map(([file, asset]) => [folder + file, asset])) }
}

function folderOf(name: string): URL {
  return new URL(`${name}/`, import.meta.url)
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
