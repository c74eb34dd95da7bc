/** The one place of the tests that lets time pass, so that no verdict depends on how much of it. */
import { setTimeout } from 'node:timers/promises'

/** Milliseconds after which what is waited for does not come, on a machine that is very busy too. */
export const patience = 180_000

/** Looks again and again until there is something true, and resolves to it. An error of the look fails at once. */
export async function until<Found>(
  look: () => Found | Promise<Found>,
  { timeout = patience }: { readonly timeout?: number } = {},
): Promise<NonNullable<Exclude<Found, false>>> {
  const start = performance.now()
  for (;;) {
    const began = performance.now()
    const found = await look()
    if (found) return found as NonNullable<Exclude<Found, false>>
    const now = performance.now()
    if (now - start > timeout) throw new Error(`Still false after ${timeout} ms: ${String(look)}`)
    // Looking costs time that what is waited for may need, so that it rests much longer than it looks.
    const rest = Math.max(Math.min(10 + (now - start) / 50, 60), Math.min(4 * (now - began), 1_000))
    await setTimeout(rest)
  }
}

/**
 * Lets a moment pass, so that a kill falls anywhere, senders are slow or a round begins later. What is asserted holds
 * however long it lasts.
 */
export async function moment(milliseconds: number): Promise<void> {
  await setTimeout(milliseconds)
}
