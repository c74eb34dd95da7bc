/** The thread beside a load: builds trigram indexes of its own from texts, and hands out what they are made of. */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { ColumnValue } from '../database.ts'
import type { Table } from '../tables.ts'
import { createUnsetTextIndexes, dropTextIndexes, quote } from './ddl.ts'
import type { TextAnswer, TextRequest } from './load-texts.ts'
import { TrigramIndex } from './trigram-index.ts'

const tables = workerData as readonly Table[]
/** Bytes of an answer, roughly. */
const answered = 1 << 20
/** Bytes that all lists together may take in memory. */
const mostGathered = 96 << 20

// Without a name it is a file that goes with the connection, and is written only when memory does not do.
const database = new DatabaseSync('')
database.exec('pragma page_size = 8192; pragma journal_mode = off; pragma cache_size = -65536; begin')
database.enableDefensive(false)
const indexes = tables.map((table) => layOut(table))
const readings = new Map<string, Iterator<unknown>>()

parentPort?.on('message', (request: TextRequest) => parentPort?.postMessage(answer(request)))

function answer(request: TextRequest): TextAnswer {
  switch (request.kind) {
    case 'add':
      add(request)
      return []
    case 'restart':
      indexes[request.table] = layOutAnew(tables[request.table] as Table)
      return []
    case 'finish':
      for (const index of indexes[request.table] ?? []) index.complete()
      return []
    case 'read':
      return nextRows(request.name)
  }
}

function layOut(table: Table): readonly TrigramIndex[] {
  database.exec(createUnsetTextIndexes(table))
  return table.texts.map(({ name }) => new TrigramIndex(database, name))
}

function layOutAnew(table: Table): readonly TrigramIndex[] {
  database.exec(dropTextIndexes(table))
  return layOut(table)
}

/** One index after the other: what each gathers has just room in the processor's cache. */
function add({ table, ids, texts }: Extract<TextRequest, { readonly kind: 'add' }>): void {
  const ofTable = indexes[table] ?? []
  for (const [at, index] of ofTable.entries())
    for (const [row, id] of ids.entries()) {
      const text = texts[row * ofTable.length + at]
      if (typeof text === 'string') index.add(id, text)
    }
  const all = indexes.flat()
  if (all.reduce((sum, { bytes }) => sum + bytes, 0) < mostGathered) return
  all.reduce((largest, index) => (index.bytes > largest.bytes ? index : largest)).writeSegment()
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
  // What is an integer is handed on as one.
  select.setReadBigInts(true)
  return select.iterate()
}
