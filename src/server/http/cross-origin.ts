/**
 * CORS: every origin may ask and read, because reads need no cookies; so the origin is not checked. The agents' server
 * at `/mcp` has its own route for preflights and allows none.
 *
 * `@fastify/cors` (11.4.3) is not used. It reflects any list of headers, such as one of 8,000 characters; it answers
 * preflights of all paths where it is registered, so that `/mcp` would allow them; it adds a hook to each request; and
 * answers written without the framework (`connections.ts`) still need these headers.
 */
import type { FastifyInstance } from 'fastify'

/** Headers of every answer that pages of other origins may read. */
export const crossOriginHeaders = {
  'access-control-allow-origin': '*',
  // The headers that are not CORS-safelisted.
  'access-control-expose-headers':
    'allow, content-disposition, etag, ratelimit, ratelimit-policy, retry-after, www-authenticate, x-cost, x-request-id, x-row-count, x-total-count, x-truncated',
}

/** Answers preflights at every path with the requested headers: the service ignores headers that it does not know. */
export function addPreflightRoute(app: FastifyInstance): void {
  app.options('*', (request, reply) => {
    const asked = request.headers['access-control-request-headers']
    reply.code(204).headers({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
      'access-control-max-age': '86400',
      vary: 'access-control-request-headers',
    })
    // A comma-separated list of header names (RFC 9110, 5.6.2), not longer than browsers send.
    if (asked !== undefined && asked.length <= 4_000 && /^[\w!#$%&'*+\-.^`|~, \t]*$/.test(asked))
      reply.header('access-control-allow-headers', asked)
    reply.send()
  })
}
