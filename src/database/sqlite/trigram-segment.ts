/**
 * Writes one segment of a trigram index as the engine keeps it (the comments of ext/fts5/fts5_index.c in SQLite's
 * sources say how), from trigrams in their order with the rows that have them. Page for page what the engine's own
 * merging would write. It knows nothing of texts and nothing of databases.
 */

/** What a segment is made of, in the order of its keys. */
export interface SegmentRows {
  readonly page: (id: bigint, block: Uint8Array) => void
  /** Where to look for terms from this one on; `flagged`: the page's number doubled, and 1 when it has a list of pages. */
  readonly entry: (term: Uint8Array, flagged: bigint) => void
}

/** So many pages without a term make a list of them worth while. */
const worthAList = 4
/** A page may outgrow its size by what is written last: a term, or a row's number. */
const slack = 64
const pageHead = 4

/** A list of the pages that a long list of rows takes, at one height. */
class PageList {
  readonly bytes: Bytes
  page = 0
  /** The row that was written last. */
  row = 0

  constructor(size: number) {
    this.bytes = new Bytes(size + slack)
  }
}

export class SegmentWriter {
  readonly #segment: number
  readonly #size: number
  readonly #rows: SegmentRows
  readonly #page: Bytes
  /** Where terms begin on the page, each from the one before. */
  readonly #starts: Bytes
  #lastStart = 0
  #number = 1
  #hasTerm = false
  #hasRow = false
  /** The term that was written last. */
  #term: Uint8Array = new Uint8Array()
  /** What leads to the pages since the last one that begins with a term of its own. */
  #entry: { readonly term: Uint8Array; readonly page: number } | null = { term: new Uint8Array(), page: 1 }
  #pagesWithoutTerm = 0
  readonly #lists: PageList[]
  #isFirstOfTerm = false
  #lastRow = 0

  constructor(segment: number, size: number, rows: SegmentRows) {
    this.#segment = segment
    this.#size = size
    this.#rows = rows
    this.#page = new Bytes(size + slack)
    this.#starts = new Bytes(size + slack)
    this.#lists = [new PageList(size)]
    this.#page.end = pageHead
  }

  /** All rows of one are written before the next. */
  writeTerm(term: Uint8Array): void {
    const page = this.#page
    if (page.end + this.#starts.end + term.length + 2 >= this.#size && page.end > pageHead) this.#writePage()
    this.#starts.number(page.end - this.#lastStart)
    this.#lastStart = page.end
    const shared = sharedLength(this.#term, term)
    if (this.#hasTerm) {
      page.number(shared)
      page.number(term.length - shared)
      page.append(term.subarray(shared))
    } else {
      if (this.#number !== 1) {
        this.#writeEntry()
        const distinct = this.#term.length === 0 ? term.length : shared + 1
        this.#entry = { term: term.slice(0, distinct), page: this.#number }
      }
      page.number(term.length)
      page.append(term)
    }
    this.#term = term
    this.#hasTerm = true
    this.#hasRow = true
    this.#isFirstOfTerm = true
    this.#listAt(0).page = this.#number
  }

  /** In rising order. */
  writeRow(row: number): void {
    const page = this.#page
    if (page.end + this.#starts.end >= this.#size) this.#writePage()
    if (this.#hasRow && !this.#isFirstOfTerm) page.number(row - this.#lastRow)
    else {
      if (!this.#hasRow) {
        page.short(0, page.end)
        this.#listPage(row)
      }
      page.number(row)
    }
    this.#lastRow = row
    this.#isFirstOfTerm = false
    this.#hasRow = true
  }

  /** How many pages there are. */
  finish(): number {
    if (this.#page.end > pageHead) this.#writePage()
    if (this.#number > 1) this.#writeEntry()
    return this.#number - 1
  }

  #writePage(): void {
    const page = this.#page
    page.short(2, page.end)
    if (this.#hasTerm) page.append(this.#starts.written)
    else {
      // Its place in the list of pages, when no row begins on it either.
      const { bytes } = this.#listAt(0)
      if (!this.#hasRow && bytes.end > 0) bytes.number(0)
      this.#pagesWithoutTerm += 1
    }
    this.#rows.page(this.#idOf(this.#number), page.written)
    page.end = pageHead
    page.short(0, 0)
    this.#starts.end = 0
    this.#lastStart = 0
    this.#number += 1
    this.#hasTerm = false
    this.#hasRow = false
  }

  #writeEntry(): void {
    if (this.#entry === null) return
    const hasList = this.#listAt(0).bytes.end > 0 && this.#pagesWithoutTerm >= worthAList
    for (const [height, list] of this.#lists.entries()) {
      if (list.bytes.end === 0) break
      if (hasList) this.#rows.page(this.#idOf(list.page, height), list.bytes.written)
      list.bytes.end = 0
    }
    this.#pagesWithoutTerm = 0
    this.#rows.entry(this.#entry.term, 2n * BigInt(this.#entry.page) + (hasList ? 1n : 0n))
    this.#entry = null
  }

  /** The page being written begins with this row: a page of the list that is full goes one higher. */
  #listPage(row: number): void {
    for (let height = 0; ; height++) {
      const list = this.#listAt(height)
      const { bytes } = list
      const isFull = bytes.end >= this.#size
      if (isFull) {
        bytes.buffer[0] = 1
        this.#rows.page(this.#idOf(list.page, height), bytes.written)
        const above = this.#listAt(height + 1)
        if (above.bytes.end === 0) {
          above.page = list.page
          above.row = firstRow(bytes)
          for (const number of [0, list.page, above.row]) above.bytes.number(number)
        }
        bytes.end = 0
        list.page += 1
      }
      if (bytes.end > 0) bytes.number(row - list.row)
      else {
        bytes.number(isFull ? 1 : 0)
        bytes.number(height === 0 ? this.#number : this.#listAt(height - 1).page)
        bytes.number(row)
      }
      list.row = row
      if (!isFull) return
    }
  }

  #listAt(height: number): PageList {
    const list = this.#lists[height] ?? new PageList(this.#size)
    this.#lists[height] = list
    return list
  }

  /** `height`: of a page that lists pages. */
  #idOf(page: number, height?: number): bigint {
    const list = height === undefined ? 0n : (1n << 36n) + (BigInt(height) << 31n)
    return (BigInt(this.#segment) << 37n) + list + BigInt(page)
  }
}

/** What all segments together are: how many rows and trigrams there are, and at which level of merging they lie. */
export function segmentsRecord(pages: readonly number[], level: number): Uint8Array {
  const record = new Bytes(64 + 16 * pages.length)
  record.append(Uint8Array.of(0, 0, 0, 1))
  for (const number of [pages.length === 0 ? 0 : level + 1, pages.length, 0]) record.number(number)
  if (pages.length > 0) {
    for (let below = 0; below < level; below++) for (const none of [0, 0]) record.number(none)
    for (const number of [0, pages.length]) record.number(number)
    for (const [index, count] of pages.entries())
      for (const number of [index + 1, 1, count]) record.number(number)
  }
  return record.written
}

export function totalsRecord(texts: number, trigrams: number): Uint8Array {
  const record = new Bytes(32)
  record.number(texts)
  record.number(trigrams)
  return record.written
}

function firstRow(list: Bytes): number {
  return list.numberAt(list.numberAt(1).next).number
}

function sharedLength(one: Uint8Array, other: Uint8Array): number {
  const most = Math.min(one.length, other.length)
  let length = 0
  while (length < most && one[length] === other[length]) length += 1
  return length
}

class Bytes {
  readonly buffer: Buffer
  end = 0

  constructor(size: number) {
    this.buffer = Buffer.alloc(size)
  }

  get written(): Uint8Array {
    return this.buffer.subarray(0, this.end)
  }

  append(bytes: Uint8Array): void {
    this.buffer.set(bytes, this.end)
    this.end += bytes.length
  }

  short(place: number, value: number): void {
    this.buffer.writeUInt16BE(value, place)
  }

  /** Groups of seven bits, the highest first, each but the last with the eighth bit set. */
  number(value: number): void {
    if (value < 0x80) {
      this.buffer[this.end++] = value
      return
    }
    let groups = 2
    for (let rest = Math.floor(value / 0x4000); rest > 0; rest = Math.floor(rest / 0x80)) groups += 1
    let rest = value
    for (let place = this.end + groups - 1; place >= this.end; place--) {
      this.buffer[place] = (rest % 0x80) | (place === this.end + groups - 1 ? 0 : 0x80)
      rest = Math.floor(rest / 0x80)
    }
    this.end += groups
  }

  numberAt(place: number): { readonly number: number; readonly next: number } {
    let number = 0
    let next = place
    for (;;) {
      const byte = this.buffer[next++] as number
      number = number * 0x80 + (byte & 0x7f)
      if (byte < 0x80) return { number, next }
    }
  }
}
