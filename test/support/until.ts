import { setTimeout } from 'node:timers/promises'

/** Looks again and again until there is something true, and resolves to it. An error of the look fails at once. */
export async function until<Found>(
  look: () => Found | Promise<Found>,
  { timeout = 30_000 }: { readonly timeout?: number } = {},
): Promise<NonNullable<Exclude<Found, false>>> {
  const end = performance.now() + timeout
  for (;;) {
    const found = await look()
    if (found) return found as NonNullable<Exclude<Found, false>>
    if (performance.now() > end) throw new Error(`Not so within ${timeout} ms: ${String(look)}`)
    await setTimeout(10)
  }
}
