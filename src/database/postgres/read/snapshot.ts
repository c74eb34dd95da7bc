/** Reads one snapshot of a server on a connection of its own, batch by batch. */
import type { Client } from 'pg'
import { connect } from '../connection.ts'
import { unavailable } from '../../refusals.ts'
import { isPassing } from '../failures.ts'
import { isOnCluster } from '../layout/spread-ddl.ts'
import { beginSnapshot } from './one-state.ts'
import { spacedMark } from '../spaced-json.ts'
import { firstBatch, type FileStatements, type FileSnapshot } from '../../files/file-source.ts'

/** Before and after what the server writes with spaces, of which files have none. */
const mark = String.fromCharCode(spacedMark)

/** A fetch is a round trip. */
const laterBatch = 500

/** The connection ends with the process that reads the snapshot. */
export async function openSnapshot(url: string, { count, rows }: FileStatements): Promise<FileSnapshot> {
  try {
    const client = await connect(url, 'read')
    const begin = 'begin isolation level repeatable read read only'
    await beginSnapshot(client, begin, await isOnCluster(client))
    // All rows are wanted, not the first ones.
    await client.query('set local cursor_tuple_fraction = 1')
    const state = await client.query<{ plan_version: bigint }>('select plan_version from state')
    const counted = await client.query<{ total: bigint }>(count.text, [...count.values])
    await client.query(`declare rows no scroll cursor for ${rows.text}`, [...rows.values])
    return {
      version: Number(state.rows[0]?.plan_version),
      total: Number(counted.rows[0]?.total),
      batches: inBatches(client),
    }
  } catch (error) {
    throw isPassing(error) ? unavailable(error) : error
  }
}

async function* inBatches(client: Client): AsyncGenerator<readonly string[]> {
  const fetch = (size: number) =>
    client.query<[string]>({ text: `fetch ${size} from rows`, rowMode: 'array' })
  let fetching = fetch(firstBatch)
  for (let size = firstBatch; ; size = laterBatch) {
    const { rows } = await fetching
    const isLast = rows.length < size
    if (!isLast) {
      // The server makes the next rows while these are formatted.
      fetching = fetch(laterBatch)
      fetching.catch(() => undefined)
    }
    yield rows.map(([json]) => json.replaceAll(mark, ''))
    if (isLast) return
  }
}
