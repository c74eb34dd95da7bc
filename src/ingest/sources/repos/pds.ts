/**
 * Finds out whether a server is a PDS. A relay forwards the events of all hosts and may hide accounts itself; a PDS is
 * an authority only for its own accounts, which do not include accounts that have moved away.
 */

const timeout = 5_000

/**
 * True when the server answers `com.atproto.server.describeServer`, which only a PDS implements; false when it refuses
 * or answers otherwise; null when it cannot be reached or fails.
 */
export async function askIfPds(
  url: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<boolean | null> {
  try {
    const answer = await fetch(new URL('/xrpc/com.atproto.server.describeServer', url), {
      redirect: 'manual',
      headers: { 'user-agent': 'lexigraph' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    })
    if (!answer.ok) {
      await answer.body?.cancel()
      return answer.status < 500 || answer.status === 501 ? false : null
    }
    const description: unknown = await answer.json()
    const { did, availableUserDomains } = Object(description) as Readonly<Record<string, unknown>>
    return typeof did === 'string' && Array.isArray(availableUserDomains)
  } catch (error) {
    // A PDS answers with JSON.
    return error instanceof SyntaxError ? false : null
  }
}
