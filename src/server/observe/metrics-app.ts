/** The HTTP server for Prometheus, at an address of its own. */
import fastify, { type FastifyInstance } from 'fastify'

/** `read` returns all metrics as text in the format of `contentType`. */
export function createMetricsApp(read: () => Promise<string>, contentType: string): FastifyInstance {
  const app = fastify({
    requestTimeout: 10_000,
    // Prometheus keeps its connection open between scrapes.
    forceCloseConnections: true,
  })
  app.get('/metrics', async (_request, reply) => reply.type(contentType).send(await read()))
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).type('text/plain; charset=utf-8').send('Metrics are at /metrics.\n'),
  )
  return app
}
