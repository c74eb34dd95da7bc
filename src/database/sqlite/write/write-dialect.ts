/** How SQLite spells what the write path states once. */
import { parseCid } from '../../../lexicon/records/cid.ts'
import type { GivenType, WriteDialect } from '../../write/given-rows.ts'

function spell(name: string, type: GivenType): string {
  switch (type) {
    case 'bigint':
    case 'text':
      return `value ->> '${name}'`
    case 'cid':
      return `unhex(value ->> '${name}')`
    case 'record':
      return `jsonb(value -> '${name}')`
  }
}

export const writeDialect: WriteDialect = {
  given(columns) {
    const named = Object.entries(columns).map(([name, type]) => `${spell(name, type)} as ${name}`)
    return `(select ${named.join(', ')} from json_each(?)) as given`
  },
  cidJson: (cid) => `"${Buffer.from(typeof cid === 'string' ? (parseCid(cid) ?? '') : cid).toString('hex')}"`,
  textJson: (text) => JSON.stringify(text.toWellFormed()),
  recordText: 'json(record)',
}
