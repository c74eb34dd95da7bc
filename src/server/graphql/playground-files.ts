/**
 * The playground's page and the bundled files of GraphiQL, loaded on the first request of a browser. How they are sent
 * is not known here.
 */
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { extname } from 'node:path'
import { type Asset, createAsset } from '../http/asset.ts'

export interface PlaygroundPage {
  readonly endpoint: string
  /** The query shown to new users. */
  readonly query: string
  /** Identifies the lexicons; a browser stores its state separately for each. */
  readonly lexicons: string
}

export interface Playground {
  readonly renderPage: (page: PlaygroundPage) => Asset
  /** By path. */
  readonly assets: ReadonlyMap<string, Asset>
}

let playground: Promise<Playground> | undefined

/** All paths begin with `/playground/`. A call after a failure tries again. */
export function loadPlayground(): Promise<Playground> {
  playground ??= buildPlayground().catch((error) => {
    playground = undefined
    throw error
  })
  return playground
}

async function buildPlayground(): Promise<Playground> {
  const assets = Array.from(await loadFiles(), ([name, content]) => [name, asset(name, content)] as const)
  // The folder name is a hash of the files, so that browsers may cache them for ever.
  const contents = assets.map(([name, { etag }]) => name + etag).toSorted()
  const folder = `/playground/${hash('sha256', contents.join()).slice(0, 12)}/`
  return {
    renderPage: (page) => asset('page.html', Buffer.from(render(folder, page))),
    assets: new Map(assets.map(([name, each]) => [folder + name, each])),
  }
}

/** The package contains the files; a checkout bundles them from its sources. */
async function loadFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = new URL('playground/', import.meta.url)
  if (!existsSync(folder)) {
    const bundler = new URL('../../../build/playground.ts', import.meta.url)
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

/** Escapes an attribute value in double quotes; unescaped line ends would be normalized. */
function escape(text: string): string {
  return text.replaceAll(/[&<>"\r\n]/g, (character) => `&#${character.charCodeAt(0)};`)
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

function asset(name: string, content: Uint8Array): Asset {
  const type = mediaTypes[extname(name)]
  if (type === undefined) throw new Error(`The playground has a file of an unknown type: ${name}.`)
  return createAsset(type, Buffer.from(content.buffer, content.byteOffset, content.byteLength))
}
