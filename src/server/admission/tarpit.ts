/**
 * Delays answers to callers that continue after refusals, so that refusing them costs next to nothing: a caller that
 * waits for each answer can then send only a few requests a second on each connection.
 */
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { ErrorCode } from '../../errors.ts'
import { MemoryPoints } from './limits/counts.ts'

/** Refusals per minute that are answered without delay. */
const atOnce = 20
/** Milliseconds. */
const delay = 500
const mostCallers = 10_000

export class Tarpit {
  readonly #refusals = new MemoryPoints(mostCallers)

  /** Await before sending a refusal with this code. The connection is not read meanwhile. */
  async before(code: ErrorCode, caller: string, socket: Pick<Socket, 'pause' | 'resume'>): Promise<void> {
    if (code !== 'RATE_LIMITED' && code !== 'UNAUTHENTICATED') return
    if (this.#refusals.take(caller, atOnce, 1, 1).granted > 0) return
    socket.pause()
    await pause(delay, undefined, { ref: false })
    socket.resume()
  }
}
