/**
 * Keeps the text indexes of one collection, of trigrams and of words, like its rows. Changes are collected and written
 * before the transaction ends, because FTS5 writes a part of an index whenever it flushes its buffer.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type IndexedWords, indexedWords } from '../../../search/indexed-words.ts'
import type { Table, WordIndex } from '../../layout/tables.ts'
import { fillText, optimizeText, padding, quote, refreshCounts } from '../layout/ddl.ts'
import { lengthsName, wordColumns } from '../layout/word-ddl.ts'

/** The values of the columns that the indexes are made from; null: the row is not in them. */
type Texts = readonly (string | null)[]

interface Trigrams {
  /** The places of its columns among the texts. */
  readonly text: number
  readonly folded: number
  readonly add: StatementSync
  readonly remove: StatementSync
}

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
  /** Reads the texts of a row once for all indexes. */
  readonly #texts: StatementSync | null
  readonly #trigrams: readonly Trigrams[]
  readonly #fields: readonly number[]
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
    this.#fields = fields.map(({ text }) => columns.indexOf(text))
    const listed = columns.map(({ name }) => quote(name)).join(', ')
    this.#texts =
      columns.length === 0
        ? null
        : database.prepare(`select ${listed} from ${quote(table.name)} where id = ?`, { returnArrays: true })
    // Inserts values, never from a select: for that SQLite opens a statement journal, before which all text indexes
    // flush their buffers, which would write a segment per row.
    this.#trigrams = texts.map(({ name, text, folded }) => ({
      text: columns.indexOf(text),
      folded: columns.indexOf(folded),
      add: database.prepare(`insert into ${quote(name)} (rowid, t) values (?, ?)`),
      remove: database.prepare(
        `insert into ${quote(name)} (${quote(name)}, rowid, t) values ('delete', ?, ?)`,
      ),
    }))
    this.#words = words === null ? null : new WordWriter(database, table, words)
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
      for (const trigrams of this.#trigrams) {
        const [old, text] = [indexedText(before, trigrams), indexedText(now, trigrams)]
        if (old === text) continue
        if (old !== null) trigrams.remove.run(id, old)
        if (text !== null) trigrams.add.run(id, text)
      }
      this.#words?.replace(id, this.#fieldsOf(before), this.#fieldsOf(now))
    }
    this.#changed.clear()
  }

  /** Fill the empty indexes from all rows, one after the other. */
  get filling(): readonly Step[] {
    const [database, table, words] = [this.#database, this.#table, this.#words]
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
      ...(words === null
        ? []
        : [(after: number) => words.fill(after), once(() => database.exec(optimizeText(words.index)))]),
    ]
  }

  refreshCounts(): void {
    for (const text of this.#table.texts) this.#database.exec(refreshCounts(text))
  }

  #textsOf(id: number): Texts | null {
    return (this.#texts?.get(id) ?? null) as Texts | null
  }

  #fieldsOf(texts: Texts | null): Texts | null {
    return texts === null ? null : this.#fields.map((place) => texts[place] ?? null)
  }
}

/** As `fillText` in SQL. Without a folded text, `toLowerCase` changes only ASCII, as folding does. */
function indexedText(texts: Texts | null, { text, folded }: Trigrams): string | null {
  const indexed = texts?.[folded] ?? texts?.[text]?.toLowerCase() ?? null
  return indexed === null ? null : indexed + padding
}

/** Writes the word index. Entries are removed by the texts that they were made from, which are given by field. */
class WordWriter {
  readonly index: WordIndex
  readonly #rows: StatementSync
  readonly #add: StatementSync
  readonly #remove: StatementSync
  readonly #addLength: StatementSync
  readonly #removeLength: StatementSync

  constructor(database: DatabaseSync, table: Table, index: WordIndex) {
    this.index = index
    const [name, lengths] = [quote(index.name), quote(lengthsName(index))]
    const texts = index.fields.map(({ text }) => quote(text.name)).join(', ')
    this.#rows = database.prepare(
      `select id, ${texts} from ${quote(table.name)} where id > ? order by id limit ?`,
      { returnArrays: true },
    )
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
  replace(id: number, before: Texts | null, now: Texts | null): void {
    if (before !== null) {
      this.#remove.run(id, ...entryOf(this.#wordsOf(before)))
      this.#removeLength.run(id)
    }
    if (now !== null) this.#insert(id, now)
  }

  /** Adds some rows after an id at once; returns the last of them, or null when there are no more. */
  fill(after: number): number | null {
    const found = this.#rows.all(after, rowsAtOnce) as unknown as readonly (readonly [number, ...Texts])[]
    for (const [id, ...texts] of found) this.#insert(id, texts)
    return found.length < rowsAtOnce ? null : (found.at(-1)?.[0] ?? null)
  }

  #insert(id: number, texts: Texts): void {
    const words = this.#wordsOf(texts)
    this.#add.run(id, ...entryOf(words))
    this.#addLength.run(id, words.length)
  }

  #wordsOf(texts: Texts): IndexedWords {
    return indexedWords(
      texts,
      this.index.fields.map(({ weight }) => weight),
    )
  }
}

function entryOf({ fields, marks }: IndexedWords): readonly string[] {
  return [...fields, marks].map((words) => words.join(' '))
}
