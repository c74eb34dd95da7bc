/** A question to the agents' tools: the calls that answer it, and the same answer by the reference evaluator. */
import type { AggregateArguments, ListArguments } from '../../reference/reference.ts'
import type { Json } from '../../reference/shapes.ts'
import type { PlainRecord } from '../../reference/dataset.ts'
import { article, enrichment, known, type News, source } from '../news.ts'
import { type GroupedArguments, type Measure, rowsOf } from '../tables.ts'

export interface Question {
  readonly asks: string
  /** What the asker holds in hand, such as an address: it is in the corpus, so that it is not in this file. */
  readonly about?: (news: News) => string
  /** Makes the calls that an agent would make, and gives the answer. */
  readonly plan: (call: Call, about: string) => Promise<unknown>
  readonly truth: (news: News) => unknown
}

/** The answer of a tool; fails when the tool refuses. */
export type Call = (tool: string, args?: Json) => Promise<Json>

const collections: Readonly<Record<string, string>> = { article, enrichment, source }

/** How many records there are. */
export function count(asks: string, args: Json, given: ListArguments): Question {
  return {
    asks,
    plan: async (call) => (await call('aggregate', args)).count,
    truth: ({ reference }) => reference.list(nsidOf(args), given).totalCount,
  }
}

/** Groups with their counts and measures, in order. */
export function table(
  asks: string,
  args: Json,
  given: GroupedArguments,
  measures: readonly Measure[] = [],
): Question {
  return {
    asks,
    plan: async (call) => (await call('aggregate', args)).rows,
    truth: (news) => rowsOf(news, nsidOf(args), given, measures),
  }
}

/** One row of measures over all records. */
export function measured(
  asks: string,
  args: Json,
  given: AggregateArguments,
  measures: readonly Measure[],
): Question {
  return {
    asks,
    plan: async (call) => (await call('aggregate', args)).rows[0],
    truth: (news) => {
      const { members } = news.reference.aggregate(nsidOf(args), given)
      return [members.length, ...measures.map((measure) => measure(members, news))]
    },
  }
}

/** The total and the keys of the first records, in order. */
export function list(asks: string, args: Json, given: ListArguments, limit = 10): Question {
  return {
    asks,
    plan: async (call) => {
      const { total, records } = await call('search_records', { limit, ...args })
      return { total, keys: records.map(keyOf) }
    },
    truth: ({ reference }) => {
      const sorted = reference.sorted(nsidOf(args), given)
      return { total: sorted.length, keys: sorted.slice(0, limit).map(keyOf) }
    },
  }
}

/** The record key, which ends a whole URI and is all of a short one. */
export function keyOf({ uri }: Pick<PlainRecord, 'uri'> | Json): string {
  return uri.slice(uri.lastIndexOf('/') + 1)
}

function nsidOf({ collection }: Json): string {
  return known(collections[collection])
}
