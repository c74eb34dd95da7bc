/** What operators hid: when, who and why, also of what is shown again. */
import type { Hiding } from '../ledger.ts'
import { ask, type Steps } from './steps.ts'

export function* readHidings(): Steps<readonly Hiding[]> {
  const rows = yield* ask(
    'select subject, reason, hidden_by, hidden_at, shown_by, shown_at from hiding order by hidden_at desc, subject',
  )
  return rows.map((row) => ({
    subject: String(row.subject),
    reason: String(row.reason),
    hiddenBy: String(row.hidden_by),
    hiddenAt: row.hidden_at as bigint,
    shownBy: row.shown_by as string | null,
    shownAt: row.shown_at as bigint | null,
  }))
}
