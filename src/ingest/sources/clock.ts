/**
 * Decides whether a revision is from the future or our own clock is slow. Revisions are times, and the latest wins: a
 * revision from 2036 would freeze its record, or after a fetch its whole account, for ten years. Revisions beyond our
 * clock plus a tolerance are therefore refused, as the sync specification requires. Before a refusal, our clock is
 * compared with the `Date` headers of the source's server and of the directory of DIDs.
 */
import { reasonOf } from '../../util/text/messages.ts'
import { counted } from '../../util/text/counted.ts'

export interface Clock {
  /**
   * Why our own clock may be wrong, in sentences; null when it is right. To be called when an event seems to be from
   * the future. `server`: the URL of a server whose clock is compared too, besides the directory's.
   */
  readonly doubt: (server: string | null, signal: AbortSignal) => Promise<string | null>
}

export interface ClockOptions {
  /** Seconds. */
  readonly maxClockSkew: number
  /** The directory of DIDs. */
  readonly plcUrl: string
}

/** Milliseconds until a clock that was right is compared again, unless it was set meanwhile. */
const rightFor = 60_000
/** Milliseconds by which wall clock and monotonic clock may diverge; more means that the clock was set. */
const drift = 1_000
const askTimeout = 5_000

export function createClock({ maxClockSkew, plcUrl }: ClockOptions): Clock {
  const right = new Map<string | null, { readonly at: number; readonly offset: number }>()
  return {
    doubt: async (server, signal) => {
      const offset = Date.now() - performance.now()
      const last = right.get(server)
      if (
        last !== undefined &&
        performance.now() - last.at < rightFor &&
        Math.abs(offset - last.offset) < drift
      )
        return null
      const servers = [...new Set([...(server === null ? [] : [server]), plcUrl])]
      const answers = await Promise.all(servers.map((url) => compare(url, signal)))
      const doubt = judge(answers, maxClockSkew * 1_000)
      if (doubt === null) right.set(server, { at: performance.now(), offset })
      return doubt
    },
  }
}

interface ClockComparison {
  readonly host: string
  /** Milliseconds by which the server's clock is ahead of ours; null when it is unknown. */
  readonly ahead: number | null
  readonly failure: string
}

function judge(answers: readonly ClockComparison[], maxAhead: number): string | null {
  const [furthest] = answers
    .flatMap(({ host, ahead }) => (ahead === null ? [] : [{ host, ahead }]))
    .toSorted((one, other) => other.ahead - one.ahead)
  const waits = 'Until then no event of the source is stored, and none is lost'
  if (furthest === undefined) {
    const failures = answers.map(({ failure }) => failure).join(' ')
    return `A revision seems to be from the future, and the clock of this machine could not be compared with another. ${failures} ${waits}.`
  }
  if (furthest.ahead <= maxAhead) return null
  const seconds = counted(Math.round(furthest.ahead / 1_000), 'second')
  return `The clock of ${furthest.host} is ${seconds} ahead of this machine's. Set the one that is wrong. ${waits}.`
}

async function compare(url: string, signal: AbortSignal): Promise<ClockComparison> {
  const target = new URL('/', url)
  const { host } = target
  try {
    const answer = await fetch(target, {
      method: 'HEAD',
      redirect: 'manual',
      headers: { 'user-agent': 'lexigraph', 'cache-control': 'no-cache' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(askTimeout)]),
    })
    const date = Date.parse(answer.headers.get('date') ?? '')
    if (!Number.isFinite(date)) return { host, ahead: null, failure: `${host} does not say the time.` }
    // The age of a cached answer, in seconds.
    const age = Number(answer.headers.get('age') ?? 0)
    return { host, ahead: date + (Number.isFinite(age) ? age : 0) * 1_000 - Date.now(), failure: '' }
  } catch (cause) {
    return { host, ahead: null, failure: `${host} could not be asked: ${reasonOf(cause)}.` }
  }
}
