/** The thread beside a load: builds trigram indexes of its own from records, and hands out what they are made of. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { foldText } from '../../util/fold.ts'
import type { ColumnValue } from '../database.ts'
import { valueAt } from '../derive.ts'
import type { Table } from '../tables.ts'
import { createTextIndexes, optimizeText, padding, quote, refreshCounts } from './ddl.ts'
import type { TextAnswer, TextRequest } from './load-texts.ts'

const tables = workerData as readonly Table[]
/** Bytes of an answer, roughly. */
const answered = 1 << 20

// Without a name it is a file that goes with the connection, and is written only when memory does not do.
const database = new DatabaseSync('')
database.exec('pragma page_size = 8192; pragma journal_mode = off; pragma cache_size = -65536; begin')
const writers = tables.map((table) => {
  database.exec(createTextIndexes(table))
  return table.texts.map(({ name, path }) => ({
    path,
    add: database.prepare(`insert into ${quote(name)} (rowid, t) values (?, ?)`),
  }))
})
const readings = new Map<string, Iterator<unknown>>()

parentPort?.on('message', (request: TextRequest) => parentPort?.postMessage(answer(request)))

function answer(request: TextRequest): TextAnswer {
  switch (request.kind) {
    case 'add':
      addTexts(writers[request.table] ?? [], request.ids, request.records)
      return []
    case 'finish':
      for (const text of tables[request.table]?.texts ?? [])
        database.exec(`${optimizeText(text)} ${refreshCounts(text)}`)
      return []
    case 'read':
      return nextRows(request.name)
  }
}

interface TextWriter {
  readonly path: readonly string[]
  readonly add: StatementSync
}

/**
 * As the statement that fills an index from its table has them. One index after the other: what each gathers
 * has just room in the processor's cache.
 */
function addTexts(texts: readonly TextWriter[], ids: readonly number[], records: readonly string[]): void {
  const values = records.map((json) => JSON.parse(json) as object)
  for (const { path, add } of texts) {
    for (const [index, value] of values.entries()) {
      const text = valueAt(value, path)
      if (typeof text === 'string') add.run(ids[index] as number, foldText(text) + padding)
    }
  }
}

function nextRows(name: string): TextAnswer {
  const reading = readings.get(name) ?? readAll(name)
  readings.set(name, reading)
  const rows: (readonly ColumnValue[])[] = []
  for (let size = 0; size < answered; ) {
    const next = reading.next()
    if (next.done === true) break
    const row = next.value as readonly ColumnValue[]
    rows.push(row)
    for (const value of row) size += value instanceof Uint8Array ? value.length + 8 : 16
  }
  return rows
}

function readAll(name: string): Iterator<unknown> {
  const select = database.prepare(`select * from ${quote(name)}`)
  select.setReturnArrays(true)
  return select.iterate()
}
