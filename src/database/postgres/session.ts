/** Statements upon one connection, prepared once each. */
import type { ClientBase } from 'pg'
import type { Session, SessionRow } from '../session.ts'
import { runPrepared } from './prepared.ts'

export function createPostgresSession(client: ClientBase): Session {
  return {
    all: async (text, ...values) => {
      const { rows } = await runPrepared(client, { text: numbered(text), values })
      return rows as SessionRow[]
    },
    run: async (text, ...values) => {
      const { rowCount } = await runPrepared(client, { text: numbered(text), values })
      return rowCount ?? 0
    },
  }
}

/** `?` as `$1`, `$2` and so on; no statement has one in a literal. */
function numbered(text: string): string {
  let count = 0
  return text.replaceAll('?', () => `$${(count += 1)}`)
}
