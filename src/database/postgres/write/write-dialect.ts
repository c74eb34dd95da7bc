/** How PostgreSQL spells what the write path states once. */
import { formatCid } from '../../../lexicon/records/cid.ts'
import type { WriteDialect } from '../../write/given-rows.ts'

const types = { bigint: 'bigint', text: 'text', cid: 'text', record: 'jsonb' } as const

export const writeDialect: WriteDialect = {
  given(columns) {
    const typed = Object.entries(columns).map(([name, type]) => `${name} ${types[type]}`)
    return `json_to_recordset(?) as given (${typed.join(', ')})`
  },
  cidJson: (cid) => JSON.stringify(typeof cid === 'string' ? cid : formatCid(cid)),
  // PostgreSQL accepts no NUL in texts.
  textJson: (text) => JSON.stringify(text.toWellFormed().replaceAll('\0', '\uFFFD')),
  recordText: 'record::text',
}
