/**
 * CORS: which pages of other origins may ask and read. All of them may, because reading needs no cookies; so nothing
 * about the origin is looked at. The agents' server at `/mcp` has a route of its own for preflights and allows none.
 *
 * `@fastify/cors` (11.4.3) is not used. It reflects any list of headers, such as one of 8,000 characters; it answers
 * preflights of all paths where it is registered, so that `/mcp` would allow them; it adds a hook to each request; and
 * answers that are written without the framework (`connections.ts`) need these headers all the same.
 */
import type { FastifyInstance } from 'fastify'

/** Headers of every answer that a page of another origin may read. */
export const crossOriginHeaders = {
  'access-control-allow-origin': '*',
  // Those beyond the few that every page may read.
  'access-control-expose-headers':
    'allow, etag, ratelimit, ratelimit-policy, retry-after, www-authenticate, x-request-id',
}

/** Answers preflights at every path, with the headers that are asked for: the service ignores those it does not know. */
export function addPreflightRoute(app: FastifyInstance): void {
  app.options('*', (request, reply) => {
    const asked = request.headers['access-control-request-headers']
    reply.code(204).headers({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
      'access-control-max-age': '86400',
      vary: 'access-control-request-headers',
    })
    if (asked !== undefined && isHeaderList(asked)) reply.header('access-control-allow-headers', asked)
    reply.send()
  })
}

/** Names of headers with commas between them (RFC 9110, 5.6.2), no more than a browser would send. */
function isHeaderList(text: string): boolean {
  return text.length <= 4_000 && /^[\w!#$%&'*+\-.^`|~, \t]*$/.test(text)
}
