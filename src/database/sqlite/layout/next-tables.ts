/**
 * Fills the next generation of tables from the rows of the old ones, then from rows that changed meanwhile. Records
 * that do not fit the lexicons are noted, and stay in place until the rebuild ends.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { RecordCheck } from '../../database.ts'
import { repoCollectionsWhere, withheld } from '../../metadata/rebuild.ts'
import type { RowKey } from '../../metadata/steps.ts'
import { rowOf, storedRecord } from '../../stored-record.ts'
import type { Table } from '../../layout/tables.ts'
import { quote } from './ddl.ts'
import { nextTables } from './generations.ts'
import type { RebuildPart } from './rebuild-state.ts'
import { TableWriter } from '../write/table-writer.ts'
import { once } from '../write/text-writer.ts'

/** Milliseconds after which a step commits, and rows that are read at once. */
const stepTime = 150
const rowsAtOnce = 200

/** `at`: null when the stage is over. */
type Stage = (part: RebuildPart) => { readonly at: number | null; readonly done: number }

interface Next {
  /** The table under its final name. */
  readonly table: Table
  readonly writer: TableWriter
  /** The last stage needs all collections to be complete. */
  readonly stages: readonly Stage[]
}

export class NextTables {
  readonly #database: DatabaseSync
  readonly #check: RecordCheck
  readonly #next: ReadonlyMap<string, Next>
  readonly #findBase: StatementSync
  readonly #refuse: StatementSync

  constructor(database: DatabaseSync, tables: readonly Table[], check: RecordCheck) {
    this.#database = database
    this.#check = check
    this.#findBase = database.prepare('select id from base where uri = ?', { readBigInts: true })
    this.#refuse = database.prepare(
      'insert or ignore into rebuild_refusal (nsid, base, rkey) values (?, ?, ?)',
    )
    const renamed = nextTables(tables)
    this.#next = new Map(
      tables.map((table, index) => {
        const next = renamed[index] as Table
        const writer = new TableWriter(database, next, (uri) => this.#base(uri), 'rebuild_part')
        return [table.collection.nsid, { table, writer, stages: this.#stages(table, writer) }]
      }),
    )
  }

  /** Drops cached state after another connection has written. */
  refresh(): void {
    for (const { writer } of this.#next.values()) writer.refresh()
  }

  /** The part to work on next; null when all parts are done, except for later changes. */
  findPart(parts: readonly RebuildPart[]): RebuildPart | null {
    const left = ({ nsid, stage }: RebuildPart): number => (this.#next.get(nsid)?.stages.length ?? 0) - stage
    return parts.find((part) => left(part) > 1) ?? parts.find((part) => left(part) > 0) ?? null
  }

  isComplete({ nsid, stage }: RebuildPart): boolean {
    return stage >= (this.#next.get(nsid)?.stages.length ?? 0) - 1
  }

  /** Returns the new state of the part. */
  work(part: RebuildPart): RebuildPart {
    const stage = this.#next.get(part.nsid)?.stages[part.stage]
    if (stage === undefined) throw new Error(`${part.nsid} has no stage ${part.stage}.`)
    const { at, done } = stage(part)
    return at === null ? { ...part, done, stage: part.stage + 1, at: 0 } : { ...part, done, at }
  }

  /** Applies some recorded changes of records; returns their number. */
  catchUp(parts: readonly RebuildPart[], limit: number): number {
    const changes = this.#database
      .prepare('select n, former, base, rkey from rebuild_change order by n limit ?', { readBigInts: true })
      .all(limit)
    const done = this.#database.prepare('delete from rebuild_change where n = ?')
    for (const { n, former, base, rkey } of changes) {
      const part = parts.find((one) => one.former === former)
      const next = part === undefined ? undefined : this.#next.get(part.nsid)
      if (part !== undefined && next !== undefined)
        this.#replace(part, next, { base: base as bigint, rkey: String(rkey) })
      done.run(n as bigint)
    }
    this.#settle()
    return changes.length
  }

  /** Removes rows that must not be visible: those of hidden accounts, and `hidden` records. */
  removeWithheld(hidden: readonly RowKey[]): void {
    for (const { writer } of this.#next.values()) {
      const find = `select id from ${quote(writer.table.name)} where base in (${repoCollectionsWhere(withheld)})`
      for (const { id } of this.#database.prepare(find, { readBigInts: true }).all())
        writer.remove({ id: id as bigint })
      for (const row of hidden.flatMap((key) => writer.find(key) ?? [])) writer.remove(row)
    }
    this.#settle()
  }

  #stages(table: Table, writer: TableWriter): readonly Stage[] {
    const completeOrder = once(() => {
      writer.completeOrder()
      writer.refresh()
    })
    const steps = [completeOrder, ...writer.building, once(() => writer.fillSums())]
    return [
      (part) => this.#copyRows(table, writer, part),
      ...steps.map(
        (step): Stage =>
          ({ at, done }) => ({ at: step(at), done }),
      ),
    ]
  }

  #copyRows(table: Table, writer: TableWriter, part: RebuildPart): ReturnType<Stage> {
    let { at, done } = part
    let isOver = part.former === null
    const read = part.former === null ? null : this.#prepareOld(part.former, 't.id > ? order by t.id limit ?')
    const end = performance.now() + stepTime
    writer.bulk = true
    while (!isOver && performance.now() < end) {
      const rows = read?.all(at, rowsAtOnce) ?? []
      for (const row of rows) {
        const record = storedRecord(table, row, this.#check)
        if (record.kind === 'put') writer.insert(rowOf(record, row.base as bigint))
        else this.#refuse.run(part.nsid, row.base as bigint, row.rkey as string)
      }
      at = Number(rows.at(-1)?.id ?? at)
      done += rows.length
      isOver = rows.length < rowsAtOnce
    }
    writer.bulk = false
    writer.keepOrder()
    return { at: isOver ? null : at, done }
  }

  #replace({ nsid, former }: RebuildPart, { table, writer }: Next, key: RowKey): void {
    const { base, rkey } = key
    const old = this.#prepareOld(former as string, 't.base = ? and t.rkey = ?').get(base, rkey)
    const record = old === undefined ? null : storedRecord(table, old, this.#check)
    const forget = 'delete from rebuild_refusal where nsid = ? and base = ? and rkey = ?'
    this.#database.prepare(forget).run(nsid, base, rkey)
    if (record?.kind === 'reject') this.#refuse.run(nsid, base, rkey)
    if (record?.kind === 'put') return writer.put(rowOf(record, base))
    const known = writer.find(key)
    if (known !== undefined) writer.remove(known)
  }

  /** Like the writer at the end of a transaction. */
  #settle(): void {
    const writers = [...this.#next.values()].map(({ writer }) => writer)
    TableWriter.complete(writers)
    for (const writer of writers) writer.refreshCounts()
  }

  #prepareOld(former: string, where: string): StatementSync {
    return this.#database.prepare(`${selectStored(former)} where ${where}`, { readBigInts: true })
  }

  #base(uri: string): bigint {
    const known = this.#findBase.get(uri)
    if (known !== undefined) return known.id as bigint
    const [, did = null, collection = null] = /^at:\/\/([^/]+)\/([^/]+)\/$/.exec(uri) ?? []
    const add = 'insert into base (uri, did, collection) values (?, ?, ?) returning id'
    return this.#database.prepare(add, { readBigInts: true }).get(uri, did, collection)?.id as bigint
  }
}

/** Selects the columns that records have had in every version of the schema. */
export function selectStored(table: string): string {
  return `select t.id, t.base, t.rkey, base.did, t.cid, t.rev, t.indexed_at, t.changed_at, json(t.record) as json
    from ${quote(table)} t join base on base.id = t.base`
}
