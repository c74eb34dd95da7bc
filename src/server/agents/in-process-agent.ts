/** The agents' server inside a service: who may call it, what messages cost, and what its tools query. */
import type { FastifyInstance } from 'fastify'
import type { AgentHttp } from '../../mcp/protocol/http.ts'
import type { ClientScheduler } from '../admission/client-scheduler.ts'
import { bytePoints, headPoints } from '../graphql/graphql-routes.ts'
import { createInProcessEndpoint, type InProcessOptions } from '../in-process/endpoint.ts'
import { createEntry } from '../in-process/entry.ts'
import { addAgentRoutes } from './agent-routes.ts'

/** `scheduler` is shared with the GraphQL route, so that both count as one caller's work. */
export function addInProcessAgent(
  app: FastifyInstance,
  agent: AgentHttp,
  options: InProcessOptions,
  scheduler: ClientScheduler,
): void {
  const endpointFor = createInProcessEndpoint(options, scheduler)
  const entry = createEntry(options)
  addAgentRoutes(app, agent, async (request) => {
    const caller = await entry.identify(request)
    return {
      endpoint: endpointFor(request),
      turn: () => scheduler.wait(caller.id),
      pay: (bytes) => entry.spend(request, caller, headPoints(request) + bytePoints(bytes)),
      spend(time) {
        if (caller.tier.pointsPerMinute !== null) scheduler.spend(caller.id, time)
      },
    }
  })
}
