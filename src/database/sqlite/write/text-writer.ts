/**
 * Keeps the text indexes of one collection, of trigrams and of words, like its rows. Changes are collected and written
 * before the transaction ends, because FTS5 writes a part of an index whenever it flushes its buffer.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Table } from '../../layout/tables.ts'
import { fillText, indexedText, optimizeText, quote, refreshCounts } from '../layout/ddl.ts'
import { type FieldTexts, WordWriter } from './word-writer.ts'

/** The texts of a row in the indexes; null: the row is not in them. */
interface Indexed {
  readonly trigrams: FieldTexts
  readonly words: FieldTexts
}

export class TextWriter {
  readonly #database: DatabaseSync
  readonly #table: Table
  readonly #trigrams: StatementSync | null
  readonly #addTrigrams: readonly StatementSync[]
  readonly #removeTrigrams: readonly StatementSync[]
  readonly #words: WordWriter | null
  /** Rows that this transaction has added, changed or removed, as the indexes have them. */
  readonly #changed = new Map<number, Indexed | null>()

  constructor(database: DatabaseSync, table: Table) {
    this.#database = database
    this.#table = table
    const { texts, words } = table
    this.#trigrams =
      texts.length === 0
        ? null
        : database.prepare(
            `select ${texts.map(indexedText).join(', ')} from ${quote(table.name)} where id = ?`,
          )
    this.#trigrams?.setReturnArrays(true)
    // Inserts values, never from a select: for that SQLite opens a statement journal, before which all text indexes
    // flush their buffers, which would write a segment per row.
    this.#addTrigrams = texts.map(({ name }) =>
      database.prepare(`insert into ${quote(name)} (rowid, t) values (?, ?)`),
    )
    this.#removeTrigrams = texts.map(({ name }) =>
      database.prepare(`insert into ${quote(name)} (${quote(name)}, rowid, t) values ('delete', ?, ?)`),
    )
    this.#words = words === null ? null : new WordWriter(database, table, words)
  }

  /** Number of rows whose changes are not written. */
  get pending(): number {
    return this.#changed.size
  }

  forget(): void {
    this.#changed.clear()
  }

  /** To be called after a row was added. */
  noteAdded(id: number): void {
    if (!this.#changed.has(id)) this.#changed.set(id, null)
  }

  /** To be called before a row changes or is removed. */
  noteChange(id: number): void {
    if (!this.#changed.has(id)) this.#changed.set(id, this.#textsOf(id))
  }

  /** In order of ids: FTS5 flushes its buffer at an id that is lower than the last. */
  write(): void {
    for (const id of [...this.#changed.keys()].sort((a, b) => a - b)) {
      const [before, now] = [this.#changed.get(id) ?? null, this.#textsOf(id)]
      for (const [index, add] of this.#addTrigrams.entries()) {
        const [old, text] = [before?.trigrams[index] ?? null, now?.trigrams[index] ?? null]
        if (old === text) continue
        if (old !== null) this.#removeTrigrams[index]?.run(id, old)
        if (text !== null) add.run(id, text)
      }
      this.#words?.replace(id, before?.words ?? null, now?.words ?? null)
    }
    this.#changed.clear()
  }

  /** Fills the empty indexes from all rows. */
  fill(): void {
    for (const text of this.#table.texts) {
      this.#database.prepare(fillText(this.#table, text)).run()
      this.#database.exec(optimizeText(text))
    }
    this.#words?.fillAll()
    this.refreshCounts()
  }

  refreshCounts(): void {
    for (const text of this.#table.texts) this.#database.exec(refreshCounts(text))
  }

  #textsOf(id: number): Indexed | null {
    const trigrams = (this.#trigrams?.get(id) ?? null) as FieldTexts | null
    return trigrams === null ? null : { trigrams, words: this.#words?.textsOf(id) ?? [] }
  }
}
