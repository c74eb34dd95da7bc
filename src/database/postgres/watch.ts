/** Polls one server each second over a separate connection: whether it answers, its role and its log position. */
import pg from 'pg'
import { within } from '../../util/async/promises.ts'
import { closeClient, connect, readIdentity, timeline } from './connection.ts'
import { DatabaseUnreachableError } from './failures.ts'

/** The answer of a server. */
export interface ServerState {
  /**
   * Milliseconds since 1970 by the clock of the primary: its time, or when it committed the transaction that a standby
   * has replayed last; null if the standby has replayed none since its start.
   */
  readonly at: number | null
  /** A standby only replays the log of a primary. */
  readonly isStandby: boolean
  /** Log position that a primary has written, or that a standby has replayed. */
  readonly position: bigint
  /** Timeline of a primary: it grows each time a standby is promoted. */
  readonly timeline: number
  /** Identifies cluster and database; null if the role lacks the right to ask. */
  readonly identity: string | null
}

/** Milliseconds. */
const interval = 1000
const timeout = 2000

export class Watch implements AsyncDisposable {
  readonly #url: string
  readonly #report: (found: ServerState | Error) => void
  #timer: NodeJS.Timeout | undefined
  #client: pg.Client | null = null
  #identity: string | null = null
  #looking: Promise<void> | null = null
  #isOver = false

  constructor(url: string, report: (found: ServerState | Error) => void) {
    this.#url = url
    this.#report = report
  }

  /** Asks the server now, or joins the query that is running; the first call starts the polling. */
  look(): Promise<void> {
    this.#timer ??= setInterval(() => this.look(), interval).unref()
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    clearInterval(this.#timer)
    if (this.#client !== null) await closeClient(this.#client)
    await this.#looking
  }

  async #look(): Promise<void> {
    const tooLate = new AbortController()
    const found = await within(timeout, this.#ask(tooLate.signal), () => {
      tooLate.abort()
      return new DatabaseUnreachableError(`It did not answer within ${timeout / 1000} seconds.`)
    }).catch((error: Error) => error)
    if (found instanceof Error) {
      const lost = this.#client
      this.#client = null
      // Not awaited: the next poll uses a new connection.
      if (lost !== null) void closeClient(lost)
    }
    if (!this.#isOver) this.#report(found)
  }

  async #ask(tooLate: AbortSignal): Promise<ServerState> {
    const client = this.#client ?? (await this.#connect(tooLate))
    this.#client = client
    const { rows } = await client.query(state)
    const [row] = rows
    return {
      at: row.at === null ? null : Number(row.at),
      isStandby: row.standby === true,
      // Null on a standby that has replayed nothing yet.
      position: BigInt(row.position ?? 0),
      timeline: Number(row.timeline),
      identity: this.#identity,
    }
  }

  async #connect(tooLate: AbortSignal): Promise<pg.Client> {
    const client = await connect(this.#url, 'read')
    client.once('end', () => {
      if (this.#client === client) this.#client = null
    })
    this.#identity = await readIdentity(client)
    if (!tooLate.aborted && !this.#isOver) return client
    await closeClient(client)
    throw new DatabaseUnreachableError('Nobody waits for this connection any more.')
  }
}

const state = `select pg_is_in_recovery() as standby,
  (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end - '0/0'::pg_lsn)::bigint as position,
  extract(epoch from case when pg_is_in_recovery() then pg_last_xact_replay_timestamp() else clock_timestamp() end)
    * 1000 as at,
  case when pg_is_in_recovery() then 0 else ${timeline} end as timeline`

/** Whether the server sent nothing at all; a refusal or the end of a connection proves that it is alive. */
export function isSilence(error: Error): boolean {
  const { cause } = error
  return !(
    cause instanceof pg.DatabaseError ||
    error instanceof pg.DatabaseError ||
    isEnd(error) ||
    isEnd(cause)
  )
}

function isEnd(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Connection terminated')
}
