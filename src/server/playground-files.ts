/**
 * What the playground's page is made of: the files of GraphiQL as they were bundled, and the page that names them. They
 * are read for the first browser that asks. How they are sent is not known here.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

export interface PlaygroundPage {
  readonly endpoint: string
  /** What a newcomer is shown. */
  readonly query: string
  /** Which lexicons are served: what a browser keeps is kept for each. */
  readonly lexicons: string
}

export interface Playground {
  readonly renderPage: (page: PlaygroundPage) => Asset
  /** By their paths. */
  readonly assets: ReadonlyMap<string, Asset>
}

/** What one address answers with. */
export interface Asset {
  readonly type: string
  readonly etag: string
  readonly plain: Buffer
  readonly zipped: () => Promise<Buffer>
}

let files: Promise<ReadonlyMap<string, Uint8Array>> | undefined

/** All paths begin with `/playground/`. */
export async function createPlayground(): Promise<Playground> {
  files ??= loadFiles().catch((error) => {
    files = undefined
    throw error
  })
  const found = await files
  const assets = Array.from(found, ([name, content]) => [name, asset(extname(name), content)] as const)
  // The folder's name changes with what is in it, so that browsers may keep the files for ever.
  const contents = assets.map(([name, { etag }]) => name + etag).toSorted()
  const folder = `/playground/${digest(contents.join()).slice(0, 12)}/`
  return {
    renderPage: (page) => asset('.html', Buffer.from(render(folder, page))),
    assets: new Map(assets.map(([name, each]) => [folder + name, each])),
  }
}

/** The package has the files beside the program; a checkout has them made from its sources. */
async function loadFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = new URL('playground/', import.meta.url)
  if (!existsSync(folder)) {
    const bundler = new URL('../../build/playground.ts', import.meta.url)
    return (await import(bundler.href))
      .bundlePlayground()
      .then(({ files }: { files: Map<string, Uint8Array> }) => files)
  }
  const names = await readdir(folder)
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, folder))] as const)),
  )
}

function render(folder: string, { endpoint, query, lexicons }: PlaygroundPage): string {
  const data = Object.entries({ endpoint, query, lexicons })
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Lexigraph</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${folder}page.css">
    <script type="module" src="${folder}page.js"></script>
  </head>
  <body>
    <div id="playground" ${data.map(([name, value]) => `data-${name}="${escape(value)}"`).join(' ')}></div>
    <noscript>This page for writing queries needs JavaScript. Programs ask ${escape(endpoint)} by POST.</noscript>
  </body>
</html>
`
}

/** As the value of an attribute in double quotes; line ends would come back as others. */
function escape(text: string): string {
  return text.replaceAll(/[&<>"\r\n]/g, (character) => `&#${character.charCodeAt(0)};`)
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

function asset(extension: string, content: Uint8Array): Asset {
  const type = mediaTypes[extension]
  if (type === undefined) throw new Error(`The playground has a file of the unknown type ${extension}.`)
  const plain = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  let zipped: Promise<Buffer> | undefined
  return {
    type,
    etag: `"${digest(plain).slice(0, 20)}"`,
    plain,
    // Once, and kept: the largest file takes a tenth of a second, which nobody may cause at will.
    zipped: () => (zipped ??= promisify(gzip)(plain)),
  }
}

function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
