/**
 * Which rows have which trigrams, gathered in memory: what a trigram index is made of. Cuts texts exactly as the
 * engine's own tokenizer does. It knows neither how an index is laid out nor where it is kept.
 */

/** Of a trigram, side by side, so that a look at it is one at the processor's cache. */
const fields = 8
/** Its three characters: 21 bits of the first and 11 of the second, then 10 of the second and 21 of the third. */
const high = 0
const low = 1
/** The last row that has it, 0 for none; what follows is of the lists that are in memory now. */
const last = 2
/** Where its list goes on, where the part of it that is written ends, and where its first part begins. */
const at = 3
const end = 4
const first = 5
/** Rows that have it, over all. */
const rows = 6
/** How many parts its list has. */
const parts = 7

/** A list lies in parts, each twice as large as the one before, and each with the place of the next at its end. */
const firstPart = 8
const largestPart = 4096
const linkBytes = 4
/** That are kept for lists, whether there are any or not. */
const leastBytes = 1 << 14
/** Of the distance from one row to the next, which is less than 2^31. */
const longestStep = 5

export class TrigramPostings {
  /** Where the fields of a trigram begin, by its hash; 0 where there is none. */
  #slots = new Int32Array(1 << 12)
  #terms = new Int32Array(fields << 11)
  #count = 0
  #lists = new Uint8Array(leastBytes)
  /** The first byte that no list has taken. */
  #taken = 0

  /** That lists take. */
  get bytes(): number {
    return this.#taken
  }

  /**
   * Enters a row, whose number is higher than those before; how many trigrams its text has, repeated ones too. The
   * text is folded but for ASCII letters, as tables keep it.
   */
  add(row: number, text: string): number {
    let trigrams = 0
    let [one, two] = [0, 0]
    for (let index = 0; index < text.length; index++) {
      let three = text.charCodeAt(index)
      if (three >= 0xd800) {
        three = text.codePointAt(index) as number
        if (three > 0xffff) index += 1
        // What is no character is replaced by the engine.
        else if (three < 0xe000 || three >= 0xfffe) three = 0xfffd
      }
      // The engine passes over it.
      if (three === 0) continue
      if (three >= 0x41 && three <= 0x5a) three += 0x20
      if (one !== 0) {
        this.#enter(row, (one << 11) | (two >>> 10), ((two & 0x3ff) << 21) | three)
        trigrams += 1
      }
      one = two
      two = three
    }
    return trigrams
  }

  /** All trigrams, in the order of their texts: where the fields of each begin. */
  sorted(): readonly number[] {
    const terms = this.#terms
    return Array.from({ length: this.#count }, (_, index) => (index + 1) * fields).sort((a, b) => {
      const order = ((terms[a + high] as number) >>> 0) - ((terms[b + high] as number) >>> 0)
      return order === 0 ? (terms[a + low] as number) - (terms[b + low] as number) : order
    })
  }

  textOf(term: number): string {
    const [upper, lower] = [this.#field(term, high), this.#field(term, low)]
    return String.fromCodePoint(upper >>> 11, ((upper & 0x7ff) << 10) | (lower >>> 21), lower & 0x1f_ffff)
  }

  /** How many rows have it, those included whose lists were taken out. */
  rowsOf(term: number): number {
    return this.#field(term, rows)
  }

  /** Whether any row has been entered since lists were last taken out. */
  isListed(term: number): boolean {
    return this.#field(term, last) !== 0
  }

  /** Tells the rows of a list, in their order. */
  eachRow(term: number, tell: (row: number) => void): void {
    const lists = this.#lists
    const lastRow = this.#field(term, last)
    let place = this.#field(term, first)
    let size = firstPart
    let stop = place + size
    for (let row = 0; row !== lastRow; ) {
      if (place + longestStep > stop) {
        place = this.#readLink(stop)
        size = Math.min(2 * size, largestPart)
        stop = place + size
      }
      let byte = lists[place++] as number
      let step = byte & 0x7f
      for (let shift = 7; byte > 0x7f; shift += 7) {
        byte = lists[place++] as number
        step |= (byte & 0x7f) << shift
      }
      row += step
      tell(row)
    }
  }

  /** Empties all lists. */
  takeOut(): void {
    this.#taken = 0
    this.#lists = new Uint8Array(leastBytes)
    for (let term = fields; term <= this.#count * fields; term += fields)
      this.#terms.fill(0, term + last, term + rows)
  }

  #field(term: number, field: number): number {
    return this.#terms[term + field] as number
  }

  #enter(row: number, upper: number, lower: number): void {
    const slots = this.#slots
    const mask = slots.length - 1
    let slot = hashOf(upper, lower) & mask
    let terms = this.#terms
    let term = slots[slot] as number
    while (terms[term + high] !== upper || terms[term + low] !== lower) {
      if (term === 0) {
        term = this.#addTerm(slot, upper, lower)
        terms = this.#terms
        break
      }
      slot = (slot + 1) & mask
      term = slots[slot] as number
    }
    let rest = row - (terms[term + last] as number)
    if (rest === 0) return
    let place = terms[term + at] as number
    if (place + longestStep > (terms[term + end] as number)) place = this.#extend(term)
    const lists = this.#lists
    for (; rest > 0x7f; rest >>>= 7) lists[place++] = (rest & 0x7f) | 0x80
    lists[place++] = rest
    terms[term + at] = place
    terms[term + last] = row
    terms[term + rows] = (terms[term + rows] as number) + 1
  }

  /** Where its fields begin. */
  #addTerm(slot: number, upper: number, lower: number): number {
    this.#count += 1
    const term = this.#count * fields
    this.#slots[slot] = term
    this.#terms[term + high] = upper
    this.#terms[term + low] = lower
    if (2 * (this.#count + 1) === this.#slots.length) this.#grow()
    return term
  }

  #grow(): void {
    const terms = new Int32Array(2 * this.#terms.length)
    terms.set(this.#terms)
    this.#terms = terms
    const slots = new Int32Array(2 * this.#slots.length)
    this.#slots = slots
    const mask = slots.length - 1
    for (let term = fields; term <= this.#count * fields; term += fields) {
      let slot = hashOf(terms[term + high] as number, terms[term + low] as number) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = term
    }
  }

  /** Gives a list its next part. */
  #extend(term: number): number {
    const terms = this.#terms
    const place = this.#taken
    const begun = terms[term + last] !== 0
    const size = begun ? Math.min(firstPart << (terms[term + parts] as number), largestPart) : firstPart
    if (begun) this.#writeLink(terms[term + end] as number, place)
    else {
      terms[term + first] = place
      terms[term + parts] = 0
    }
    terms[term + parts] = Math.min((terms[term + parts] as number) + 1, 16)
    terms[term + end] = place + size
    this.#taken += size + linkBytes
    if (this.#taken > this.#lists.length)
      this.#lists = new Uint8Array(this.#lists.buffer.transfer(2 * this.#lists.length))
    return place
  }

  #readLink(place: number): number {
    const lists = this.#lists
    return (
      ((lists[place] as number) << 24) |
      ((lists[place + 1] as number) << 16) |
      ((lists[place + 2] as number) << 8) |
      (lists[place + 3] as number)
    )
  }

  #writeLink(place: number, link: number): void {
    for (let byte = 0; byte < linkBytes; byte++) this.#lists[place + byte] = link >>> (24 - 8 * byte)
  }
}

function hashOf(upper: number, lower: number): number {
  const mixed = Math.imul(upper ^ Math.imul(lower, 0x9e37_79b1), 0x85eb_ca6b)
  return mixed ^ (mixed >>> 15)
}
