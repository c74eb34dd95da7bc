/**
 * What the playground's page is made of: Altair's files, with the address and an example filled in. It takes long to
 * load, and is loaded for the first browser that asks. How the files are sent is not known here.
 */
import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type RenderOptions, getDistDirectory, renderAltair, renderInitSnippet } from 'altair-static'

export interface PlaygroundOptions {
  readonly endpoint: string
  readonly exampleQuery: string
}

export interface Playground {
  readonly page: Asset
  /** By their paths. */
  readonly assets: ReadonlyMap<string, Asset>
}

/** What one address answers with. The bytes are read when they are first asked for. */
export interface Asset {
  readonly type: string
  readonly load: () => Promise<Content>
}

export interface Content {
  readonly plain: Buffer
  /** Null for what is compressed already, such as fonts. */
  readonly zipped: Buffer | null
  readonly etag: string
}

/** All paths begin with `/playground/`. */
export async function createPlayground({ endpoint, exampleQuery }: PlaygroundOptions): Promise<Playground> {
  const altair: RenderOptions = {
    endpointURL: endpoint,
    initialQuery: exampleQuery,
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
  return { page, assets }
}

const startScript = 'start.js'

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

function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
