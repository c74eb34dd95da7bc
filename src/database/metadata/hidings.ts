/** Hidings by operators, also those that have ended. Nothing that the network reports ends them. */
import type { Hiding, Purge } from './metadata-store.ts'
import { ask, type Steps } from './steps.ts'

/** An operator's request to hide a subject. */
export type NewHiding = Pick<Hiding, 'subject' | 'reason' | 'hiddenBy'>

/** Condition on a row of `parked`: no operator hid the record itself. `?` is the URI of its repository collection. */
export const notHidden =
  'not exists (select 1 from hiding where shown_at is null and subject = ? || parked.rkey)'
/** Condition on rows with a DID: an operator has hidden the account. */
export const ofHiddenAccount = 'did in (select subject from hiding where shown_at is null)'

/** All, including ended ones; latest first. */
export function* readHidings(): Steps<readonly Hiding[]> {
  const rows = yield* ask<
    Omit<Hiding, 'purge'> &
      Omit<Purge, 'purgedAt'> & { readonly purgedAt: bigint | null; readonly why: string }
  >(
    `select subject, h.reason, hidden_by as "hiddenBy", hidden_at as "hiddenAt", shown_by as "shownBy",
       shown_at as "shownAt", purged_by as "purgedBy", purged_at as "purgedAt", erased_at as "erasedAt",
       p.reason as why
     from hiding h left join purge p using (subject, hidden_at) order by hidden_at desc, subject`,
  )
  return rows.map(({ purgedBy, purgedAt, erasedAt, why, ...hiding }) => ({
    ...hiding,
    purge: purgedAt === null ? null : { purgedBy, purgedAt, reason: why, erasedAt },
  }))
}

export function* isHidden(subject: string): Steps<boolean> {
  return (
    (yield* ask('select 1 as one from hiding where subject = ? and shown_at is null', subject)).length > 0
  )
}

/** Returns false, without changes, if the subject is hidden already. */
export function* startHiding({ subject, reason, hiddenBy }: NewHiding, now: bigint): Steps<boolean> {
  if (yield* isHidden(subject)) return false
  const [last] = yield* ask('select max(shown_at) as at from hiding where subject = ?', subject)
  const before = (last?.at ?? null) as bigint | null
  // The former hiding may have ended at this very microsecond, or by a clock that was ahead.
  const at = before === null || before < now ? now : before + 1n
  const add = 'insert into hiding (subject, hidden_at, hidden_by, reason) values (?, ?, ?, ?)'
  yield* ask(add, subject, at, hiddenBy, reason)
  return true
}

/** Returns false if the subject is not hidden. */
export function* endHiding(subject: string, shownBy: string, now: bigint): Steps<boolean> {
  if (!(yield* isHidden(subject))) return false
  yield* ask(
    `update hiding set shown_by = ?, shown_at = case when hidden_at > ? then hidden_at else ? end
     where subject = ? and shown_at is null`,
    shownBy,
    now,
    now,
    subject,
  )
  return true
}
