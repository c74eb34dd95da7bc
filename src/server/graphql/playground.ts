/**
 * The playground: GraphiQL with the endpoint and a first query filled in, bundled on the first request of a browser. The
 * page loads nothing from other hosts; docs/decisions/0005-playground.md gives the reasons for the choice.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addBundledFiles, bundledFiles, createTextAsset, isPackaged, sendAsset } from '../http/asset.ts'

export interface PlaygroundContent {
  /** The query shown to new users; it depends on which collections have records. */
  readonly exampleQuery: () => Promise<string>
  /** Identifies the lexicons; a browser stores its state separately for each. */
  readonly lexicons: string
}

/** Adds the routes of the page's files; returns the handler of the page itself. */
export function addPlaygroundRoutes(
  app: FastifyInstance,
  endpoint: string,
  { exampleQuery, lexicons }: PlaygroundContent,
) {
  addBundledFiles(app, 'playground', () => (hasEditor() ? loadPlayground() : null))
  const pageAsset = createTextAsset('text/html; charset=utf-8')
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const query = await exampleQuery()
    const page = hasEditor()
      ? render((await loadPlayground()).folder, { endpoint, query, lexicons })
      : renderWithoutEditor(endpoint, query)
    return sendAsset(pageAsset(page), pageHeaders, request, reply)
  }
}

/** Whether there is an editor: a checkout that was installed with `--omit=dev` lacks its packages. */
export function hasEditor(): boolean {
  if (isPackaged('playground')) return true
  try {
    import.meta.resolve('graphiql')
    return true
  } catch {
    return false
  }
}

/** The editor inlines styles, and its style sheet contains icons as data URLs; all else comes from this host. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'font-src data:',
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const pageHeaders = {
  'cache-control': 'no-cache',
  'content-security-policy': contentSecurityPolicy,
  'referrer-policy': 'no-referrer',
  vary: 'accept, accept-encoding',
}

const loadPlayground = bundledFiles('playground')

function render(folder: string, data: Readonly<Record<'endpoint' | 'query' | 'lexicons', string>>): string {
  const attributes = Object.entries(data).map(([name, value]) => `data-${name}="${escape(value)}"`)
  return documentOf(
    `<link rel="stylesheet" href="${folder}page.css">
    <script type="module" src="${folder}page.js"></script>`,
    `<div id="playground" ${attributes.join(' ')}></div>
    <noscript>This page for writing queries needs JavaScript. Programs ask ${escape(data.endpoint)} by POST.</noscript>`,
  )
}

function documentOf(head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Lexigraph</title>
    <link rel="icon" href="data:,">
    ${head}
  </head>
  <body>
    ${body}
  </body>
</html>
`
}

function renderWithoutEditor(endpoint: string, first: string): string {
  // Its comments are about the editor.
  const query = first.replaceAll(/^#.*\n/gm, '').trim()
  return documentOf(
    `<style>
      :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
      body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem }
      pre { overflow: auto }
    </style>`,
    `<h1>The editor for queries is not installed</h1>
    <p>It is part of the full install: stop the server, run <code>npm ci</code>, and start it again.</p>
    <p>Programs are answered without it, by POST to <code>${escape(endpoint)}</code>. A query to begin with,
      <a href="${escape(endpoint)}?query=${encodeURIComponent(query)}">and its answer</a>:</p>
    <pre>${escape(query)}</pre>`,
  )
}

/** Escapes text, and an attribute value in double quotes; unescaped line ends would be normalized. */
function escape(text: string): string {
  return text.replaceAll(/[&<>"\r\n]/g, (character) => `&#${character.charCodeAt(0)};`)
}
