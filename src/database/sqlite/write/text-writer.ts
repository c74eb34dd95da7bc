/**
 * Keeps the text indexes of one collection, of trigrams and of words, like its rows. Changes are collected and written
 * before the transaction ends, because FTS5 writes a part of an index whenever it flushes its buffer.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { indexedWords } from '../../../search/indexed-words.ts'
import type { Column, Table, WordIndex } from '../../layout/tables.ts'
import { fillText, optimizeText, padding, quote, refreshCounts } from '../layout/ddl.ts'
import { lengthsName, wordColumns } from '../layout/word-ddl.ts'

/** The values of the columns that the indexes are made from; null: the row is not in them. */
type Texts = readonly (string | null)[]

/** Does a part of some work, after an id. Returns an id up to which all is done, or null when there is no more. */
export type Step = (after: number) => number | null

/** A step that is the whole work. */
export function once(work: () => void): Step {
  return () => {
    work()
    return null
  }
}

/** Rows that are added at once while an index is filled. */
const rowsAtOnce = 5_000

export class TextWriter {
  readonly #database: DatabaseSync
  readonly #table: Table
  readonly #columns: readonly Column[]
  /** Reads the texts of a row once for all indexes. */
  readonly #texts: StatementSync | null
  readonly #trigrams: readonly IndexWriter[]
  readonly #words: IndexWriter | null
  /** Rows that this transaction has added, changed or removed, as the indexes have them. */
  readonly #changed = new Map<number, Texts | null>()

  constructor(database: DatabaseSync, table: Table) {
    this.#database = database
    this.#table = table
    const { texts, words } = table
    const searched = words?.fields.map(({ text }) => text) ?? []
    const columns = [...new Set([...texts.flatMap(({ text, folded }) => [text, folded]), ...searched])]
    this.#columns = columns
    const listed = columns.map(({ name }) => quote(name)).join(', ')
    this.#texts =
      columns.length === 0
        ? null
        : database.prepare(`select ${listed} from ${quote(table.name)} where id = ?`, { returnArrays: true })
    this.#trigrams = texts.map(({ name, text, folded }) => {
      const [textAt, foldedAt] = [columns.indexOf(text), columns.indexOf(folded)]
      const entryOf = (row: Texts): Entry | null => trigramEntry(row[textAt] ?? null, row[foldedAt] ?? null)
      return createIndexWriter(database, name, ['t'], entryOf)
    })
    this.#words = words && createWordWriter(database, words, columns)
  }

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
      for (const trigrams of this.#trigrams) trigrams.replace(id, before, now)
      this.#words?.replace(id, before, now)
    }
    this.#changed.clear()
  }

  /** Fill the empty indexes from all rows, one after the other. */
  get filling(): readonly Step[] {
    const [database, table, writer] = [this.#database, this.#table, this.#words]
    const { words } = table
    const last = database.prepare(`select max(id) as id from ${quote(table.name)}`)
    return [
      ...table.texts.flatMap((text) => [
        (after: number) => {
          const to = after + rowsAtOnce
          database.prepare(fillText(table, text)).run(after, to)
          return to < Number(last.get()?.id) ? to : null
        },
        once(() => database.exec(`${optimizeText(text)} ${refreshCounts(text)}`)),
      ]),
      ...(words === null || writer === null
        ? []
        : [this.#fillWords(words, writer), once(() => database.exec(optimizeText(words)))]),
    ]
  }

  refreshCounts(): void {
    for (const text of this.#table.texts) this.#database.exec(refreshCounts(text))
  }

  #textsOf(id: number): Texts | null {
    return (this.#texts?.get(id) ?? null) as Texts | null
  }

  #fillWords({ fields }: WordIndex, writer: IndexWriter): Step {
    const searched = new Set(fields.map(({ text }) => text))
    const listed = this.#columns.map((column) => (searched.has(column) ? quote(column.name) : 'null'))
    const some = this.#database.prepare(
      `select id, ${listed.join(', ')} from ${quote(this.#table.name)} where id > ? order by id limit ?`,
      { returnArrays: true },
    )
    return (after) => {
      const rows = some.all(after, rowsAtOnce) as unknown as readonly (readonly [number, ...Texts])[]
      for (const [id, ...texts] of rows) writer.replace(id, null, texts)
      return rows.length < rowsAtOnce ? null : (rows.at(-1)?.[0] ?? null)
    }
  }
}

/** What an index has of a row. */
interface Entry {
  readonly values: readonly string[]
  /** The weighted number of words. */
  readonly length?: number
}

type IndexWriter = ReturnType<typeof createIndexWriter>

/**
 * Writes an FTS5 table, and one with the lengths of its entries. Entries are removed by the texts that they were made
 * from. Inserts values, never from a select: for that SQLite opens a statement journal, before which all text indexes
 * flush their buffers, which would write a segment per row.
 */
function createIndexWriter(
  database: DatabaseSync,
  index: string,
  columns: readonly string[],
  entryOf: (row: Texts) => Entry | null,
  lengths: string | null = null,
) {
  const [name, listed, values] = [quote(index), columns.join(', '), ', ?'.repeat(columns.length)]
  const add = database.prepare(`insert into ${name} (rowid, ${listed}) values (?${values})`)
  const remove = database.prepare(
    `insert into ${name} (${name}, rowid, ${listed}) values ('delete', ?${values})`,
  )
  const addLength = lengths === null ? null : database.prepare(`insert into ${quote(lengths)} values (?, ?)`)
  const removeLength =
    lengths === null ? null : database.prepare(`delete from ${quote(lengths)} where id = ?`)
  return {
    /** Null: the row is not in the index, or shall not be. */
    replace(id: number, before: Texts | null, now: Texts | null): void {
      const [old, entry] = [before && entryOf(before), now && entryOf(now)]
      if (old?.values.every((value, column) => value === entry?.values[column]) === true) return
      if (old !== null) {
        remove.run(id, ...old.values)
        removeLength?.run(id)
      }
      if (entry === null) return
      add.run(id, ...entry.values)
      addLength?.run(id, entry.length ?? null)
    },
  }
}

/** As `fillText` in SQL. Without a folded text, `toLowerCase` changes only ASCII, as folding does. */
function trigramEntry(text: string | null, folded: string | null): Entry | null {
  const indexed = folded ?? text?.toLowerCase() ?? null
  return indexed === null ? null : { values: [indexed + padding] }
}

function createWordWriter(database: DatabaseSync, index: WordIndex, columns: readonly Column[]): IndexWriter {
  const places = index.fields.map(({ text }) => columns.indexOf(text))
  const weights = index.fields.map(({ weight }) => weight)
  const entryOf = (row: Texts): Entry => {
    const texts = places.map((place) => row[place] ?? null)
    const { fields, marks, length } = indexedWords(texts, weights)
    return { values: [...fields, marks].map((words) => words.join(' ')), length }
  }
  return createIndexWriter(database, index.name, wordColumns(index), entryOf, lengthsName(index))
}
