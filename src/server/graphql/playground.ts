/**
 * The playground's routes: GraphiQL with the endpoint and a first query filled in. The page loads nothing from other
 * hosts; docs/decisions/0005-playground.md gives the reasons for the choice.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { sendAsset } from '../http/asset.ts'
import type { Playground } from './playground-files.ts'

/** The parts of the page that depend on the service. */
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
  app.get('/playground/*', async (request, reply) => {
    const { assets } = await load()
    const asset = assets.get(request.url)
    if (asset === undefined) throw new ServiceError('NOT_FOUND', 'This file is not part of the playground.')
    return sendAsset(asset, { 'cache-control': 'public, max-age=31536000, immutable', vary }, request, reply)
  })
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { renderPage } = await load()
    const page = renderPage({ endpoint, query: await exampleQuery(), lexicons })
    return sendAsset(page, pageHeaders, request, reply)
  }
}

/** Imported on the first request of a browser. */
async function load(): Promise<Playground> {
  const { loadPlayground } = await import('./playground-files.ts')
  return loadPlayground()
}

const vary = 'accept, accept-encoding'

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
  vary,
}
