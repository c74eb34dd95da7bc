/**
 * Trigram indexes of a load, built in a thread of their own, because filling them takes longer than anything else that
 * a load does to the file. The thread has indexes of its own, laid out alike; what is in them is copied row by row in
 * the load's own transaction. It is told the texts as rows come in. Where those are not what the table has at the end (a
 * row has changed, ids were given anew), it begins again with what is read from the table.
 */
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { moduleBeside } from '../../util/module-beside.ts'
import type { ColumnValue } from '../database.ts'
import type { Table } from '../tables.ts'
import { createUnsetTextIndexes, dropTextIndexes, foldedText, listPart, quote } from './ddl.ts'

/** What the thread is asked, in turn; it answers each. */
export type TextRequest =
  | {
      readonly kind: 'add'
      readonly table: number
      readonly ids: readonly number[]
      /** For each of these rows, one for each of the table's trigram indexes. */
      readonly texts: Texts
    }
  /** What was added to that table's indexes is not so. */
  | { readonly kind: 'restart'; readonly table: number }
  /** No rows of that table will follow. */
  | { readonly kind: 'finish'; readonly table: number }
  /** The next rows of a table that an index is made of. */
  | { readonly kind: 'read'; readonly name: string }

/** Rows that were asked for; none when all have been read. */
export type TextAnswer = readonly (readonly ColumnValue[])[]

/** Folded but for ASCII letters. */
type Texts = readonly (string | null)[]

/** Characters of records that are sent at once, and how many such groups may wait for the thread. */
const sentAtOnce = 1 << 20
const mostWaiting = 16
/** A thread takes longer to start than so few characters to be indexed. */
const worthAThread = 4 << 20

/** What one table gathers for the thread. */
export class TextGatherer {
  readonly table: Table
  readonly #onAdd: (characters: number) => void
  #isComplete: boolean
  #ids: number[] = []
  #texts: (string | null)[] = []

  constructor(table: Table, onAdd: (characters: number) => void) {
    this.table = table
    this.#onAdd = onAdd
    // Text that is kept in a column of its own may be cut there.
    this.#isComplete = table.texts.length > 0 && table.texts.every(({ text }) => text.virtual)
  }

  /** Whether the thread has, or will have, every row as it is. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** `characters`: of its record. */
  add(id: number, texts: Texts, characters: number): void {
    this.#ids.push(id)
    for (const text of texts) this.#texts.push(text)
    this.#onAdd(characters)
  }

  abandon(): void {
    this.#isComplete = false
    this.take()
  }

  restart(): void {
    this.#isComplete = true
  }

  take(): { readonly ids: readonly number[]; readonly texts: Texts } {
    const taken = { ids: this.#ids, texts: this.#texts }
    this.#ids = []
    this.#texts = []
    return taken
  }
}

export class LoadTexts implements AsyncDisposable {
  readonly #tables: readonly Table[]
  readonly #gatherers: readonly TextGatherer[]
  /** Characters that are not sent yet. */
  #gathered = 0
  #thread: TextThread | null = null
  #waiting: Promise<unknown>[] = []

  constructor(tables: readonly Table[]) {
    const onAdd = (characters: number): void => {
      this.#gathered += characters
    }
    this.#tables = tables
    this.#gatherers = tables.map((table) => new TextGatherer(table, onAdd))
  }

  gatherer(table: Table): TextGatherer | null {
    return this.#gatherers.find((one) => one.table === table) ?? null
  }

  /** Between batches: hands on what is there, and waits while the thread has plenty. */
  async send(): Promise<void> {
    if (this.#gathered < (this.#thread === null ? worthAThread : sentAtOnce)) return
    this.#thread ??= new TextThread(this.#tables)
    this.#sendGathered(this.#thread)
    await Promise.all(this.#waiting.splice(0, this.#waiting.length - mostWaiting))
  }

  /** All rows are in place, under the ids that they keep. */
  async end(database: DatabaseSync): Promise<void> {
    const thread = this.#thread
    if (thread === null) {
      for (const gatherer of this.#gatherers) gatherer.abandon()
      return
    }
    this.#sendGathered(thread)
    for (const [table, gatherer] of this.#gatherers.entries()) {
      if (!gatherer.isComplete) await this.#addAnew(thread, table, gatherer, database)
      this.#wait(thread.ask({ kind: 'finish', table }))
    }
  }

  /** Takes over, for every table that is complete, what the thread has built. */
  async copyTo(database: DatabaseSync): Promise<void> {
    const thread = this.#thread
    if (thread === null) return
    await Promise.all(this.#waiting.splice(0))
    for (const { isComplete, table } of this.#gatherers)
      if (isComplete) await copyTexts(thread, table, database)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.end()
  }

  #sendGathered(thread: TextThread): void {
    this.#gathered = 0
    for (const [table, gatherer] of this.#gatherers.entries()) {
      const { ids, texts } = gatherer.take()
      if (ids.length > 0) this.#wait(thread.ask({ kind: 'add', table, ids, texts }))
    }
  }

  async #addAnew(
    thread: TextThread,
    number: number,
    gatherer: TextGatherer,
    database: DatabaseSync,
  ): Promise<void> {
    const { table } = gatherer
    if (table.texts.length === 0) return
    this.#wait(thread.ask({ kind: 'restart', table: number }))
    gatherer.restart()
    const rows = database.prepare(
      `select id, ${table.texts.map(foldedText).join(', ')} from ${quote(table.name)} order by id`,
    )
    rows.setReturnArrays(true)
    for (const row of rows.iterate() as Iterable<unknown>) {
      const [id, ...texts] = row as [number, ...Texts]
      gatherer.add(
        id,
        texts,
        texts.reduce((sum, text) => sum + (text?.length ?? 0), 0),
      )
      await this.send()
    }
    this.#sendGathered(thread)
  }

  #wait(answer: Promise<unknown>): void {
    // Its failure is told to whoever waits for it, later.
    answer.catch(() => undefined)
    this.#waiting.push(answer)
  }
}

/** The tables that the trigram index of this name is made of, with its counts. */
const partsOf = (name: string): readonly (readonly [table: string, columns: string])[] => [
  [`${name}_data`, 'id, block'],
  [`${name}_idx`, 'segid, term, pgno'],
  [`${name}/counts`, 'term, records'],
]

async function copyTexts(thread: TextThread, table: Table, database: DatabaseSync): Promise<void> {
  // Laid out anew, so that the engine has nothing in memory of what is about to be written beneath it.
  database.exec(dropTextIndexes(table))
  database.exec(createUnsetTextIndexes(table))
  // The engine guards what its extensions keep.
  database.enableDefensive(false)
  try {
    for (const { name } of table.texts)
      database.prepare(`insert into ${quote(`${name}_config`)} values ('pgsz', ?)`).run(BigInt(listPart))
    for (const [name, columns] of table.texts.flatMap((text) => partsOf(text.name))) {
      database.exec(`delete from ${quote(name)}`)
      const places = columns.replaceAll(/\w+/g, '?')
      const add = database.prepare(`insert into ${quote(name)} (${columns}) values (${places})`)
      for (;;) {
        const rows = await thread.ask({ kind: 'read', name })
        if (rows.length === 0) break
        for (const row of rows) add.run(...row)
      }
    }
  } finally {
    database.enableDefensive(true)
  }
}

class TextThread {
  readonly #worker: Worker
  readonly #asked: PromiseWithResolvers<TextAnswer>[] = []
  #failure: unknown

  constructor(tables: readonly Table[]) {
    this.#worker = new Worker(moduleBeside(import.meta.url, 'load-texts-worker'), { workerData: tables })
    this.#worker.on('message', (answer: TextAnswer) => this.#asked.shift()?.resolve(answer))
    this.#worker.on('error', (cause) => this.#fail(cause))
    this.#worker.on('exit', () => this.#fail(new Error('The thread that builds trigram indexes has ended.')))
  }

  async ask(request: TextRequest): Promise<TextAnswer> {
    if (this.#failure !== undefined) throw this.#failure
    const asked = Promise.withResolvers<TextAnswer>()
    this.#asked.push(asked)
    this.#worker.postMessage(request)
    return asked.promise
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #fail(cause: unknown): void {
    this.#failure ??= cause
    for (const asked of this.#asked.splice(0)) asked.reject(cause)
  }
}
