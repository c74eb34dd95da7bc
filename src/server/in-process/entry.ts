/** Lets callers in to routes that query the endpoint for them, and charges what they cost besides. */
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { assertNoKeyInAuthorization, type Authenticate } from '../admission/authentication.ts'
import { networkOf } from '../admission/limits/address.ts'
import { type Limiter, rateLimited } from '../admission/limits/limiter.ts'
import { Tarpit } from '../admission/tarpit.ts'
import type { Caller } from '../admission/tiers.ts'
import { headPoints } from '../graphql/graphql-routes.ts'

export interface EntryOptions {
  readonly authenticate: Authenticate
  readonly limiter: Limiter
}

export interface Entry {
  /** Charges nothing. */
  identify(request: FastifyRequest): Promise<Caller>
  /** Charges every request, because one that reads nothing from the database uses CPU too. */
  enter(request: FastifyRequest): Promise<Caller>
  /** Throws RATE_LIMITED when the caller lacks points. */
  spend(request: FastifyRequest, caller: Caller, points: number): Promise<void>
}

export function createEntry({ authenticate, limiter }: EntryOptions): Entry {
  const tarpit = new Tarpit()
  const spend = async (caller: Caller, points: number): Promise<void> => {
    const allowance = await limiter.spend(caller, points)
    if (allowance?.granted === false) throw rateLimited(caller, allowance, points)
  }
  /** Delays the error when the caller continues after refusals. */
  const slowly = async <Result>(request: FastifyRequest, work: Promise<Result>): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof ServiceError)
        await tarpit.before(error.code, networkOf(request.ip), request.raw.socket)
      throw error
    }
  }
  const identify = async (request: FastifyRequest): Promise<Caller> => {
    assertNoKeyInAuthorization(request.headers.authorization)
    return authenticate(request.headers['x-api-key'], networkOf(request.ip))
  }
  const admit = async (request: FastifyRequest): Promise<Caller> => {
    const caller = await identify(request)
    await spend(caller, headPoints(request))
    return caller
  }
  return {
    identify: (request) => slowly(request, identify(request)),
    enter: (request) => slowly(request, admit(request)),
    spend: (request, caller, points) => slowly(request, spend(caller, points)),
  }
}
