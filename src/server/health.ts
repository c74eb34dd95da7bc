/** Whether the process is up (`/healthz`), and whether it can answer questions (`/readyz`). */
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.ts'

export function addHealthRoutes(app: FastifyInstance, isReady: () => boolean | Promise<boolean>): void {
  app.get('/healthz', (_request, reply) => reply.headers(healthHeaders).send('{"status":"up"}'))
  app.get('/readyz', async (_request, reply) => {
    if (!(await answers(isReady)))
      throw new ServiceError('UNAVAILABLE', 'The service is not ready: its database does not answer.', {
        retryAfter: 5,
      })
    return reply.headers(healthHeaders).send('{"status":"ready"}')
  })
}

const healthHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'access-control-allow-origin': '*',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** A probe that fails is the answer "no", not a fault to report: it is asked every few seconds. */
async function answers(isReady: () => boolean | Promise<boolean>): Promise<boolean> {
  try {
    return await isReady()
  } catch {
    return false
  }
}
