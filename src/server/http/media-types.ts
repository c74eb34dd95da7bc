/** Reading `Accept` and `Accept-Encoding`: which of the few things we can send a caller wants. */

export type ResponseType = 'application/json' | 'application/graphql-response+json'

/**
 * The media type for a GraphQL answer. The newer one only when it is asked for by name: those who
 * take anything, or nothing that we have, are given `application/json`.
 */
export function responseType(accept: string | undefined): ResponseType {
  if (accept === undefined) return 'application/json'
  const wanted = parseQualities(accept)
  const modern = wanted.get('application/graphql-response+json') ?? 0
  return modern > 0 && modern >= qualityOf(wanted, 'application', 'json')
    ? 'application/graphql-response+json'
    : 'application/json'
}

/** Whether the caller is a browser's address bar: HTML by name, and nothing that we answer with above it. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const wanted = parseQualities(accept)
  const html = wanted.get('text/html') ?? 0
  const modern = wanted.get('application/graphql-response+json') ?? 0
  return html > 0 && html >= qualityOf(wanted, 'application', 'json') && html >= modern
}

export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false
  const wanted = parseQualities(acceptEncoding)
  return (wanted.get('gzip') ?? wanted.get('*') ?? 0) > 0
}

/** Whether `If-None-Match` names this version; of weak ones the contents are what is compared (RFC 9110, 13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const bare = etag.replace(/^W\//, '')
  return ifNoneMatch
    .split(',')
    .some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === bare)
}

function qualityOf(wanted: ReadonlyMap<string, number>, type: string, subtype: string): number {
  return wanted.get(`${type}/${subtype}`) ?? wanted.get(`${type}/*`) ?? wanted.get('*/*') ?? 0
}

/**
 * Characters of a header that are looked at. Browsers send 200. `negotiator` 1.1.0 reads all 12,000 in a millisecond; it
 * also prefers the first of two with the same quality, and refuses a type that is asked for with a charset.
 */
const longest = 2_000

/** `a, b;q=0.5` as a map; of parameters only `q` counts, and what is no number between 0 and 1 is 0. */
function parseQualities(header: string): Map<string, number> {
  const qualities = new Map<string, number>()
  for (const range of header.slice(0, longest).split(',')) {
    const [name = '', ...parameters] = range.split(';')
    const q = parameters
      .map((parameter) => parameter.trim().toLowerCase())
      .find((text) => text.startsWith('q='))
    const quality = q === undefined ? 1 : Number(q.slice(2))
    qualities.set(name.trim().toLowerCase(), quality >= 0 && quality <= 1 ? quality : 0)
  }
  return qualities
}
