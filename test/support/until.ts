import { setTimeout } from 'node:timers/promises'

/** Looks again and again until there is something true, and resolves to it. An error of the look fails at once. */
export async function until<Found>(
  look: () => Found | Promise<Found>,
  { timeout = 60_000 }: { readonly timeout?: number } = {},
): Promise<NonNullable<Exclude<Found, false>>> {
  const start = performance.now()
  for (;;) {
    const found = await look()
    if (found) return found as NonNullable<Exclude<Found, false>>
    const waited = performance.now() - start
    if (waited > timeout) throw new Error(`Not so within ${timeout} ms: ${String(look)}`)
    // Looking costs time that what is waited for may need.
    await setTimeout(Math.min(10 + waited / 50, 60))
  }
}
