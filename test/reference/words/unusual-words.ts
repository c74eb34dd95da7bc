/** The words of a field that are more frequent among some records than among others, as docs/unusual.md defines them. */
import { parseCid } from '@atproto/lex-data'
import { searchedFields } from './search.ts'
import { type Significance, significanceOf } from '../groups/significance.ts'
import type { Where } from '../matches.ts'
import { compareText } from '../values.ts'
import type { PlainRecord, Dataset } from '../dataset.ts'

export interface UnusualArguments {
  readonly field: string
  readonly against: Where
  readonly minCount?: number
  readonly limit?: number
}

export interface UnusualWords {
  readonly recordsRead: number
  readonly againstRecordsRead: number
  readonly words: readonly {
    readonly word: string
    readonly count: number
    readonly significance: Significance
  }[]
}

export function unusualWords(
  data: Dataset,
  members: readonly PlainRecord[],
  background: readonly PlainRecord[],
  { field, minCount = 5, limit = 20 }: UnusualArguments,
): UnusualWords {
  const [own, others] = [sampleOf(members), sampleOf(background)]
  const [counts, otherCounts] = [own, others].map((records) => countWords(data, records, field)) as [
    Map<string, number>,
    Map<string, number>,
  ]
  const words = [...counts]
    .filter(([, count]) => count >= minCount)
    .flatMap(([word, count]) => {
      const significance = significanceOf({
        count,
        total: own.length,
        againstCount: otherCounts.get(word) ?? 0,
        againstTotal: others.length,
      })
      return significance === null ? [] : [{ word, count, significance }]
    })
    .sort(
      (a, b) =>
        b.significance.score - a.significance.score || b.count - a.count || compareText(a.word, b.word),
    )
  return {
    recordsRead: own.length,
    againstRecordsRead: others.length,
    words: words.slice(0, limit),
  }
}

/** Of more than 5,000 records a half, a quarter …, down to a 1024th, by ten bits in the hash of the CID. */
function sampleOf(records: readonly PlainRecord[]): readonly PlainRecord[] {
  let part = 1024
  for (let most = 5_000; records.length > most && part > 1; most *= 2) part /= 2
  return records.filter(({ cid }) => {
    const { bytes } = parseCid(cid)
    return ((bytes[30] ?? 0) << 2) + ((bytes[31] ?? 0) >> 6) < part
  })
}

function countWords(data: Dataset, records: readonly PlainRecord[], name: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const record of records) {
    const field = searchedFields(data, record).find((each) => each.name === name)
    for (const word of new Set(field?.words)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}
