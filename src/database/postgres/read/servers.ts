/**
 * Which PostgreSQL server answers a reading, and what callers see when servers fail. Replicas that are near enough to
 * the primary take turns; without one the primary answers.
 */
import type { Client } from 'pg'
import { ServiceError } from '../../../errors.ts'
import { untilAborted } from '../../../util/async/until-aborted.ts'
import type { ReadTerms } from '../../database.ts'
import { unavailable } from '../../refusals.ts'
import { connect } from '../connection.ts'
import { codeOf, isPassing, isUnanswered } from '../failures.ts'
import { Positions } from './positions.ts'
import { type PoolOptions, type Query, QueryPool } from './query-pool.ts'
import { judgeReplica, type Judgement } from './replica.ts'
import { hostsOf } from '../url.ts'
import { isSilence, type ServerState, Watch } from '../watch.ts'

/** How PostgreSQL is read. */
export interface QueryOptions extends PoolOptions {
  /** URLs of replicas, each of one host. */
  readonly readDatabases: readonly string[]
  /** Seconds. */
  readonly maxReplicaLag: number
  /** Takes a sentence for the operator, once for each change of a server. */
  readonly onNotice: (sentence: string) => void
}

export const defaultQueryOptions: QueryOptions = {
  readDatabases: [],
  maxReplicaLag: 10,
  poolSize: 10,
  onNotice: () => undefined,
}

export interface ServersOptions extends QueryOptions {
  /** May name several hosts; the one that takes writes is the primary. */
  readonly database: string
}

const short: ReadTerms = { kind: 'short' }

interface Server {
  readonly url: string
  readonly name: string
  readonly pool: QueryPool
  readonly watch: Watch
  /** What it said last; null while it does not answer. */
  state: ServerState | null
  /** Why it did not answer; null when it did. */
  failure: Error | null
  /** How often in a row it said nothing at all. */
  silences: number
  /** Of a replica. */
  judgement: Judgement
}

export class Servers implements AsyncDisposable {
  readonly #options: ServersOptions
  readonly #positions: Positions
  readonly #hosts: readonly Server[]
  readonly #replicas: readonly Server[]
  /** Settled when the servers are known for the first time; nobody looks at them before something is to be read. */
  #known: Promise<unknown> | undefined
  /** The host that was the last to take writes; it is kept while none does. */
  #primary: Server
  /** What its copies have in common with it; undefined until a primary was heard of. */
  #identity: string | null | undefined
  #turn = 0

  constructor(options: ServersOptions) {
    this.#options = options
    this.#positions = new Positions(options.maxReplicaLag * 1000)
    const { database, readDatabases } = options
    this.#hosts = hostsOf(database).map((url) => this.#open(url, (server) => this.#hearHost(server)))
    this.#replicas = readDatabases.map((url) => this.#open(url, (server) => this.#hearReplica(server)))
    this.#primary = this.#hosts[0] as Server
  }

  /** Runs one reading, on a replica if one is near enough. It may run twice, because a server may fail in between. */
  read<Result>(work: Query<Result>, terms = short): Promise<Result> {
    const next = (): Server => {
      const inUse = this.#inUse()
      return inUse[this.#turn++ % inUse.length] ?? this.#usablePrimary()
    }
    return this.#run(next, work, terms)
  }

  /** The same on the primary, for what must not be older than what was read before. */
  readPrimary<Result>(work: Query<Result>, terms = short): Promise<Result> {
    return this.#run(() => this.#usablePrimary(), work, terms)
  }

  /**
   * A connection to the primary of one's own, for what takes as long as it takes: a replica would end it as soon as
   * it is in the way of what is to be replayed.
   */
  async connectPrimary(): Promise<Client> {
    await this.#watch()
    return connect(this.#usablePrimary().url, 'read')
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

  /** Whoever has given up is told at once, while the server still ends what it was asked. */
  #run<Result>(choose: () => Server, work: Query<Result>, terms: ReadTerms): Promise<Result> {
    const running = this.#watch().then(() => this.#runTwice(choose(), work, terms))
    return terms.signal === undefined ? running : untilAborted(running, terms.signal)
  }

  async #runTwice<Result>(first: Server, work: Query<Result>, terms: ReadTerms): Promise<Result> {
    try {
      return await first.pool.run(work, terms)
    } catch (error) {
      terms.signal?.throwIfAborted()
      // Who has waited that long shall not wait as long again.
      if (!isPassing(error) || isUnanswered(error)) throw explained(error)
    }
    const second = await this.#after(first)
    return second.pool.run(work, terms).catch((error) => {
      throw explained(error)
    })
  }

  /** Where a reading is repeated: best on the primary, wherever that is by now. */
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
    // Nobody has to wait for what will not come.
    if (silences >= 2) throw unavailable(failure)
    // A standby alone may be read as if it were a primary, but among several hosts the primary is looked for.
    if (this.#hosts.length > 1 && state?.isStandby === true)
      throw unavailable(new Error('None of the hosts of --database that answer takes writes.'))
    return this.#primary
  }

  #inUse(): readonly Server[] {
    return this.#replicas.filter(({ judgement }) => judgement.kind === 'near')
  }

  #open(url: string, hear: (server: Server) => void): Server {
    const pool = new QueryPool(url, this.#options)
    const watch = new Watch(url, (found) => {
      const failed = found instanceof Error
      server.state = failed ? null : found
      server.failure = failed ? found : null
      server.silences = failed && isSilence(found) ? server.silences + 1 : 0
      // Once may be our own delay; twice, and what it was asked before will hardly be answered either.
      if (server.silences >= 2) pool.cut()
      hear(server)
    })
    const server: Server = {
      url,
      name: pool.server,
      pool,
      watch,
      state: null,
      failure: null,
      silences: 0,
      judgement: { kind: 'unknown' },
    }
    return server
  }

  #hearHost(server: Server): void {
    // After a failover the old primary may come back and not know of it; the later timeline is right.
    const claims = this.#hosts.filter(({ state }) => state?.isStandby === false)
    const [first] = claims.toSorted((a, b) => timelineOf(b) - timelineOf(a))
    if (first !== undefined && first !== this.#primary) {
      this.#primary = first
      if (this.#identity !== undefined) this.#options.onNotice(`The primary is ${first.name} now.`)
    }
    // Before one of several is known to take writes, the first only stands for it.
    if (server !== this.#primary || (first === undefined && this.#identity === undefined)) return
    const { state, failure, name } = server
    this.#judge(server, failure === null ? { kind: 'near' } : { kind: 'silent', reason: failure.message })
    if (state === null || state.isStandby) return
    this.#identity = state.identity
    this.#positions.add(`${state.identity ?? name}/${state.timeline}`, state.at, state.position)
  }

  #hearReplica(server: Server): void {
    const found = server.failure ?? (server.state as ServerState)
    const identity = this.#identity ?? null
    this.#judge(server, judgeReplica(found, identity, this.#positions, this.#options.maxReplicaLag))
  }

  /** Says what has changed, once. */
  #judge(server: Server, judgement: Judgement): void {
    const { kind } = server.judgement
    server.judgement = judgement
    if (judgement.kind === kind || judgement.kind === 'unknown') return
    const [who, out, back] = this.#replicas.includes(server)
      ? [`The replica ${server.name}`, 'is not used', 'is used again']
      : [`The primary ${server.name}`, 'does not answer', 'answers again']
    if (judgement.kind !== 'near') this.#options.onNotice(`${who} ${out}: ${judgement.reason}`)
    else if (kind !== 'unknown') this.#options.onNotice(`${who} ${back}.`)
  }
}

async function lookAt(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map(({ watch }) => watch.look()))
}

function timelineOf({ state }: Server): number {
  return state?.timeline ?? 0
}

/** What a caller may know of a failure. */
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
