/** `/healthz` tells whether the process runs, `/readyz` whether it can answer queries and how fresh the index is. */
import type { FastifyInstance } from 'fastify'
import type { IndexStatus } from '../../database/database.ts'
import { BeingRebuiltError } from '../../database/refusals.ts'
import { ServiceError } from '../../errors.ts'
import { crossOriginHeaders } from './cross-origin.ts'
import { describePublicStatus } from '../observe/index-status.ts'

/** `readStatus` fails only if no database answers; with replicas, one is enough. */
export function addHealthRoutes(app: FastifyInstance, readStatus: () => Promise<IndexStatus>): void {
  app.get('/healthz', (_request, reply) => reply.headers(healthHeaders).send('{"status":"up"}'))
  app.get('/readyz', async (_request, reply) => {
    const status = await orNull(readStatus)
    if (status === null)
      throw new ServiceError('UNAVAILABLE', 'The service is not ready: its database does not answer.', {
        retryAfter: 5,
      })
    return reply
      .headers(healthHeaders)
      .send(JSON.stringify({ status: 'ready', ...describePublicStatus(status) }))
  })
}

const healthHeaders = {
  'content-type': 'application/json; charset=utf-8',
  ...crossOriginHeaders,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** A failed probe is the answer "no", not a fault to report: probes come every few seconds. */
async function orNull(readStatus: () => Promise<IndexStatus>): Promise<IndexStatus | null> {
  try {
    return await readStatus()
  } catch (error) {
    // The error of a rebuild contains its progress.
    if (error instanceof BeingRebuiltError) throw error
    return null
  }
}
