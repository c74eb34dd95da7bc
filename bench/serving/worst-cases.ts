/** The worst that one address can send, by kind, for bench/serving/fairness.ts: over HTTP or as bytes on a connection. */
import { connect, type NetConnectOpts } from 'node:net'
import type { AgentOptions } from 'node:http'
import type { Sent } from '../support/fixed-rate.ts'

/** A request; how it is sent and read, if not as a whole. */
export interface Worst extends Sent {
  readonly method?: 'GET' | 'HEAD'
  /** `new`: on a connection of its own. `leave`: gone before the answer. `slow`: reads a little now and then. */
  readonly manner?: 'new' | 'leave' | 'slow'
}

/** Bytes that are sent on a connection of its own, which is left when the service closes it, or after some seconds. */
export interface Raw {
  readonly pieces: readonly string[]
  /** Milliseconds between two pieces. */
  readonly pause: number
}

const article = 'techServiceNewsArticle'
const source = 'techServiceNewsSource'
const enrichment = 'techServiceNewsEnrichment'
const times = (count: number, part: (alias: string, index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(`a${index}`, index)).join(' ')

const asked = (query: string): Worst => ({ path: '/api/graphql', body: JSON.stringify({ query }) })
const got = (path: string, more: Partial<Worst> = {}): Worst => ({ path, body: '', method: 'GET', ...more })
const page = (path: string, more: Partial<Worst> = {}): Worst =>
  got(path, { headers: { accept: 'text/html' }, ...more })
const sent = (message: object): Worst => ({
  path: '/mcp',
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  headers: { accept: 'application/json, text/event-stream' },
})
const called = (name: string, args: object): Worst =>
  sent({ method: 'tools/call', params: { name, arguments: args } })
const members = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`unknown${n}`, 1]))
const words = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'm', 'n', 'o', 'p', 's', 't', 'w']
const prefixes = (n: number): string => words.map((word) => `${word}${words[n % 15]}*`).join(' OR ')
const head = (method: string, path: string, ...lines: readonly string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'host: x', 'content-type: application/json', ...lines, '', ''].join('\r\n')
const chunked = (path: string): Raw => ({
  pieces: [
    head('POST', path, 'transfer-encoding: chunked', 'accept: application/json, text/event-stream'),
    ...Array.from({ length: 20 }, () => '1\r\n \r\n'.repeat(5_000)),
  ],
  pause: 5,
})
const fileColumns =
  'uri cid rev did rkey indexedAt changedAt title description url language publishedAt wordCount'
const file = (n: number): string => {
  const query = `{ ${article}(where: {url: {ne: "${n}"}}) { nodes { ${fileColumns} } } }`
  return `/api/graphql?format=csv&query=${encodeURIComponent(query)}`
}
const nsid = 'tech.service.news.article'
const list = `/c/${nsid}`

/** Each number makes another request of the kind, so that no cache has its answer. */
export const worstCases: Readonly<Record<string, (n: number) => Worst | Raw>> = {
  // The next three cost nearly 250 points, the most that the tier `public` allows for an operation.
  'groups by three fields': (n) =>
    asked(
      `{ ${times(2, (a) => `${a}: ${article}Aggregate(groupBy: [source, publishedAt_day, language], limit: 1000, having: {measure: COUNT, operator: GTE, value: ${n % 1000}}) { count groupCount groups { count countDistinct(field: tags) } }`)} }`,
    ),
  'needles that no index finds': (n) =>
    asked(
      `{ ${times(3, (a) => `${a}: ${article}(first: 1, where: {url: {contains: "${a}x${n}"}}) { totalCount nodes { uri } }`)} }`,
    ),
  'lists in lists': (n) =>
    asked(
      `{ ${times(3, (a) => `${a}: ${source}(first: ${100 - (n % 3)}) { nodes { ${article}ViaSource(first: 100) { nodes { uri title url description publishedAt language } } } }`)} }`,
    ),
  'pages of a hundred': (n) =>
    asked(
      `{ ${article}(first: ${100 - (n % 50)}) { nodes { uri title url publishedAt language sourceResolved { ... on TechServiceNewsSource { displayName domain } } } } }`,
    ),
  'conditions within conditions': (n) =>
    asked(
      `{ ${article}(first: 1, where: {source: {${article}ViaSource: {none: {${enrichment}ViaArticle: {none: {summary: {contains: "n${n}"}}}}}}}) { nodes { uri } } }`,
    ),
  'conditions behind references': (n) =>
    asked(`{ ${enrichment}(where: {article: {title: {matches: "trump ${n}"}}}) { totalCount } }`),
  'searches with prefixes': (n) => asked(`{ ${article}(search: "${prefixes(n)}") { totalCount } }`),
  'relevance with snippets': (n) =>
    asked(
      `{ ${article}(first: 100, search: "the OR trump OR w${n}", sortBy: [{field: RELEVANCE}]) { edges { snippet(field: title) { text } node { uri } } } }`,
    ),
  'unusual words': (n) =>
    asked(
      `{ ${article}Aggregate(where: {publishedAt: {lt: "2020-05-0${1 + (n % 9)}"}}) { unusualWords(field: title, against: {}, limit: 100) { words { word } } } }`,
    ),
  facets: (n) =>
    asked(
      `{ ${article}(search: "the -w${n}", first: 1) { facets(fields: [language, source, articleType]) { field values { value count } } } }`,
    ),
  introspection: (n) =>
    asked(
      `{ n${n}: __schema { types { name description fields { name description args { name type { name } } } } } }`,
    ),
  'refused documents: fields': (n) =>
    asked(`{ ${article} { nodes { ${times(4_900, (_, index) => `unknown${index}`)} n${n} } } }`),
  'refused documents: conditions': (n) =>
    asked(`{ ${article}(where: {n${n}: 1 ${times(1_300, (a) => `${a}: {eq: "a"}`)}}) { totalCount } }`),
  'large answers that are not read': (n) => ({
    ...asked(
      `{ ${article}(first: ${100 - (n % 50)}) { nodes { ${times(40, (alias) => `${alias}: recordJson`)} } } }`,
    ),
    isUnread: true,
  }),
  'queries left at once': (n) => ({
    ...asked(`{ ${article}(first: 1, where: {url: {contains: "left${n}"}}) { totalCount } }`),
    manner: 'leave',
  }),
  'files never read': (n) => got(file(n), { isUnread: true }),
  'files read slowly': (n) => got(file(n), { manner: 'slow' }),
  'files left': (n) => got(file(n), { manner: 'leave' }),
  'files by HEAD': (n) => got(file(n), { method: 'HEAD' }),
  'pages with large charts': (n) => page(`${list}?split=source&per=day&q=-w${n}`),
  'compared topics': (n) => page(`${list}/topic?q=trump&q=flood&q=the&q=w${n}`),
  'chart drawings': (n) => page(`${list}/chart.svg?split=source&q=-w${n}`),
  'pages where nothing is': (n) => page(`/nothing/${n}`),
  'pages of problems': (n) => page(`${list}?lang=${n}&sort=${n}`),
  'paths where nothing is': (n) => got(`/nothing/${n}`),
  'free paths': (n) =>
    got(['/robots.txt', '/schema.graphql', '/nothing', '/api/graphql?x', '/%zz'][n % 5] ?? '/'),
  sitemaps: (n) => got(`/sitemap${['', '-pages', `-${nsid}`][n % 3]}.xml`),
  feeds: (n) => got(`${list}/feed.atom?q=-w${n}`),
  probes: (n) => got(n % 2 === 0 ? '/healthz' : '/readyz'),
  'bad keys': (n) => ({ ...asked('{ __typename }'), headers: { 'x-api-key': `lgk_${n}` } }),
  'new connections': () => ({ ...asked('{ __typename }'), manner: 'new' }),
  'chunks of one byte': () => chunked('/api/graphql'),
  'chunks of one byte to agents': () => chunked('/mcp'),
  'chunks of one byte where no body is read': () => chunked('/healthz'),
  'half requests': () => ({
    pieces: [head('POST', '/api/graphql', 'content-length: 9000'), '{'],
    pause: 100,
  }),
  'lists of agents': () => sent({ method: 'tools/list' }),
  'agents describe': (n) => called('describe', { collection: n % 2 === 0 ? 'article' : 'source' }),
  'documents of agents': (n) => called('run_graphql', { query: `{ ${'a '.repeat(30_000)} n${n} }` }),
  'refused messages of agents': (n) => called(`nothing${n}`, {}),
  'messages with many members': (n) => called('search_records', { n, ...members(15_000) }),
  'messages of other sites': () => ({
    path: '/mcp',
    body: '{}',
    headers: { origin: 'https://evil.example' },
  }),
}

/** Resolves to `closed` when the service closes the connection, or to `left` after ten seconds without that. */
export function sendRaw(port: number, { pieces, pause }: Raw, given: AgentOptions, signal: AbortSignal) {
  return new Promise<string>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', ...given } as NetConnectOpts)
    const end = (how: string) => () => {
      clearTimeout(leaving)
      signal.removeEventListener('abort', left)
      socket.destroy()
      resolve(how)
    }
    const left = end('left')
    const leaving = setTimeout(left, 10_000)
    signal.addEventListener('abort', left)
    const write = (at: number): void => {
      const piece = pieces[at]
      if (piece === undefined || socket.destroyed) return
      const next = () => setTimeout(write, pause, at + 1)
      if (socket.write(piece)) next()
      else socket.once('drain', next)
    }
    socket
      .on('connect', () => write(0))
      .on('error', end('closed'))
      .on('close', end('closed'))
      .resume()
  })
}
