/**
 * Lets requests wait for the turn of their network at all routes that cost no points: at static files, texts for
 * crawlers, preflights, probes, and where nothing is. Other routes wait themselves, as soon as they know the caller.
 */
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { anonymousId } from './authentication.ts'
import type { ClientScheduler } from './client-scheduler.ts'
import { networkOf } from './limits/address.ts'
import { MemoryPoints } from './limits/counts.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `own`: the route waits itself. `probe`: a few requests a second need not wait. */
    readonly turn?: 'own' | 'probe'
  }
}

/** Requests of one network in a second that are probes: balancers ask once a second, or a few times. */
const mostProbes = 20
const mostNetworks = 10_000

/** Await before an answer to a request without a key; undefined: it may be sent now. */
export function anonymousTurn(scheduler: ClientScheduler, { ip }: FastifyRequest): Promise<void> | undefined {
  return scheduler.wait(anonymousId(networkOf(ip)))
}

/** For all routes that are added later. */
export function scheduleRoutes(app: FastifyInstance, scheduler: ClientScheduler): void {
  const probes = new MemoryPoints(mostNetworks, 1)
  const wait: onRequestHookHandler = (request, _reply, done) => {
    const turn = anonymousTurn(scheduler, request)
    if (turn === undefined) done()
    else void turn.finally(done)
  }
  const waitUnlessProbe: onRequestHookHandler = function (request, reply, done) {
    const { granted } = probes.take(networkOf(request.ip), mostProbes, 1, 1)
    if (granted === 0) return wait.call(this, request, reply, done)
    done()
  }
  app.addHook('onRoute', (route) => {
    const turn = route.config?.turn
    if (turn === 'own') return
    route.onRequest = [turn === 'probe' ? waitUnlessProbe : wait, ...[route.onRequest ?? []].flat()]
  })
  app.addHook('onRequest', function (request, reply, done) {
    if (request.is404) wait.call(this, request, reply, done)
    else done()
  })
}
