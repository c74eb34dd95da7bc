/**
 * Detects connections that were lost silently, as when a firewall or a NAT gateway drops them: packets vanish, and
 * without a check the caller would wait for its timeout. An idle connection is tested before use. If a connection is
 * silent during a statement, the server is asked over another connection whether the process is at work; if it is not,
 * the statement or its answer was lost.
 */
import type pg from 'pg'
import { processOf, withClient } from '../connection.ts'

/** Milliseconds of idleness after which a connection is tested, and milliseconds that it has to answer. */
const longestRest = 200
const longestAnswer = 1_000
/**
 * Milliseconds without a byte after which the server is asked about a statement. Each question needs a new connection,
 * so the pause before the next question doubles, up to the longest.
 */
const longestSilence = 1_000
const longestPause = 16_000

type SocketUse = ReturnType<typeof startedNow>

export class Liveness implements Disposable {
  readonly #url: string
  readonly #idle = new Map<pg.PoolClient, { readonly since: number }>()
  readonly #inUse = new Map<pg.PoolClient, SocketUse>()
  #timer: NodeJS.Timeout | undefined
  #isLooking = false

  /** `url` names one host. */
  constructor(url: string) {
    this.#url = url
  }

  /** False if the connection was lost; then it is closed, and so are all idle connections. */
  async isAlive(client: pg.PoolClient): Promise<boolean> {
    const idle = this.#idle.get(client)
    this.#idle.delete(client)
    if (idle === undefined) return true
    const { stream } = client.connection
    if (!stream.destroyed && performance.now() - idle.since < longestRest) return true
    try {
      if (stream.destroyed) throw new Error('It was closed.')
      await client.query({ text: 'select', query_timeout: longestAnswer } as pg.QueryConfig)
      return true
    } catch {
      stream.destroy()
      this.#closeIdle()
      return false
    }
  }

  begin(client: pg.PoolClient): void {
    this.#timer ??= setInterval(() => void this.#look(), longestSilence).unref()
    this.#inUse.set(client, startedNow(bytesOf(client)))
  }

  end(client: pg.PoolClient): void {
    this.#inUse.delete(client)
    this.#idle.set(client, { since: performance.now() })
  }

  /** To be called when the connection has left the pool. */
  forget(client: pg.PoolClient): void {
    this.#inUse.delete(client)
    this.#idle.delete(client)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  /** The loss of one connection has usually hit the other idle connections too. */
  #closeIdle(): void {
    for (const client of this.#idle.keys()) client.connection.stream.destroy()
  }

  async #look(): Promise<void> {
    const now = performance.now()
    const silent = new Map<number, readonly [pg.PoolClient, SocketUse, number]>()
    for (const [client, use] of this.#inUse) {
      const bytes = bytesOf(client)
      if (bytes !== use.bytes) Object.assign(use, startedNow(bytes))
      else if (now - use.heardAt >= use.askAfter) silent.set(processOf(client), [client, use, bytes])
    }
    if (silent.size === 0 || this.#isLooking) return
    this.#isLooking = true
    for (const [, use] of silent.values())
      use.askAfter += Math.min(use.askAfter + longestSilence, longestPause)
    try {
      for (const pid of await this.#findResting([...silent.keys()])) {
        const [client, use, bytes] = silent.get(pid) as readonly [pg.PoolClient, SocketUse, number]
        // Bytes may have arrived meanwhile, or the connection may be in another use by now.
        if (this.#inUse.get(client) !== use || bytesOf(client) !== bytes) continue
        client.connection.stream.destroy()
        this.#closeIdle()
      }
    } catch {
      // If the server cannot be asked, it is silent as a whole, which `watch.ts` notices.
    } finally {
      this.#isLooking = false
    }
  }

  /** Returns processes of the server that exist and are idle. */
  async #findResting(pids: readonly number[]): Promise<readonly number[]> {
    const text = `select pid from pg_stat_activity where pid = any($1) and state like 'idle%'
           and state_change < clock_timestamp() - interval '${longestSilence} milliseconds'`
    const ask = (client: pg.Client) => client.query<{ pid: bigint }>(text, [pids])
    const { rows } = await withClient(this.#url, 'read', ask, longestAnswer)
    return rows.map(({ pid }) => Number(pid))
  }
}

/** `heardAt`: the last byte, or the begin; `askAfter`: milliseconds of silence at which the server is asked next. */
function startedNow(bytes: number) {
  return { bytes, heardAt: performance.now(), askAfter: longestSilence }
}

function bytesOf(client: pg.PoolClient): number {
  return (client.connection.stream as { readonly bytesRead?: number }).bytesRead ?? 0
}
