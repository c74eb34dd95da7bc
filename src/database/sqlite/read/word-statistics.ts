/**
 * Estimates how many records have a word, or any word with a prefix, from the pages of the word index that their entries
 * fill. Reads the shadow table in which FTS5 notes the first term of each page; no answer depends on it.
 */
import type { ColumnValue } from '../../database.ts'
import type { WordIndex } from '../../layout/tables.ts'
import { quote } from '../layout/ddl.ts'

/** Records on one page of entries, measured; the entries of several words with a prefix take more space. */
const recordsPerPage = { word: 800, prefix: 500 } as const
/** Counting so many pages, or so many records of one word, takes no longer than estimating. */
const fewPages = 2
const fewRecords = 1_000

/** Null if so few records have it that they should be counted. */
export function estimateRecords(
  { name }: WordIndex,
  word: string,
  isPrefix: boolean,
  read: (text: string, values: readonly ColumnValue[]) => number,
): number | null {
  const shadow = quote(`${name}_idx`)
  // The index of whole terms is number 0, which precedes each term; no term contains the byte 255.
  const first = Buffer.from(`0${word}`)
  const last = isPrefix ? Buffer.concat([first, Buffer.of(0xff)]) : first
  const text = `with recursive segment(id) as (
      select min(segid) from ${shadow}
      union all select (select min(segid) from ${shadow} where segid > id) from segment where id is not null)
    select sum(coalesce((select pgno >> 1 from ${shadow} where segid = id and term > ?2 order by term limit 1),
        (select pgno >> 1 from ${shadow} where segid = id order by term desc limit 1))
      - coalesce((select pgno >> 1 from ${shadow} where segid = id and term <= ?1 order by term desc limit 1), 0))
    from segment where id is not null`
  const pages = read(text, [first, last])
  if (pages <= fewPages) return null
  if (isPrefix) return pages * recordsPerPage.prefix
  // The pages may be those of the next word, which begins on the same page.
  const table = quote(name)
  const counted = `select count(*) from (select 1 from ${table} where ${table} match ? limit ?)`
  return read(counted, [`"${word}"`, fewRecords]) < fewRecords ? null : pages * recordsPerPage.word
}
