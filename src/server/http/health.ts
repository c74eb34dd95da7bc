/**
 * `/healthz` tells whether the process runs, `/readyz` whether it can answer queries and how fresh the index is: the
 * state of the index as JSON, which `lexigraph status --json` shows with private details.
 */
import type { FastifyInstance } from 'fastify'
import type { IndexStatus } from '../../database/database.ts'
import { BeingRebuiltError } from '../../database/refusals.ts'
import { ServiceError } from '../../errors.ts'
import { instantText } from '../../util/instant.ts'
import { crossOriginHeaders } from './cross-origin.ts'

/** `readStatus` fails only if no database answers; with replicas, one is enough. */
export function addHealthRoutes(app: FastifyInstance, readStatus: () => Promise<IndexStatus>): void {
  const config = { turn: 'probe' } as const
  app.get('/healthz', { config }, (_request, reply) => reply.headers(healthHeaders).send('{"status":"up"}'))
  app.get('/readyz', { config }, async (_request, reply) => {
    // A failed probe is the answer "no", not a fault to report: probes come every few seconds.
    const status = await readStatus().catch((error: unknown) => {
      // The error of a rebuild contains its progress.
      if (error instanceof BeingRebuiltError) throw error
    })
    if (status === undefined)
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

/** Omits files, addresses in private networks, and error details. */
export function describePublicStatus(status: IndexStatus): object {
  const sources = status.sources.map((source) => {
    const { detail: _, publicName: name, ...described } = describeSource(source)
    return { ...described, name }
  })
  return { ...describeStatus(status), sources }
}

/** Plain data for JSON, with RFC 3339 datetimes. Fields are listed one by one. */
export function describeStatus(status: IndexStatus): object {
  return {
    collections: status.collections.map(describeCollection),
    sources: status.sources.map(describeSource),
    rejections: status.rejections,
    keptRejections: status.keptRejections,
    repositories: { waiting: status.repositories.waiting, failed: status.repositories.failed },
    unfinishedPurges: status.unfinishedPurges,
  }
}

function describeCollection(collection: IndexStatus['collections'][number]): object {
  const { name, records, outcomes, rejections, served, newestIndexedAt } = collection
  return { name, records, outcomes, rejections, served, newestIndexedAt: instantText(newestIndexedAt) }
}

function describeSource(source: IndexStatus['sources'][number]) {
  const { name, publicName, state, detail, cursor, lastEventAt, lagSeconds, eventsPerSecond } = source
  return {
    name,
    publicName,
    state,
    detail,
    cursor,
    lagSeconds,
    eventsPerSecond,
    lastEventAt: instantText(lastEventAt),
  }
}
