/** A question to the agents' tools: the calls that an agent would make, whose answers `call` compares. */
import type { Json } from '../../reference/shapes.ts'
import type { Call } from '../../support/service/agents.ts'
import type { News } from '../news.ts'

export interface Question {
  readonly asks: string
  readonly plan: (call: Call, news: News) => Promise<unknown>
}

/** One call gives the answer. */
export function aggregate(asks: string, collection: string, args: Json): Question {
  return { asks, plan: (call) => call('aggregate', { collection, ...args }) }
}

export function search(asks: string, collection: string, args: Json): Question {
  return { asks, plan: (call) => call('search_records', { collection, ...args }) }
}
