/** The operator's log of ingestion; refusals are logged once per reason and minute. */
import type { Change } from '../database/changes.ts'

export type IngestLog = ReturnType<typeof createIngestLog>

/** Milliseconds between two lines for one reason. */
const interval = 60_000

/** `now`: milliseconds. */
export function createIngestLog(
  write: (level: 'info' | 'warn' | 'error', text: string) => void,
  now: () => number,
) {
  const lastLines = new Map<string, { at: number; more: number }>()
  return {
    info: (text: string): void => write('info', text),
    warn: (text: string): void => write('warn', text),
    error: (text: string): void => write('error', text),
    /** Logs the first refusal of each reason; the next line for the reason has the number of skipped ones. */
    refusals: (source: string, changes: readonly Change[]): void => {
      for (const change of changes) {
        if (change.kind !== 'reject') continue
        const { reason, uri, message } = change
        const last = lastLines.get(reason)
        if (last !== undefined && now() - last.at < interval) {
          last.more += 1
          continue
        }
        const more = last === undefined || last.more === 0 ? '' : ` (${last.more} more since the last line)`
        write('warn', `${source}: refused ${uri ?? 'an event'}: ${reason}: ${message}${more}`)
        lastLines.set(reason, { at: now(), more: 0 })
      }
    },
  }
}
