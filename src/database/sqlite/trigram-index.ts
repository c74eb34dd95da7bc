/**
 * A trigram index that is built anew, in a database of whoever builds it: from texts in the order of their rows to
 * the rows of the tables that the engine keeps an index in.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { listPart, optimizeText, padding, quote } from './ddl.ts'
import { TrigramPostings } from './trigram-postings.ts'
import { SegmentWriter, segmentsRecord, totalsRecord } from './trigram-segment.ts'

/** Of what is in `_data` besides pages. */
const totalsId = 1
const segmentsId = 10
/** Where the engine leaves what it has made one, and where what it is to make one lies before. */
const mergedLevel = 2
const unmergedLevel = 1
/** What the engine puts before every term. */
const termMark = '0'

/** Its virtual tables are laid out, with nothing set or entered, and the engine's guard of their inner ones is down. */
export class TrigramIndex {
  readonly #database: DatabaseSync
  readonly #name: string
  readonly #postings = new TrigramPostings()
  /** Pages of each segment that is written. */
  readonly #segments: number[] = []
  #texts = 0
  #trigrams = 0
  readonly #addPage: StatementSync
  readonly #addEntry: StatementSync

  constructor(database: DatabaseSync, name: string) {
    this.#database = database
    this.#name = name
    const config = database.prepare(`insert into ${this.#part('_config')} values ('pgsz', ?)`)
    // The engine takes no other number for a size than an integer.
    config.run(BigInt(listPart))
    this.#addPage = database.prepare(`insert into ${this.#part('_data')} (id, block) values (?, ?)`)
    this.#addEntry = database.prepare(
      `insert into ${this.#part('_idx')} (segid, term, pgno) values (?, ?, ?)`,
    )
  }

  /** Of memory that its lists take. */
  get bytes(): number {
    return this.#postings.bytes
  }

  /** In the order of rows; ASCII letters may be as they are. */
  add(row: number, text: string): void {
    this.#texts += 1
    this.#trigrams += this.#postings.add(row, text + padding)
  }

  /** Frees memory; there are more of them when an index has more than that. */
  writeSegment(): void {
    const segment = this.#segments.length + 1
    const writer = new SegmentWriter(segment, listPart, {
      page: (id, block) => this.#addPage.run(id, block),
      entry: (term, flagged) => this.#addEntry.run(BigInt(segment), term, flagged),
    })
    const postings = this.#postings
    for (const term of postings.sorted()) {
      if (!postings.isListed(term)) continue
      writer.writeTerm(Buffer.from(termMark + postings.textOf(term)))
      postings.eachRow(term, (row) => writer.writeRow(row))
    }
    this.#segments.push(writer.finish())
    postings.takeOut()
  }

  /** All texts are entered. */
  complete(): void {
    if (this.#texts === 0) return
    if (this.bytes > 0) this.writeSegment()
    const level = this.#segments.length > 1 ? unmergedLevel : mergedLevel
    const set = this.#database.prepare(`update ${this.#part('_data')} set block = ? where id = ?`)
    set.run(totalsRecord(this.#texts, this.#trigrams), totalsId)
    set.run(segmentsRecord(this.#segments, level), segmentsId)
    // The first that the engine reads of it.
    if (level === unmergedLevel) this.#database.exec(optimizeText({ name: this.#name }))
    const count = this.#database.prepare(`insert into ${this.#part('/counts')} values (?, ?)`)
    const postings = this.#postings
    for (const term of postings.sorted()) count.run(postings.textOf(term), BigInt(postings.rowsOf(term)))
  }

  #part(suffix: string): string {
    return quote(this.#name + suffix)
  }
}
