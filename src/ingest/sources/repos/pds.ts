/**
 * Whether a server hosts accounts itself. A relay passes on what all hosts say, and hides accounts on its own behalf;
 * a PDS speaks for its own accounts alone, which an account that has moved away no longer is.
 */

const timeout = 5_000

/**
 * True when it describes itself as only a PDS does (`com.atproto.server.describeServer`), false when it says that it
 * cannot; null when that cannot be told now.
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
    // An answer that is no JSON is none of a PDS.
    return error instanceof SyntaxError ? false : null
  }
}
