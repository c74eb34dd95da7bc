/** Which records tell of one event, plainly: each record is compared with every first record before it. */
import { linkOf, type PlainRecord } from '../dataset.ts'
import { type Json, type Stories, story } from '../shapes.ts'
import { parseInstant } from '../values.ts'
import { plainWordsOf } from '../../../src/search/words.ts'
import { weightOf } from '../../../src/search/stories/weights.ts'

export interface Told {
  readonly uri: string
  /** Microseconds; missing times and those to come take no part. */
  readonly at: bigint | undefined
  readonly title: string | undefined
  readonly summary: string | undefined
  /** The URI of the record that it repeats. */
  readonly original: string | undefined
}

/** The same records, whose values have their story where JSON does not show it. */
export function withStories(
  records: readonly PlainRecord[],
  stories: Stories,
  now = BigInt(Date.now()) * 1000n,
): readonly PlainRecord[] {
  const told = (nsid: string, { title, summary = '', time, original = '' }: Json) =>
    records
      .filter(({ collection }) => collection === nsid)
      .map(({ uri, value }): Told => {
        const link = value[original] ?? undefined
        return {
          uri,
          at: (value[time] ?? undefined) && parseInstant(value[time]),
          title: value[title] ?? undefined,
          summary: value[summary] ?? undefined,
          original: link && linkOf(link).uri,
        }
      })
  const firsts = new Map(
    Object.entries(stories).flatMap(([nsid, fields]) => [...storiesOf(told(nsid, fields), now)]),
  )
  return records.map((record) => {
    const value = firsts.get(record.uri)
    return value === undefined
      ? record
      : { ...record, value: Object.defineProperty({ ...record.value }, story, { value }) }
  })
}

/** The URI of the first record of each record's story. */
export function storiesOf(records: readonly Told[], now: bigint): Map<string, string> {
  const told = records
    .flatMap((record) => (record.at === undefined || record.at > now ? [] : [{ ...record, at: record.at }]))
    .sort((a, b) => (a.at === b.at ? (a.uri < b.uri ? -1 : 1) : a.at < b.at ? -1 : 1))
    .map((record) => ({ ...record, second: Math.floor(Number(record.at) / 1e6), values: valuesOf(record) }))
  const stories = new Map<string, string>()
  const firsts: (typeof told)[number][] = []
  for (const record of told) {
    const original = stories.get(record.original ?? '')
    let [story, most] = [record.uri, 1800n]
    for (const first of original === undefined ? firsts : []) {
      const hours = record.second - first.second
      const similarity = hours > 72 * 3600 ? 0n : similarityOf(record.values, first.values, BigInt(hours))
      if (similarity > most) [story, most] = [first.uri, similarity]
    }
    stories.set(record.uri, original ?? story)
    if (original === undefined && story === record.uri) firsts.push(record)
  }
  return stories
}

type Values = ReadonlyMap<string, bigint>

function valuesOf({ title = '', summary = '' }: Told): Values {
  const starts = (text: string) => plainWordsOf(text).map((word) => Array.from(word).slice(0, 5).join(''))
  const weigh = (text: string, factor: number) =>
    starts(text).map((start): [string, bigint] => [start, BigInt(weightOf(start) * factor)])
  return new Map([...weigh(summary, 1), ...weigh(withoutOutlet(title), 3)])
}

/** Cuts the title before each sign between spaces, last first, and looks at the first cut alone. */
function withoutOutlet(title: string): string {
  for (let at = title.length - 1; at > 0; at -= 1) {
    const [before, behind] = [title.slice(0, at), title.slice(at + 1)]
    if (!'-|–—'.includes(title.charAt(at)) || !/\s$/.test(before) || !/^\s/.test(behind)) continue
    if (before.trim() === '' || behind.trim() === '') continue
    const words = plainWordsOf(behind).length
    return words > 0 && words < 6 ? before : title
  }
  return title
}

function similarityOf(a: Values, b: Values, seconds: bigint): bigint {
  const sum = (values: Iterable<bigint>) => [...values].reduce((all, value) => all + value, 0n)
  const shared = sum([...a].map(([start, value]) => least(value, b.get(start) ?? 0n)))
  return (20_000n * shared * 259_200n) / ((sum(a.values()) + sum(b.values()) + 240n) * (259_200n + seconds))
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
