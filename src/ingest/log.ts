/** The operator's log of ingestion; refusals are logged once per reason and minute. */
import type { Change } from '../database/changes.ts'

export interface IngestLog {
  readonly info: (text: string) => void
  readonly warn: (text: string) => void
  readonly error: (text: string) => void
  /** Logs the first refusal of each reason; the next line for the reason has the number of skipped ones. */
  readonly refusals: (source: string, changes: readonly Change[]) => void
}

/** Milliseconds between two lines for one reason. */
const interval = 60_000

/** `now`: milliseconds. */
export function createIngestLog(
  write: (level: 'info' | 'warn' | 'error', text: string) => void,
  now: () => number,
): IngestLog {
  const lastLines = new Map<string, { at: number; more: number }>()
  return {
    info: (text) => write('info', text),
    warn: (text) => write('warn', text),
    error: (text) => write('error', text),
    refusals: (source, changes) => {
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
