/** Owns one GraphQL request on its way through the server: its caller, deadline, points and outcome. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, ServiceError } from '../../errors.ts'
import { andThen, type MaybePromise } from '../../util/async/promises.ts'
import type {
  AnswerReport,
  GraphQLRequest,
  LongQueryPermit,
  RequestLimits,
} from '../../query/execute/execute.ts'
import type { Caller } from './tiers.ts'
import { type Limiter, rateLimited, tooManyAtOnce, type Allowance } from './limits/limiter.ts'
import type { ClientScheduler } from './client-scheduler.ts'

export interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly context: RequestContext
}

/** A GraphQL request that was answered, or whose caller has disconnected. */
export interface Answered {
  readonly requestId: string
  /** Null when it was refused before authentication. */
  readonly caller: Caller | null
  /** Null when none could be parsed. */
  readonly request: GraphQLRequest | null
  readonly report: AnswerReport | null
  /** `ok`, the error code of the answer, or `gone`: the caller disconnected. */
  readonly outcome: 'ok' | 'gone' | ErrorCode
  /** The caller's limit that refused the request. */
  readonly limit: 'rate' | 'concurrent' | 'overload' | null
  readonly status: number
  /** Of the body as sent. */
  readonly bytes: number
  /** Milliseconds from the arrival of the request to its answer. */
  readonly duration: number
}

/** Receives the events of requests; observe.ts and metrics.ts implement it. */
export interface Observer {
  /** A GraphQL request has arrived; `answered` follows exactly once. */
  asked(): void
  answered(request: Answered): void
}

interface ContextGiven {
  readonly observer: Observer
  readonly limiter: Limiter
  readonly scheduler: ClientScheduler
}

export class RequestContext {
  readonly started = performance.now()
  caller: Caller | null = null
  /** Points left after the latest charge; null for a tier without a limit. */
  allowance: Allowance | null = null
  question: GraphQLRequest | null = null
  report: AnswerReport | null = null
  #limit: Answered['limit'] = null
  readonly #given: ContextGiven
  /** Points charged besides those of the request itself, and the end of their minute. */
  #spent = { points: 0, ends: 0 }
  #isOver = false
  #duration: number | null = null

  constructor(given: ContextGiven) {
    this.#given = given
    given.observer.asked()
  }

  /** The answer begins: what follows is the caller's time. */
  begin(): void {
    this.#duration = performance.now() - this.started
  }

  /** Reports the outcome to the observer, once. */
  end(requestId: string, outcome: Answered['outcome'], status: number, bytes: number): void {
    if (this.#isOver) return
    this.#isOver = true
    const { caller, question: request, report } = this
    const duration = this.#duration ?? performance.now() - this.started
    const limit = this.#limit
    const { observer } = this.#given
    observer.answered({ requestId, caller, request, report, outcome, limit, status, bytes, duration })
  }

  /** Throws RATE_LIMITED when the caller has too few points left. Synchronous where possible. */
  spend(caller: Caller, points: number): MaybePromise<void> {
    return andThen(this.#given.limiter.spend(caller, points), (allowance) => {
      this.allowance = allowance
      if (allowance === null) return
      if (allowance.granted) {
        this.#spent = { points, ends: Date.now() + allowance.resetSeconds * 1000 }
        return
      }
      this.#limit = 'rate'
      throw rateLimited(caller, allowance, points)
    })
  }

  /** The limits of the operation. Its first point was charged with the request. */
  requestLimits(caller: Caller, connection: CallerConnection): RequestLimits {
    const { scheduler } = this.#given
    const { tier } = caller
    // The points of the request itself are never refunded.
    this.#spent = { points: 0, ends: 0 }
    return {
      pageSize: tier.pageSize,
      points: tier.pointsPerQuery,
      charge: (points) => {
        if (points <= 1) return undefined
        // Executing introspection or planning a costly statement takes longer than parsing the document.
        return andThen(this.spend(caller, points - 1), () => scheduler.wait(caller.id))
      },
      worked: (time) => {
        if (tier.pointsPerMinute !== null) scheduler.spend(caller.id, time)
      },
      startShort: () => new CallerPermit(caller, connection, this.started, tier.seconds, () => undefined),
      startLong: () => this.#startLong(caller, connection, tier.seconds),
      refund: () => {
        this.#limit = 'overload'
        this.#refund(caller, this.#spent.points)
      },
    }
  }

  /** The same for a file, whose rows may be more and take longer. `takeSlot` returns what releases the slot. */
  fileLimits(
    caller: Caller,
    connection: CallerConnection,
    takeSlot: (caller: string) => () => void,
  ): RequestLimits {
    const { fileRows, fileSeconds, pointsPerMinute } = caller.tier
    return {
      ...this.requestLimits(caller, connection),
      pageSize: fileRows,
      ...(pointsPerMinute !== null && { filePoints: pointsPerMinute }),
      startFile: async () => {
        const release = takeSlot(caller.id)
        try {
          return await this.#startLong(caller, connection, fileSeconds, release)
        } catch (error) {
          release()
          throw error
        }
      },
      giveBack: (points) => this.#refund(caller, points),
    }
  }

  #refund(caller: Caller, points: number): void {
    if (this.allowance === null || points <= 0) return
    this.#given.limiter.refund(caller, points, this.#spent.ends)
    this.allowance = { ...this.allowance, remaining: this.allowance.remaining + points }
  }

  async #startLong(
    caller: Caller,
    connection: CallerConnection,
    seconds: number,
    ended = (): void => undefined,
  ): Promise<LongQueryPermit> {
    const { limiter } = this.#given
    if (!(await limiter.enter(caller))) {
      this.#limit = 'concurrent'
      throw tooManyAtOnce(caller)
    }
    return new CallerPermit(caller, connection, this.started, seconds, () => {
      limiter.leave(caller)
      ended()
    })
  }
}

/** What a caller waits on, such as the framework's reply. */
export interface CallerConnection {
  readonly raw: {
    readonly destroyed: boolean
    readonly socket?: { readonly destroyed: boolean } | null
    once(event: 'close', end: () => void): unknown
    off(event: 'close', end: () => void): unknown
  }
}

/** True when the caller has disconnected; a socket may be destroyed before its response is. */
export function isGone({ raw }: Pick<CallerConnection, 'raw'>): boolean {
  return raw.destroyed || raw.socket?.destroyed === true
}

/** A permit that ends at the caller's deadline, or when its connection closes. */
class CallerPermit implements LongQueryPermit {
  readonly caller: string
  readonly deadline: number
  readonly #abort = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #end: () => void

  /** `started`: in the time of `performance.now()`. `leave` is called when the permit is released. */
  constructor(
    caller: Caller,
    connection: CallerConnection,
    started: number,
    seconds: number,
    leave: () => void,
  ) {
    const { raw } = connection
    this.caller = caller.id
    this.deadline = started + seconds * 1000
    const hangUp = (): void => this.#abort.abort(new ServiceError('UNAVAILABLE', 'The caller has hung up.'))
    const left = Math.max(0, this.deadline - performance.now())
    this.#timer = setTimeout(() => this.#abort.abort(timedOut(caller, seconds)), left)
    raw.once('close', hangUp)
    if (isGone(connection)) hangUp()
    const end = (): void => {
      clearTimeout(this.#timer)
      raw.off('close', hangUp)
      leave()
    }
    // A closure assigned directly is allocated in V8's old space and retains the request.
    this.#end = end
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  [Symbol.dispose](): void {
    this.#end()
  }
}

function timedOut({ tier }: Caller, seconds: number): ServiceError {
  return new ServiceError(
    'TIMEOUT',
    `The operation took longer than the ${seconds} s that the tier "${tier.name}" has. Narrow \`where\`, ask for fewer groups, or for a smaller page.`,
    { limit: seconds },
  )
}
