/** Reads all rows of a database in one transaction, over a connection that can only read. */
import type { Client } from 'pg'
import type { Snapshot } from '../../copy/database-copy.ts'
import { storedRow, type Spelling, selectStored } from '../../copy/metadata-rows.ts'
import { jsonColumn, type CopyPart, type CopyRow } from '../../copy/parts.ts'
import { attemptOf, closeClient, connect, readIdentity } from '../connection.ts'
import { metadataSchema, quote } from '../layout/ddl.ts'
import { refusal } from '../failures.ts'
import { isOnCluster } from '../layout/spread-ddl.ts'
import { beginSnapshot } from '../read/one-state.ts'
import { assertCurrent } from '../layout/migrate.ts'
import { withoutPassword } from '../url.ts'

export const spelling: Spelling = {
  cid: (column) => column,
  json: (column) => `${column}::text`,
  newCid: (text) => text,
  newJson: '?::jsonb',
}

/** Rows in one fetch. */
const rowsAtOnce = 1_000

/** All rows are read, by a reader that may pause for long. The first query fixes the moment of the snapshot. */
const begin = `begin isolation level repeatable read read only;
  set local enable_seqscan = on; set local cursor_tuple_fraction = 1; set local work_mem = '64MB';
  set local idle_in_transaction_session_timeout = 0; select from ${metadataSchema}.state`

/** Throws if the database was built from other lexicons; `fingerprint` null: without a look at that, for a target. */
export async function openPostgresSnapshot(url: string, fingerprint: string | null): Promise<Snapshot> {
  const client = await connect(url, 'read')
  try {
    if (fingerprint !== null)
      await assertCurrent(client, fingerprint, 'it is empty, so that there is nothing to copy.')
    const identity = await identityOf(client, url)
    await beginSnapshot(client, begin, await isOnCluster(client))
    return {
      identity,
      kind: 'database',
      name: withoutPassword(url),
      async collections() {
        const { rows } = await client.query(`select nsid from ${metadataSchema}.collection order by nsid`)
        return rows.map(({ nsid }) => String(nsid))
      },
      async count({ name }) {
        const { rows } = await client.query(`select count(*) as n from ${quote(name)}`)
        return Number(rows[0]?.n)
      },
      rows: (part) => readPart(client, part),
      [Symbol.asyncDispose]: () => closeClient(client),
    }
  } catch (error) {
    await closeClient(client)
    throw refusal(error, attemptOf(client))
  }
}

/** Not every role may read the identity. */
export async function identityOf(client: Client, url: string): Promise<string> {
  return (await readIdentity(client)) ?? withoutPassword(url)
}

async function* readPart(client: Client, part: CopyPart): AsyncGenerator<CopyRow> {
  const text = part.table === null ? selectStored(part, spelling) : selectRecords(part.name)
  const json = jsonColumn(part)
  await client.query(`declare rows no scroll cursor for ${text}`)
  for (;;) {
    const { rows } = await client.query({ text: `fetch ${rowsAtOnce} from rows`, rowMode: 'array' })
    if (rows.length === 0) break
    for (const row of rows) {
      // Every engine writes JSON without white space.
      if (json !== null) row[json] = JSON.stringify(JSON.parse(row[json]))
      yield storedRow(part, row)
    }
  }
  await client.query('close rows')
}

function selectRecords(name: string): string {
  return `select indexed_at, rkey, did, cid, rev, changed_at, record::text from ${quote(name)}
    order by indexed_at, rkey, did`
}
