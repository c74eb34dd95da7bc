/** Rough statistics for access paths: a plan gets guesses for missing values, which `complete` then reads. */
import { LRUCache } from 'lru-cache'
import type { PoolClient } from 'pg'
import type { Statement, Statistics } from '../../database.ts'
import type { CountTable } from '../../layout/counts.ts'
import type { Table, TextIndex, WordIndex } from '../../layout/tables.ts'
import { quote } from '../layout/ddl.ts'
import { runPrepared } from '../prepared.ts'
import type { Servers } from './servers.ts'

/** Milliseconds for which a value is valid. */
const lifetime = 60_000
const maxStatistics = 10_000
/** Counts that are read for one statement; the rest remains guesses. */
const mostCounts = 50
/** Terms that `text_count` can contain: letters and digits form words, and words have trigrams. */
const wordLike = /^[\p{L}\p{N}]+$/u

/** Terms of an index from one to another, both included. */
interface LackingTerm {
  readonly index: string
  readonly first: string
  readonly last: string
}

const lastCharacter = '\u{10ffff}'

export class PostgresStatistics implements Statistics {
  readonly #read: Servers['read']
  readonly #statistics = new LRUCache<string, number>({ max: maxStatistics, ttl: lifetime })
  /** Missing statistics: the statement that reads each, by cache key. */
  readonly #lacking = new Map<string, Statement>()
  /** Terms whose counts must be read from `text_count`. */
  readonly #lackingTerms = new Map<string, LackingTerm>()
  /** The locale of the database determines which characters the server treats as letters. */
  #letters: RegExp | null = null

  constructor(read: Servers['read']) {
    this.#read = read
  }

  rows({ counts }: Table): number {
    const { name } = counts.find(({ kind }) => kind === 'total') as CountTable
    return this.#statistic({ text: `select n from ${quote(name)}`, values: [] }, 1000)
  }

  countUpTo({ text, values }: Statement, limit: number): number {
    return this.#statistic(
      { text: `select count(*) as n from (${text} limit ${Math.ceil(limit)}) s`, values },
      limit,
    )
  }

  trigram(index: TextIndex, trigram: string): number | null {
    return this.#isWord(trigram) ? this.#count(index, trigram) : null
  }

  /** The records of a prefix are those of all words that begin with it, so that some count repeatedly. */
  word(index: WordIndex, word: string, isPrefix: boolean): number {
    return this.#count(index, word, isPrefix)
  }

  prefix(index: TextIndex, needle: string): { readonly terms: number; readonly records: number } {
    return { terms: 1, records: this.#count(index, needle) }
  }

  async complete(signal?: AbortSignal): Promise<boolean> {
    if (this.#lacking.size === 0 && this.#lackingTerms.size === 0) return false
    const asked = [...this.#lacking].slice(0, mostCounts)
    const sequences = [...this.#lackingTerms.values()]
    this.#lacking.clear()
    this.#lackingTerms.clear()
    await this.#read(
      async (client) => {
        this.#letters ??= await readLetters(client)
        if (sequences.length > 0) await this.#readTerms(client, sequences)
        for (const [key, statement] of asked) {
          const { rows } = await runPrepared(client, statement)
          this.#statistics.set(key, Number(rows[0]?.n ?? 0))
        }
      },
      { kind: 'short', ...(signal && { signal }) },
    )
    return true
  }

  async #readTerms(client: PoolClient, terms: readonly LackingTerm[]): Promise<void> {
    const text = `select asked.index, asked.first, asked.last,
        (select coalesce(sum(records), 0) from text_count where index_name = asked.index
          and term >= asked.first collate "C" and term <= asked.last collate "C") as n
      from json_to_recordset($1) as asked(index text, first text, last text)`
    const { rows } = await runPrepared(client, { text, values: [JSON.stringify(terms)] })
    for (const { n, ...term } of rows) this.#statistics.set(termKey(term as LackingTerm), Number(n))
  }

  #count({ name: index }: Pick<TextIndex, 'name'>, first: string, isPrefix = false): number {
    const term = { index, first, last: isPrefix ? `${first}${lastCharacter}` : first }
    const key = termKey(term)
    const known = this.#statistics.get(key)
    if (known === undefined) this.#lackingTerms.set(key, term)
    return known ?? 1000
  }

  #statistic(statement: Statement, guess: number): number {
    const key = `${statement.text}\0${statement.values.map(String).join('\0')}`
    const known = this.#statistics.get(key)
    if (known === undefined) this.#lacking.set(key, statement)
    return known ?? guess
  }

  /** Whether the trigram index contains it: the index covers only what the server treats as words. */
  #isWord(trigram: string): boolean {
    return wordLike.test(trigram) && this.#letters?.test(trigram) !== false
  }
}

function termKey({ index, first, last }: LackingTerm): string {
  return `${index}\0${first}\0${last}`
}

/** In a database with the locale C only ASCII letters are letters. */
async function readLetters(client: PoolClient): Promise<RegExp> {
  const { rows } = await client.query(`select cardinality(show_trgm('яя')) > 0 as all`)
  return rows[0]?.all === true ? wordLike : /^[a-z0-9]+$/
}
