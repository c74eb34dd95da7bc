/**
 * Decides whether our own clock is right. Records get its time, so it is compared with the `Date` headers of the source's
 * server and of the directory of DIDs at start, and whenever it was set: a clock that is ahead would give records times
 * that stay the newest until it is reached. It also decides whether a revision is from the future or our own clock is
 * slow. Revisions are times, and the latest wins: a revision from 2036 would freeze its record, or after a fetch its
 * whole account, for ten years. Revisions beyond our clock plus a tolerance are therefore refused, as the sync
 * specification requires. Before a refusal, our clock is compared again.
 */
import { reasonOf } from '../../util/text/messages.ts'
import { counted } from '../../util/text/counted.ts'

export type Clock = ReturnType<typeof createClock>

/** Milliseconds until a clock that was right is compared again for an event from the future. */
const rightFor = 60_000
/** Milliseconds by which wall clock and monotonic clock may diverge; more means that the clock was set. */
const drift = 1_000
const askTimeout = 5_000

/** `maxClockSkew`: seconds. */
export function createClock({ maxClockSkew, plcUrl }: { maxClockSkew: number; plcUrl: string }) {
  const right = new Map<string | null, Comparison>()
  return {
    /**
     * Why our own clock may be wrong, in sentences; null when it is right. To be called before events are stored.
     * `server`: the URL of a server whose clock is compared too, besides the directory's. `isFuture`: whether an event
     * seems to be from the future; only then a clock that cannot be compared is in doubt.
     */
    doubt: async (server: string | null, signal: AbortSignal, isFuture = true): Promise<string | null> => {
      const offset = Date.now() - performance.now()
      const last = right.get(server)
      if (last !== undefined && Math.abs(offset - last.offset) < drift) {
        const isRecent = performance.now() - last.at < rightFor
        if (isFuture ? last.isKnown && isRecent : last.isKnown || isRecent) return null
      }
      const servers = [...new Set([...(server === null ? [] : [server]), plcUrl])]
      const answers = await Promise.all(servers.map((url) => compare(url, signal)))
      const doubt = judge(answers, maxClockSkew * 1_000, isFuture)
      const isKnown = answers.some((answer) => typeof answer !== 'string')
      if (doubt === null) right.set(server, { at: performance.now(), offset, isKnown })
      return doubt
    },
  }
}

/** When our clock was not in doubt, in monotonic milliseconds, and what it was ahead of these. */
interface Comparison {
  readonly at: number
  readonly offset: number
  /** Whether a server told its time. */
  readonly isKnown: boolean
}

interface ClockComparison {
  readonly host: string
  /** Milliseconds by which the server's clock is ahead of ours. */
  readonly ahead: number
}

/** `answers`: comparisons, and why there is none. */
function judge(answers: readonly (ClockComparison | string)[], maxAhead: number, isFuture: boolean) {
  const [furthest] = answers
    .filter((answer) => typeof answer !== 'string')
    .toSorted((one, other) => other.ahead - one.ahead)
  const waits = 'Until then no event of the source is stored, and none is lost'
  if (furthest === undefined) {
    if (!isFuture) return null
    return `A revision seems to be from the future, and the clock of this machine could not be compared with another. ${answers.join(' ')} ${waits}.`
  }
  // Ours is ahead if it is ahead of all others.
  if (Math.abs(furthest.ahead) <= maxAhead) return null
  const seconds = counted(Math.round(Math.abs(furthest.ahead) / 1_000), 'second')
  const which = furthest.ahead > 0 ? `${seconds} ahead of` : `${seconds} behind`
  return `The clock of ${furthest.host} is ${which} this machine's. Set the one that is wrong. ${waits}.`
}

async function compare(url: string, signal: AbortSignal): Promise<ClockComparison | string> {
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
    if (!Number.isFinite(date)) return `${host} does not say the time.`
    // The age of a cached answer, in seconds.
    const age = Number(answer.headers.get('age') ?? 0)
    return { host, ahead: date + (Number.isFinite(age) ? age : 0) * 1_000 - Date.now() }
  } catch (cause) {
    return `${host} could not be asked: ${reasonOf(cause)}.`
  }
}
