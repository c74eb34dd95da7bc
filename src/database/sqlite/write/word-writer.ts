/** Writes the word index of one collection. Entries are removed by the texts that they were made from. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type IndexedWords, indexedWords } from '../../../search/indexed-words.ts'
import type { Table, WordIndex } from '../../layout/tables.ts'
import { optimizeText, quote } from '../layout/ddl.ts'
import { lengthsName, wordColumns } from '../layout/word-ddl.ts'

/** Texts of a row, by field. */
export type FieldTexts = readonly (string | null)[]

/** Rows that are read at once while an index is filled. */
const rowsAtOnce = 5_000

export class WordWriter {
  readonly #database: DatabaseSync
  readonly #table: Table
  readonly index: WordIndex
  readonly #add: StatementSync
  readonly #remove: StatementSync
  readonly #addLength: StatementSync
  readonly #removeLength: StatementSync

  constructor(database: DatabaseSync, table: Table, index: WordIndex) {
    this.#database = database
    this.#table = table
    this.index = index
    const [name, lengths] = [quote(index.name), quote(lengthsName(index))]
    const columns = wordColumns(index)
    const values = ', ?'.repeat(columns.length)
    this.#add = database.prepare(`insert into ${name} (rowid, ${columns.join(', ')}) values (?${values})`)
    this.#remove = database.prepare(
      `insert into ${name} (${name}, rowid, ${columns.join(', ')}) values ('delete', ?${values})`,
    )
    this.#addLength = database.prepare(`insert into ${lengths} values (?, ?)`)
    this.#removeLength = database.prepare(`delete from ${lengths} where id = ?`)
  }

  /** Null: the row is not in the index, or shall not be. */
  replace(id: number, before: FieldTexts | null, now: FieldTexts | null): void {
    if (before !== null) {
      this.#remove.run(id, ...entryOf(this.#wordsOf(before)))
      this.#removeLength.run(id)
    }
    if (now !== null) this.#insert(id, now)
  }

  /** Adds the rows after an id, some at once; returns the last of them, or null when there are no more. */
  fill(after: number): number | null {
    const rows = this.#database.prepare(
      `select id, ${this.#columns()} from ${quote(this.#table.name)} where id > ? order by id limit ?`,
      { returnArrays: true },
    )
    const found = rows.all(after, rowsAtOnce) as unknown as readonly (readonly [number, ...FieldTexts])[]
    for (const [id, ...texts] of found) this.#insert(id, texts)
    return found.length < rowsAtOnce ? null : (found.at(-1)?.[0] ?? null)
  }

  /** Adds all rows to an empty index. */
  fillAll(): void {
    for (let after: number | null = 0; after !== null; ) after = this.fill(after)
    this.#database.exec(optimizeText(this.index))
  }

  #insert(id: number, texts: FieldTexts): void {
    const words = this.#wordsOf(texts)
    this.#add.run(id, ...entryOf(words))
    this.#addLength.run(id, words.length)
  }

  #wordsOf(texts: FieldTexts): IndexedWords {
    return indexedWords(
      texts,
      this.index.fields.map(({ weight }) => weight),
    )
  }

  #columns(): string {
    return this.index.fields.map(({ text }) => quote(text.name)).join(', ')
  }
}

function entryOf({ fields, marks }: IndexedWords): readonly string[] {
  return [...fields, marks].map((words) => words.join(' '))
}
