/** The routes of the explorer: lets the reader in, answers with a page, and lets browsers keep what has not changed. */
import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { EndpointFault } from '../../endpoint/endpoint.ts'
import { ServiceError } from '../../errors.ts'
import { shared } from '../../util/async/promises.ts'
import type { Explorer, FinishedPage, OpenPage, Timed } from '../../explorer/explorer.ts'
import { anonymousId, assertNoKeyInUrl } from '../admission/authentication.ts'
import { timed } from '../admission/client-scheduler.ts'
import { networkOf } from '../admission/limits/address.ts'
import type { Caller } from '../admission/tiers.ts'
import { addBundledFiles, bundledFiles, createAsset, createTextAsset, sendAsset } from '../http/asset.ts'
import { reportFault } from '../http/failures.ts'
import { matchesEtag, prefersHtml } from '../http/requests.ts'
import { createInProcess, type InProcessOptions } from '../in-process/endpoint.ts'
import { failedTags, sendPage } from './send-page.ts'

export interface ExplorerRoutes {
  /** Called for the first page. `assets`: the path of scripts and styles. */
  readonly create: (assets: string) => Promise<Explorer>
  /** Changes with the records; null where it is not known. */
  readonly dataVersion: () => number | null
  readonly version: string
  /** Hosts that pages may show images of: `*` for every one. */
  readonly imageHosts: readonly string[]
  readonly logo: Logo | null
}

export interface Logo {
  readonly path: string
  readonly type: string
  readonly content: Buffer
}

export const crawlerPaths: readonly string[] = ['/robots.txt', '/sitemap.xml']
const sitemaps = [
  ['/sitemap.xml', 'index'],
  ['/sitemap-pages.xml', 'pages'],
] as const

/** The beginnings of the paths of pages, besides the first one; and `/search`. */
export const pagePaths = ['/c/', '/at/', '/embed/', '/search', '/sitemap-'] as const

/** Answers with the page of the request's address; with a fault, with a page that says what it is. */
export type AnswerPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  fault?: EndpointFault,
) => Promise<FastifyReply>

const loadExplorerFiles = bundledFiles('explorer')

export function addExplorerRoutes(
  app: FastifyInstance,
  routes: ExplorerRoutes,
  options: InProcessOptions,
): AnswerPage {
  const opened = shared(async () => routes.create((await loadExplorerFiles()).folder))
  const answer = createAnswerPage(routes, opened, options)

  addBundledFiles(app, 'explorer', loadExplorerFiles)
  addCrawlerFiles(app, opened)
  if (routes.logo !== null) addLogo(app, routes.logo)
  for (const path of ['/', ...pagePaths.map((each) => (/\w$/.test(each) ? each : `${each}*`))])
    app.get(path, { config: { turn: 'own' } }, (request, reply) => answer(request, reply))
  // Browsers get a page that says that there is none, and programs what the service answers without an explorer.
  app.get('/*', (request, reply) =>
    prefersHtml(request.headers.accept) ? answer(request, reply) : reply.callNotFound(),
  )
  return answer
}

function addCrawlerFiles(app: FastifyInstance, opened: () => Promise<Explorer>): void {
  const robotsAsset = createTextAsset('text/plain; charset=utf-8')
  app.get('/robots.txt', async (request, reply) =>
    sendAsset(robotsAsset((await opened()).robots()), crawled, request, reply),
  )
  for (const [path, which] of sitemaps) {
    const sitemapAsset = createTextAsset('application/xml; charset=utf-8')
    app.get(path, async (request, reply) => {
      assertNoKeyInUrl(request.url)
      const sitemap = await (await opened()).sitemap(which)
      if (sitemap === null)
        throw new ServiceError('NOT_FOUND', 'There is a sitemap where the public address is known.')
      return sendAsset(sitemapAsset(sitemap), crawled, request, reply)
    })
  }
}

function createAnswerPage(
  { dataVersion, version, imageHosts }: ExplorerRoutes,
  opened: () => Promise<Explorer>,
  options: InProcessOptions,
): AnswerPage {
  const { scheduler } = options
  const inProcess = createInProcess(options)
  const headers = pageHeaders(imageHosts, "'none'")
  const embeddedHeaders = pageHeaders(imageHosts, '*')

  return async (request, reply, fault) => {
    const { caller, refused } = await admit(inProcess, request)
    const id = caller?.id ?? anonymousId(networkOf(request.ip))
    await scheduler.wait(id)
    const isLimited = caller?.tier.pointsPerMinute !== null
    const ownTimed: Timed = (work) => timed(work, (time) => isLimited && scheduler.spend(id, time))
    const [path = '', ...query] = request.url.split('?')
    const explorer = await opened()
    const open = (refusal: EndpointFault | null): OpenPage =>
      ownTimed(() =>
        explorer.open({
          path,
          parameters: [...new URLSearchParams(query.join('?'))],
          accepted: request.headers['accept-language'],
          origin: originOf(request),
          refusal,
          exportRows: caller?.tier.fileRows ?? 0,
          queryPoints: caller?.tier.pointsPerQuery ?? 0,
        }),
      )
    const page = open(refused ?? fault ?? null)
    const isPrivate = request.headers['x-api-key'] !== undefined
    reply.headers({
      ...(page.isEmbedded ? embeddedHeaders : headers),
      'cache-control': isPrivate ? 'private, no-cache' : 'public, no-cache',
    })
    reply.header('content-language', page.language)
    if (page.location !== null) return reply.redirect(page.location, 303)
    const data = page.status === 200 ? dataVersion() : null
    if (data !== null) {
      const etag = etagOf(request, `${version} ${process.pid} ${data} ${page.language}`)
      reply.header('etag', etag)
      if (!failedTags.has(etag) && matchesEtag(request.headers['if-none-match'], etag))
        return reply.code(304).send()
    }
    const finish = (page: OpenPage): Promise<FinishedPage> => {
      const leaving = new AbortController()
      reply.raw.once('close', () => leaving.abort(new ServiceError('UNAVAILABLE', 'The reader has left.')))
      const endpoint = inProcess.endpointFor(request)
      return page.finish((question) => endpoint.ask(question, leaving.signal), ownTimed)
    }
    const finishing = finish(page).catch((error) => {
      // Such as that the reader has left.
      if (error instanceof ServiceError) throw error
      const { message } = reportFault(error, request, request.log)
      return finish(open({ message, code: 'INTERNAL', retryAfter: null }))
    })
    return sendPage(page, finishing, request, reply)
  }
}

/** Charges every request. `refused`: why the reader is not let in, which a page says. */
async function admit(inProcess: ReturnType<typeof createInProcess>, request: FastifyRequest) {
  let caller: Caller | null = null
  try {
    const found = await inProcess.admit(request)
    await found.pay(0)
    caller = found.caller
    assertNoKeyInUrl(request.url)
    return { caller, refused: null }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const { code, message, details } = error
    return { caller, refused: { code, message, retryAfter: details.retryAfter ?? null } }
  }
}

/**
 * Weak: the time of the last event in the foot of a page may change without it. `state`: of the process and its data,
 * because each process counts versions of the data for itself.
 */
function etagOf(request: FastifyRequest, state: string): string {
  const key = request.headers['x-api-key'] === undefined ? '' : 'key'
  const text = `${state} ${key} ${originOf(request)}${request.url}`
  return `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`
}

const crawled = { 'cache-control': 'public, max-age=86400', vary: 'accept-encoding' }

/** The policy keeps an SVG that is opened by itself from running scripts. */
function addLogo(app: FastifyInstance, { path, type, content }: Logo): void {
  const asset = createAsset(type, content)
  const headers = {
    ...crawled,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  }
  app.get(path, (request, reply) => sendAsset(asset, headers, request, reply))
}

/** As the reader or a trusted proxy says; addresses on pages begin with it. */
function originOf({ protocol, host }: FastifyRequest): string {
  const isHost = /^([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$/.test(host)
  return `${protocol === 'https' ? 'https' : 'http'}://${isHost ? host : 'localhost'}`
}

/** `ancestors`: which pages may include this one. */
function pageHeaders(imageHosts: readonly string[], ancestors: string): Readonly<Record<string, string>> {
  const images = imageHosts.map((host) => (host === '*' ? 'https:' : `https://${host}`))
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' data:", ...images].join(' '),
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ]
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding, accept-language, x-api-key',
  }
}
