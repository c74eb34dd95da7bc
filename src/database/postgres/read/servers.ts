/**
 * Chooses the PostgreSQL server for a query, and translates failures of servers for callers. Replicas whose lag is
 * small enough are used in rotation; without one the primary answers.
 */
import type { Client } from 'pg'
import { ServiceError } from '../../../errors.ts'
import { untilAborted } from '../../../util/async/promises.ts'
import type { ReadTerms } from '../../database.ts'
import { unavailable } from '../../refusals.ts'
import { connect } from '../connection.ts'
import { codeOf, isPassing, isUnanswered } from '../failures.ts'
import { type PoolOptions, type Query, QueryPool } from './query-pool.ts'
import { hostsOf } from '../url.ts'
import { isSilence, type ServerState, Watch } from '../watch.ts'

/** Options for reading from PostgreSQL. */
export interface QueryOptions extends PoolOptions {
  /** URLs of replicas, each of one host. */
  readonly readDatabases: readonly string[]
  /** Seconds. */
  readonly maxReplicaLag: number
  /** Receives one sentence for the operator for each change of a server's state. */
  readonly onNotice: (sentence: string) => void
}

export const defaultQueryOptions: QueryOptions = {
  readDatabases: [],
  maxReplicaLag: 10,
  poolSize: 10,
  onNotice: () => undefined,
}

const short: ReadTerms = { kind: 'short' }

type Judgement =
  /** It may answer. */
  | { readonly kind: 'near' }
  /** It may not answer yet: the primary has not answered. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'silent' | 'writes' | 'stranger' | 'behind'; readonly reason: string }

class Server {
  readonly url: string
  readonly pool: QueryPool
  readonly watch: Watch
  /** Its latest answer; null while it does not answer. */
  state: ServerState | null = null
  /** Why it did not answer; null if it did. */
  failure: Error | null = null
  /** Number of consecutive polls without any sign of life. */
  silences = 0
  judgement: Judgement = { kind: 'unknown' }
  /** Of a replica: when, by the clock of the primary, it had all that the primary had written. Milliseconds. */
  wholeAt = Number.NEGATIVE_INFINITY

  /** Calls `hear` after each poll. */
  constructor(url: string, options: PoolOptions, hear: (server: Server) => void) {
    this.url = url
    this.pool = new QueryPool(url, options)
    this.watch = new Watch(url, (found) => {
      const failed = found instanceof Error
      this.state = failed ? null : found
      this.failure = failed ? found : null
      this.silences = failed && isSilence(found) ? this.silences + 1 : 0
      // One silence may be a delay of this process; after two, running statements will hardly be answered either.
      if (this.silences >= 2) this.pool.cut()
      hear(this)
    })
  }
}

export class Servers implements AsyncDisposable {
  readonly #options: QueryOptions
  readonly #hosts: readonly Server[]
  readonly #replicas: readonly Server[]
  /** Settled after the first poll of all servers, which the first query starts. */
  #known: Promise<unknown> | undefined
  /** The host that took writes last; unchanged while none does. */
  #primary: Server
  /** The latest answers of a primary, newest first; empty until one answered. */
  #answers: readonly ServerState[] = []
  #turn = 0

  /** `database` may name several hosts; the one that takes writes is the primary. */
  constructor({ database, ...options }: QueryOptions & { readonly database: string }) {
    this.#options = options
    const open = (urls: readonly string[], hear: (server: Server) => void) =>
      urls.map((url) => new Server(url, options, hear))
    this.#hosts = open(hostsOf(database), (server) => this.#hearHost(server))
    this.#replicas = open(options.readDatabases, (server) => this.#hearReplica(server))
    this.#primary = this.#hosts[0] as Server
  }

  /** Runs one query, on a replica if its lag is small enough. The query may run twice, because a server may fail. */
  read<Result>(work: Query<Result>, terms = short): Promise<Result> {
    const next = (): Server => {
      const inUse = this.#inUse()
      return inUse[this.#turn++ % inUse.length] ?? this.#usablePrimary()
    }
    return this.#run(next, work, terms)
  }

  /** Runs one query on the primary, for results that must not be older than an earlier result. */
  readPrimary<Result>(work: Query<Result>, terms = short): Promise<Result> {
    return this.#run(() => this.#usablePrimary(), work, terms)
  }

  /** For queries of any length: a replica would cancel a query that conflicts with its replay. */
  async connectPrimary(): Promise<Client> {
    return connect(await this.primaryUrl(), 'read')
  }

  /** The URL of the primary, which has one host, for connections of other processes. */
  async primaryUrl(): Promise<string> {
    await this.#watch()
    return this.#usablePrimary().url
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const close = async ({ watch, pool }: Server): Promise<void> => {
      await watch[Symbol.asyncDispose]()
      await pool[Symbol.asyncDispose]()
    }
    await Promise.all([...this.#hosts, ...this.#replicas].map(close))
  }

  #watch(): Promise<unknown> {
    this.#known ??= lookAt([...this.#hosts, ...this.#replicas])
    return this.#known
  }

  /** An aborted call fails at once, while the server still ends the statement. */
  #run<Result>(choose: () => Server, work: Query<Result>, terms: ReadTerms): Promise<Result> {
    const running = this.#watch().then(() => this.#runTwice(choose(), work, terms))
    return terms.signal === undefined ? running : untilAborted(running, terms.signal)
  }

  async #runTwice<Result>(first: Server, work: Query<Result>, terms: ReadTerms): Promise<Result> {
    try {
      return await first.pool.run(work, terms)
    } catch (error) {
      terms.signal?.throwIfAborted()
      // A caller that has waited for the whole timeout must not wait for a second one.
      if (!isPassing(error) || isUnanswered(error)) throw explained(error)
    }
    const second = await this.#after(first)
    return second.pool.run(work, terms).catch((error) => {
      throw explained(error)
    })
  }

  /** The server on which a query is repeated: preferably the current primary. */
  async #after(first: Server): Promise<Server> {
    if (this.#hosts.includes(first)) {
      if (this.#hosts.length > 1) await lookAt(this.#hosts)
      return this.#usablePrimary()
    }
    if (this.#primary.state !== null) return this.#usablePrimary()
    return this.#inUse().find((other) => other !== first) ?? first
  }

  #usablePrimary(): Server {
    const { silences, failure, state } = this.#primary
    // Fail at once instead of waiting for an answer that will not come.
    if (silences >= 2) throw unavailable(failure)
    // A single host may be a standby and is read like a primary; among several hosts only the primary is used.
    if (this.#hosts.length > 1 && state?.isStandby === true)
      throw unavailable(new Error('None of the hosts of --database that answer takes writes.'))
    return this.#primary
  }

  #inUse(): readonly Server[] {
    return this.#replicas.filter(({ judgement }) => judgement.kind === 'near')
  }

  #hearHost(server: Server): void {
    // After a failover the old primary may come back without knowing; the host with the later timeline is right.
    const claims = this.#hosts.filter(({ state }) => state?.isStandby === false)
    const [first] = claims.toSorted((a, b) => timelineOf(b) - timelineOf(a))
    if (first !== undefined && first !== this.#primary) {
      this.#primary = first
      if (this.#answers.length > 0) this.#options.onNotice(`The primary is ${first.pool.server} now.`)
    }
    // Until one of several hosts is known to take writes, the first host is only a placeholder.
    if (server !== this.#primary || (first === undefined && this.#answers.length === 0)) return
    const { state, failure } = server
    this.#judge(server, failure === null ? { kind: 'near' } : { kind: 'silent', reason: failure.message })
    if (state !== null && !state.isStandby) this.#answers = [state, ...this.#answers.slice(0, 1)]
  }

  #hearReplica(server: Server): void {
    const { state, failure } = server
    // What was written since the latest answer but one may be on its way to the replica.
    const replayed = this.#answers.find((answer) => state !== null && hasReplayed(state, answer))
    server.wholeAt = Math.max(server.wholeAt, replayed?.at ?? Number.NEGATIVE_INFINITY)
    const [primary = null] = this.#answers
    const { maxReplicaLag } = this.#options
    this.#judge(
      server,
      judgeReplica(failure ?? (state as ServerState), primary, server.wholeAt, maxReplicaLag),
    )
  }

  /** Reports each change once. */
  #judge(server: Server, judgement: Judgement): void {
    const { kind } = server.judgement
    server.judgement = judgement
    if (judgement.kind === kind || judgement.kind === 'unknown') return
    const [who, out, back] = this.#replicas.includes(server)
      ? [`The replica ${server.pool.server}`, 'is not used', 'is used again']
      : [`The primary ${server.pool.server}`, 'does not answer', 'answers again']
    if (judgement.kind !== 'near') this.#options.onNotice(`${who} ${out}: ${judgement.reason}`)
    else if (kind !== 'unknown') this.#options.onNotice(`${who} ${back}.`)
  }
}

const page = 8192n
/** Few log records are longer. */
const longestRecord = 4n * page

/**
 * Whether a replica has replayed all that the primary had written. With asynchronous commits the primary writes whole
 * pages, and the last page may end within a record, whose rest comes up to a quarter of a minute later.
 */
export function hasReplayed(replica: ServerState, { position }: ServerState): boolean {
  return replica.position >= (position % page === 0n ? position - longestRecord : position)
}

/**
 * Decides from a replica's state whether it may answer, and explains a refusal to the operator. It is as far behind as
 * the commit that it replayed last is old, or `wholeAt` if that is later: an idle primary is not a lag. `primary`: its
 * latest answer, so that a lag does not grow while the primary is away. `maxLag` in seconds.
 */
export function judgeReplica(
  found: ServerState | Error,
  primary: ServerState | null,
  wholeAt: number,
  maxLag: number,
): Judgement {
  if (found instanceof Error) return { kind: 'silent', reason: found.message }
  if (!found.isStandby)
    return {
      kind: 'writes',
      reason: 'It takes writes itself; a new primary is found when --database names its host too.',
    }
  if (primary === null) return { kind: 'unknown' }
  if (primary.identity !== null && found.identity !== null && found.identity !== primary.identity)
    return { kind: 'stranger', reason: 'It is no copy of the database that --database names.' }
  const lag = Number(primary.at) - Math.max(found.at ?? wholeAt, wholeAt)
  if (lag <= maxLag * 1000) return { kind: 'near' }
  return {
    kind: 'behind',
    reason: `It is more than ${maxLag} ${maxLag === 1 ? 'second' : 'seconds'} behind the primary (--max-replica-lag).`,
  }
}

async function lookAt(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map(({ watch }) => watch.look()))
}

function timelineOf({ state }: Server): number {
  return state?.timeline ?? 0
}

/** Converts a failure into the error that callers may see. */
function explained(error: unknown): unknown {
  if (codeOf(error) === queryCanceled || isUnanswered(error))
    return new ServiceError(
      'TIMEOUT',
      'The operation took longer than it may. Narrow `where`, ask for fewer groups, or for a smaller page.',
      {},
      { cause: error },
    )
  return isPassing(error) ? unavailable(error) : error
}

const queryCanceled = '57014'
