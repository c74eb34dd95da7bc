/** Prometheus metrics of requests, and their server. Labels are few: never keys, addresses or operations. */
import fastify, { type FastifyInstance } from 'fastify'
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import type { Answered, Observer } from '../admission/request-context.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** A snapshot of all values, as plain data that processes can send to each other. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** Metrics of this process, including its memory and other process metrics. */
export function createMetrics(): { readonly observer: Observer; readonly registry: Registry } {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const inFlight = new Gauge({
    registers,
    name: 'lexigraph_requests_in_flight',
    help: 'GraphQL requests that are being worked on.',
  })
  const requests = new Counter({
    registers,
    name: 'lexigraph_requests_total',
    help: 'GraphQL requests by what became of them: ok, gone (the caller had left), or a code.',
    labelNames: ['tier', 'outcome'],
  })
  const durations = new Histogram({
    registers,
    name: 'lexigraph_request_duration_seconds',
    help: 'Time from when a request was there to its answer; not of those refused for their rate or key.',
    labelNames: ['tier'],
    buckets: times,
  })
  const operationPoints = new Histogram({
    registers,
    name: 'lexigraph_operation_points',
    help: 'What operations cost, refused ones excepted.',
    labelNames: ['tier'],
    buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000],
  })
  const statements = new Histogram({
    registers,
    name: 'lexigraph_statement_seconds',
    help: 'Time from handing a statement to the database until its answer, by whether it may take long.',
    labelNames: ['kind'],
    buckets: times,
  })
  const answers = new Counter({
    registers,
    name: 'lexigraph_answers_total',
    help: 'Answers by where they came from: memory, a short or a long statement, or no data at all (constant).',
    labelNames: ['from'],
  })
  const limitHits = new Counter({
    registers,
    name: 'lexigraph_limits_hit_total',
    help: 'Requests that were refused or ended by a limit; key: the key did not hold, or too many had not; overload: they could not have ended in time.',
    labelNames: ['limit'],
  })
  // Rates include the first event of a series only if the series existed before it.
  for (const from of ['memory', 'short', 'long', 'constant']) answers.inc({ from }, 0)
  for (const limit of limits) limitHits.inc({ limit }, 0)

  return {
    registry,
    observer: {
      asked: () => inFlight.inc(),
      answered({ caller, outcome, limit, duration, report }) {
        inFlight.dec()
        const tier = caller?.tier.name ?? 'none'
        requests.inc({ tier, outcome })
        const hit = limit ?? limitsOf[outcome]
        if (hit !== undefined) limitHits.inc({ limit: hit })
        // The tarpit delays these refusals for callers that continue.
        if (hit !== 'rate' && hit !== 'key') durations.observe({ tier }, duration / 1_000)
        if (report === null) return
        if (report.points > 0) operationPoints.observe({ tier }, report.points)
        const { from, statementTime } = report
        if (from === null) return
        answers.inc({ from })
        if (from === 'short' || from === 'long') statements.observe({ kind: from }, statementTime / 1_000)
      },
    },
  }
}

export function sumMetrics(values: readonly MetricValues[]): Registry {
  return AggregatorRegistry.aggregate([...values])
}

export interface MetricsAppOptions {
  /** Whether callers may know the server by this name. Through DNS rebinding, any page in a browser reaches it by others. */
  readonly isOwnHost: (name: string) => boolean
  /** All metrics as text in the format of `contentType`. */
  readonly metrics: () => Promise<string>
  readonly contentType: string
}

/** The HTTP server for Prometheus, at an address of its own. */
export function createMetricsApp({ isOwnHost, metrics, contentType }: MetricsAppOptions): FastifyInstance {
  const app = fastify({
    requestTimeout: 10_000,
    // Prometheus keeps its connection open between scrapes.
    forceCloseConnections: true,
  })
  app.addHook('onRequest', async ({ hostname }, reply) => {
    if (isOwnHost(hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1'))) return undefined
    return reply.code(403).type('text/plain; charset=utf-8').send('Ask at the address of --metrics-host.\n')
  })
  app.get('/metrics', async (_request, reply) => reply.type(contentType).send(await metrics()))
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).type('text/plain; charset=utf-8').send('Metrics are at /metrics.\n'),
  )
  return app
}

/** Seconds; a page of twenty takes less than the first, and no tier has a timeout above the last. */
const times = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const limits = ['rate', 'concurrent', 'overload', 'complexity', 'time', 'key'] as const

/** The limits behind error codes, for requests that the limiter itself did not refuse. */
const limitsOf: Partial<Record<Answered['outcome'], (typeof limits)[number]>> = {
  QUERY_TOO_COMPLEX: 'complexity',
  TIMEOUT: 'time',
  UNAUTHENTICATED: 'key',
  RATE_LIMITED: 'key',
}
