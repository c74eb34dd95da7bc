/** The agents' server inside a service: who may call it, and what its tools query. */
import type { FastifyInstance } from 'fastify'
import type { AgentHttp } from '../../mcp/protocol/http.ts'
import type { ClientScheduler } from '../admission/client-scheduler.ts'
import { bytePoints } from '../graphql/graphql-routes.ts'
import { addInProcessEndpoint } from '../in-process/endpoint.ts'
import { createEntry, type EntryOptions } from '../in-process/entry.ts'
import { addAgentRoutes } from './agent-routes.ts'

/** `scheduler` is shared with the GraphQL route, so that both count as one caller's work. */
export function addOwnAgent(
  app: FastifyInstance,
  agent: AgentHttp,
  options: EntryOptions,
  scheduler: ClientScheduler,
): void {
  const endpointFor = addInProcessEndpoint(app)
  const entry = createEntry(options)
  addAgentRoutes(app, agent, async (request) => {
    const caller = await entry.enter(request)
    return {
      endpoint: endpointFor(request),
      async pay(bytes) {
        await scheduler.wait(caller.id)
        const points = bytePoints(bytes)
        if (points > 0) await entry.spend(request, caller, points)
      },
      spend(time) {
        if (caller.tier.pointsPerMinute !== null) scheduler.spend(caller.id, time)
      },
    }
  })
}
