/** The caller of a request to the agents' server: what it pays, and for how long it keeps the thread busy. */
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import type { EventLoopQueue } from './event-loop-queue.ts'

export interface AgentCaller {
  /** The endpoint that tools query on behalf of the caller. */
  readonly endpoint: Endpoint
  /** Await before reading a message; the messages of a caller stay in order. */
  turn(): Promise<void> | undefined
  /** True if a message that takes next to no work costs nothing. A caller has a number of such messages in a minute. */
  isFree(): Promise<boolean>
  /** Charges a request with a body of this many bytes. Throws a ServiceError when the caller lacks points. */
  pay(bytes: number): Promise<void>
  /** Adds the milliseconds for which the request blocked the event loop. */
  spend(time: number): void
}

/** Finds the caller by the head of a request. Throws a ServiceError for callers who may not ask. */
export type Admit = (request: FastifyRequest) => AgentCaller | Promise<AgentCaller>

/** True for refusals that end by themselves; others are about the request. */
export function isTransient(error: unknown): error is ServiceError {
  return error instanceof ServiceError && (error.code === 'RATE_LIMITED' || error.code === 'UNAVAILABLE')
}

/** A caller whose messages are all refused for this reason. */
export function refusedCaller(reason: ServiceError): AgentCaller {
  const refuse = (): Promise<never> => Promise.reject(reason)
  return {
    endpoint: { ask: refuse },
    turn: () => undefined,
    isFree: async () => false,
    pay: refuse,
    spend: () => undefined,
  }
}

/**
 * The caller's endpoint for one message. Counts for how long the message blocks the thread: from now, in a turn of
 * `queue`, and from the turn after each answer, to the end of that turn.
 */
export function meterEndpoint(caller: AgentCaller, queue: EventLoopQueue): Endpoint {
  let since: number | null = null
  const end = (): void => {
    if (since !== null) caller.spend(performance.now() - since)
    since = null
  }
  const begin = (): void => {
    since ??= performance.now()
    setImmediate(end)
  }
  begin()
  return {
    async ask(question, signal) {
      end()
      try {
        await queue.next()
        return await caller.endpoint.ask(question, signal)
      } finally {
        await queue.next()
        begin()
      }
    },
  }
}
