/** The caller of an admitted request to the agents' server: what it pays, and for how long it kept the thread busy. */
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import type { Turns } from './turns.ts'

export interface Guest {
  /** The endpoint that tools query on behalf of the caller. */
  readonly endpoint: Endpoint
  /** Await before reading a message; the messages of a caller stay in order. */
  turn(): Promise<void> | undefined
  /** True if a message that takes next to no work costs nothing; the caller has so many of them in a minute. */
  isFree(): Promise<boolean>
  /** Charges a request with a body of this many bytes. Throws a ServiceError when the caller lacks points. */
  pay(bytes: number): Promise<void>
  /** Adds the milliseconds for which the request blocked the event loop. */
  spend(time: number): void
}

/** Finds the caller by the head of a request. Throws a ServiceError for callers who may not ask. */
export type Admit = (request: FastifyRequest) => Guest | Promise<Guest>

/** True for refusals that end by themselves; others are about the request. */
export function isTransient(error: unknown): error is ServiceError {
  return error instanceof ServiceError && (error.code === 'RATE_LIMITED' || error.code === 'UNAVAILABLE')
}

/** A caller whose messages are all refused for this reason. */
export function refusedGuest(reason: ServiceError): Guest {
  const refuse = (): Promise<never> => Promise.reject(reason)
  return {
    endpoint: { ask: refuse },
    turn: () => undefined,
    isFree: async () => false,
    pay: refuse,
    spend: () => undefined,
  }
}

/** Measures how long a message blocks the thread: from its start and each endpoint answer to the end of the turn. */
export class Work {
  readonly endpoint: Endpoint
  readonly #guest: Guest
  #since: number | null = null

  /** Begins in a turn of `turns`, and after each answer of the endpoint waits for another. */
  constructor(guest: Guest, turns: Turns) {
    this.#guest = guest
    this.#begin()
    this.endpoint = {
      ask: async (question, signal) => {
        this.#end()
        try {
          await turns.next()
          return await guest.endpoint.ask(question, signal)
        } finally {
          await turns.next()
          this.#begin()
        }
      },
    }
  }

  #begin(): void {
    this.#since ??= performance.now()
    setImmediate(() => this.#end())
  }

  #end(): void {
    if (this.#since !== null) this.#guest.spend(performance.now() - this.#since)
    this.#since = null
  }
}
