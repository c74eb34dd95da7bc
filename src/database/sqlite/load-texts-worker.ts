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
/** One group of so many is indexed as it comes, so that this thread is not the last to be done. */
const groupsKept = 6
/** What an index gathers is merged once, at the end, unless there is more than this; it can have 2,000. */
const mostSegments = 1_000

// Without a name it is a file that goes with the connection, and is written only when memory does not do.
const database = new DatabaseSync('')
database.exec('pragma page_size = 8192; pragma journal_mode = off; pragma cache_size = -65536; begin')
const gatherings = tables.map((table) => {
  database.exec(createTextIndexes(table))
  return table.texts.map(({ name, path }) => {
    const [index, gathered] = [quote(name), quote(`${name}/gathered`)]
    database.exec(`
      insert into ${index} (${index}, rank) values ('automerge', 0), ('crisismerge', ${mostSegments});
      create table ${gathered} (id integer primary key, t text not null)`)
    return {
      name,
      gathered,
      path,
      keep: database.prepare(`insert into ${gathered} values (?, ?)`),
      index: database.prepare(`insert into ${index} (rowid, t) values (?, ?)`),
    }
  })
})
/** How many groups of rows have come. */
let groups = 0
const readings = new Map<string, Iterator<unknown>>()

parentPort?.on('message', (request: TextRequest) => parentPort?.postMessage(answer(request)))

function answer(request: TextRequest): TextAnswer {
  switch (request.kind) {
    case 'add':
      gather(gatherings[request.table] ?? [], request.ids, request.records)
      return []
    case 'finish':
      for (const gathering of gatherings[request.table] ?? []) fill(gathering)
      return []
    case 'read':
      return nextRows(request.name)
  }
}

interface Gathering {
  /** Of the index. */
  readonly name: string
  /** The table of its texts, quoted. */
  readonly gathered: string
  readonly path: readonly string[]
  readonly keep: StatementSync
  readonly index: StatementSync
}

function gather(gathering: readonly Gathering[], ids: readonly number[], records: readonly string[]): void {
  groups += 1
  const isIndexed = groups % groupsKept === 1
  const values = records.map((json) => JSON.parse(json) as object)
  for (const { path, keep, index } of gathering) {
    const add = isIndexed ? index : keep
    for (const [at, value] of values.entries()) {
      const text = valueAt(value, path)
      // As the statement that fills an index from its table has it.
      if (typeof text === 'string') add.run(ids[at] as number, foldText(text) + padding)
    }
  }
}

/** One index after the other: what each gathers has just room in the processor's cache. */
function fill({ name, gathered }: Gathering): void {
  database.exec(`
    insert into ${quote(name)} (rowid, t) select id, t from ${gathered} order by id;
    drop table ${gathered};
    ${optimizeText({ name })}
    ${refreshCounts({ name })}`)
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
