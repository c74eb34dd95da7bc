/** How fresh the index is that a query was answered from: asked in the same operation, so that both are of one state. */
import type { Json } from '../tools/tool.ts'

const selection = '{ collections { newestIndexedAt } }'

/** `query`: one operation and nothing behind it. */
export function withIndexTime(query: string): string {
  return query.replace(/\}\s*$/, `indexStatus ${selection} }`)
}

/** A caller's document, which may select `indexStatus` itself. */
const alias = 'lexigraphIndexTime'

/** `end`: position of the bracket that closes the operation. */
export function withOwnIndexTime(document: string, end: number): string {
  return `${document.slice(0, end)} ${alias}: indexStatus ${selection} ${document.slice(end)}`
}

/** The data without what `withOwnIndexTime` added. */
export function splitIndexTime({ [alias]: indexStatus, ...data }: Json): {
  readonly data: Json
  readonly asOf: string | null
} {
  return { data, asOf: indexStatus === undefined ? null : indexTime({ indexStatus }) }
}

/** When the newest record of all collections was stored, to the millisecond; null without records. */
export function indexTime({ indexStatus }: Json): string | null {
  const { collections } = indexStatus as { collections: readonly { newestIndexedAt: string | null }[] }
  const times = collections.flatMap(
    ({ newestIndexedAt }) => newestIndexedAt?.replace(/(\.\d{3})\d+/, '$1') ?? [],
  )
  return times.toSorted().at(-1) ?? null
}
