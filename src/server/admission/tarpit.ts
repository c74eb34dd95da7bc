/**
 * Callers who go on asking after they were refused are answered late, so that refusing them costs next to nothing:
 * whoever waits for an answer before asking again can then ask but a few times a second on each connection.
 */
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { ErrorCode } from '../../errors.ts'
import { atMost } from '../../util/at-most.ts'

/** Refusals in a minute that are told at once. */
const atOnce = 20
/** Milliseconds. */
const delay = 500
const mostCallers = 10_000

/** What the server asks itself, in a caller's name, comes on none that could be paused. */
type Connection = Partial<Pick<Socket, 'pause' | 'resume'>>

export class Tarpit {
  readonly #refusals = new LRUCache<string, number>({
    ...atMost(mostCallers),
    ttl: 60_000,
    noUpdateTTL: true,
  })

  /** To be waited for before a refusal of that code is sent. Nothing more is read from the connection meanwhile. */
  async before(code: ErrorCode, caller: string, socket: Connection): Promise<void> {
    if (code !== 'RATE_LIMITED' && code !== 'UNAUTHENTICATED') return
    const refusals = (this.#refusals.get(caller) ?? 0) + 1
    this.#refusals.set(caller, refusals)
    if (refusals <= atOnce) return
    socket.pause?.()
    await pause(delay, undefined, { ref: false })
    socket.resume?.()
  }
}
