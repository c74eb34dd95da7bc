/** Asks one server each second, on a connection of its own, whether it is there, what it is, and how far it has come. */
import pg from 'pg'
import { connect } from './connection.ts'
import { codeOf } from './failures.ts'
import { parsePosition } from './positions.ts'

/** What a server said of itself. */
export interface Standing {
  /** Milliseconds of our own clock, taken before it was asked. */
  readonly at: number
  /** It only replays what a primary has written. */
  readonly isStandby: boolean
  /** What is written, or on a standby replayed. */
  readonly position: bigint
  /** Of a primary: grows each time that a standby takes over. */
  readonly timeline: number
  /** Which database of which cluster; null when the role may not ask. */
  readonly identity: string | null
}

/** Milliseconds. */
const interval = 1000
const patience = 2000

export class Watch implements AsyncDisposable {
  readonly #url: string
  readonly #report: (found: Standing | Error) => void
  #timer: NodeJS.Timeout | undefined
  #client: pg.Client | null = null
  #identity: string | null = null
  #looking: Promise<void> | null = null
  #isOver = false

  constructor(url: string, report: (found: Standing | Error) => void) {
    this.#url = url
    this.#report = report
  }

  /** Looks now, or waits for the look that is under way; and from the first time on each second. */
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
    await this.#client?.end()
    await this.#looking
  }

  async #look(): Promise<void> {
    let found: Standing | Error
    try {
      found = await this.#ask()
    } catch (error) {
      found = error as Error
      const lost = this.#client
      this.#client = null
      await lost?.end()
    }
    if (!this.#isOver) this.#report(found)
  }

  async #ask(): Promise<Standing> {
    const client = (this.#client ??= await this.#connect())
    const at = performance.now()
    const { standby, position, timeline } = await askRow(client, standing)
    return {
      at,
      isStandby: standby === true,
      // A standby that has replayed nothing yet does not know.
      position: position === null ? 0n : parsePosition(String(position)),
      timeline: Number(timeline),
      identity: this.#identity,
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = await connect(this.#url, 'read', { statementTimeout: patience })
    if (this.#isOver) await client.end()
    client.once('end', () => {
      if (this.#client === client) this.#client = null
    })
    try {
      const row = await askRow(client, identity)
      this.#identity = String(row.identity)
    } catch (error) {
      if (codeOf(error) !== '42501') throw error
      this.#identity = null
    }
    return client
  }
}

/** The first row of a statement's answer, which has to come soon. */
async function askRow(client: pg.Client, text: string): Promise<Record<string, unknown>> {
  const { rows } = await client.query({ text, query_timeout: patience } as pg.QueryConfig)
  return rows[0]
}

const standing = `select pg_is_in_recovery() as standby,
  case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end::text as position,
  case when pg_is_in_recovery() then 0 else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline`

const identity = `select system_identifier || '/' || current_database() as identity from pg_control_system()`

/** Whether nothing was heard of the server at all; a refusal is a sign of life. */
export function isSilence(error: Error): boolean {
  return ![error, error.cause].some((one) => one instanceof pg.DatabaseError)
}
