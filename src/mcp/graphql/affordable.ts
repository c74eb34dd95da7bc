/** What every tier takes: pages of two sizes, and operations of so many points. */
import { EndpointError } from '../../endpoint/endpoint.ts'

/** The largest page that callers without a key may ask for, and the smallest. */
export const pageSizes = { most: 100, least: 20 } as const

/** Asks for the largest page, or for the smallest if the caller's tier refuses that. */
export async function inPages<Answer>(ask: (size: number) => Promise<Answer>): Promise<Answer> {
  try {
    return await ask(pageSizes.most)
  } catch (error) {
    if (!(error instanceof EndpointError) || error.code !== 'BAD_USER_INPUT') throw error
    return ask(pageSizes.least)
  }
}

/** The items in as few operations of at most `most` points as their order allows. */
export function packOperations<Item>(
  items: readonly Item[],
  most: number,
  pointsOf: (item: Item) => number,
): readonly (readonly Item[])[] {
  const operations: Item[][] = []
  let left = 0
  for (const item of items) {
    const points = pointsOf(item)
    if (operations.length === 0 || points > left) {
      operations.push([])
      left = most
    }
    operations.at(-1)?.push(item)
    left -= points
  }
  return operations
}
