/** Decides from a replica's state whether it may answer, and explains a refusal to the operator. */
import type { Positions } from './positions.ts'
import type { ServerState } from '../watch.ts'

export type Judgement =
  /** It may answer. */
  | { readonly kind: 'near' }
  /** It may not answer yet: measuring its lag takes longer. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'silent' | 'writes' | 'stranger' | 'behind'; readonly reason: string }

/** `identity` is the primary's; `maxLag` in seconds. */
export function judgeReplica(
  found: ServerState | Error,
  identity: string | null,
  positions: Positions,
  maxLag: number,
): Judgement {
  if (found instanceof Error) return { kind: 'silent', reason: found.message }
  if (!found.isStandby)
    return {
      kind: 'writes',
      reason: 'It takes writes itself; a new primary is found when --database names its host too.',
    }
  if (identity !== null && found.identity !== null && found.identity !== identity)
    return { kind: 'stranger', reason: 'It is no copy of the database that --database names.' }
  const lag = positions.lag(found.position)
  if (lag <= maxLag * 1000) return { kind: 'near' }
  if (lag === Number.POSITIVE_INFINITY && positions.known <= maxLag * 1000) return { kind: 'unknown' }
  return {
    kind: 'behind',
    reason: `It is more than ${maxLag} ${maxLag === 1 ? 'second' : 'seconds'} behind the primary (--max-replica-lag).`,
  }
}
