/** Reads one snapshot of a file on a connection of its own, batch by batch. */
import type { DatabaseSync } from 'node:sqlite'
import { connect } from '../connection.ts'
import { assertSameFile } from '../open-file.ts'
import type { NamedFile } from './query-worker.ts'
import { firstBatch, type FileStatements, type FileSnapshot } from '../../files/file-source.ts'

/** More rows at once would live so long that only a full garbage collection frees them. */
const laterBatch = 100
/** MiB of pages; the file itself is memory-mapped. */
const cacheSize = 2

export function openSnapshot({ path, identity }: NamedFile, statements: FileStatements): FileSnapshot {
  assertSameFile(path, identity)
  const database = connect(path, true, { cacheSize })
  // A sort of a million rows belongs on the disk.
  database.exec('pragma temp_store = file; begin')
  return readSnapshot(database, statements)
}

/** The caller has begun a transaction. */
export function readSnapshot(database: DatabaseSync, { count, rows }: FileStatements) {
  const version = Number(database.prepare('select plan_version from state').get()?.plan_version)
  const total = Number(Object.values(database.prepare(count.text).get(...count.values) ?? {})[0])
  return { version, total, batches: inBatches(database, rows) }
}

function* inBatches(
  database: DatabaseSync,
  { text, values }: FileStatements['rows'],
): Generator<readonly string[]> {
  const prepared = database.prepare(text, { returnArrays: true })
  let batch: string[] = []
  let size = firstBatch
  for (const row of prepared.iterate(...values)) {
    batch.push(String((row as unknown as readonly unknown[])[0]))
    if (batch.length < size) continue
    yield batch
    batch = []
    size = laterBatch
  }
  yield batch
}
