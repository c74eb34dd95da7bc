/**
 * Keeps the text indexes of one collection, of trigrams and of words, like its rows. Changes are collected and written
 * before the transaction ends, because FTS5 writes a part of an index whenever it flushes its buffer.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Table } from '../../layout/tables.ts'
import { fillText, optimizeText, padding, quote, refreshCounts } from '../layout/ddl.ts'
import { type FieldTexts, WordWriter } from './word-writer.ts'

/** The values of the columns that the indexes are made from; null: the row is not in them. */
type Texts = readonly (string | null)[]

/** The places of a trigram index's columns among them. */
interface Places {
  readonly text: number
  readonly folded: number
}

export class TextWriter {
  readonly #database: DatabaseSync
  readonly #table: Table
  /** Reads the texts of a row once for all indexes. */
  readonly #texts: StatementSync | null
  readonly #trigrams: readonly Places[]
  readonly #fields: readonly number[]
  readonly #addTrigrams: readonly StatementSync[]
  readonly #removeTrigrams: readonly StatementSync[]
  readonly #words: WordWriter | null
  /** Rows that this transaction has added, changed or removed, as the indexes have them. */
  readonly #changed = new Map<number, Texts | null>()

  constructor(database: DatabaseSync, table: Table) {
    this.#database = database
    this.#table = table
    const { texts, words } = table
    const fields = words?.fields ?? []
    const columns = [
      ...new Set([...texts.flatMap((each) => [each.text, each.folded]), ...fields.map((each) => each.text)]),
    ]
    this.#trigrams = texts.map(({ text, folded }) => ({
      text: columns.indexOf(text),
      folded: columns.indexOf(folded),
    }))
    this.#fields = fields.map(({ text }) => columns.indexOf(text))
    const listed = columns.map(({ name }) => quote(name)).join(', ')
    this.#texts =
      columns.length === 0
        ? null
        : database.prepare(`select ${listed} from ${quote(table.name)} where id = ?`, { returnArrays: true })
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
      if (before !== null && now !== null && before.every((text, column) => text === now[column])) continue
      for (const [index, add] of this.#addTrigrams.entries()) {
        const [old, text] = [this.#indexedText(before, index), this.#indexedText(now, index)]
        if (old === text) continue
        if (old !== null) this.#removeTrigrams[index]?.run(id, old)
        if (text !== null) add.run(id, text)
      }
      this.#words?.replace(id, this.#fieldsOf(before), this.#fieldsOf(now))
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

  #textsOf(id: number): Texts | null {
    return (this.#texts?.get(id) ?? null) as Texts | null
  }

  /**
   * The same as `indexedText` in SQL. Where no folded text is stored, `toLowerCase` changes ASCII letters alone: any other
   * change would be one of folding too.
   */
  #indexedText(texts: Texts | null, index: number): string | null {
    const { text, folded } = this.#trigrams[index] as Places
    const indexed = texts?.[folded] ?? texts?.[text]?.toLowerCase() ?? null
    return indexed === null ? null : indexed + padding
  }

  #fieldsOf(texts: Texts | null): FieldTexts | null {
    return texts === null ? null : this.#fields.map((place) => texts[place] ?? null)
  }
}
