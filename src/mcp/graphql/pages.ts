/** Sizes of pages that every tier takes: the largest that callers without a key may ask for, and the smallest. */
import { EndpointError } from '../../endpoint/endpoint.ts'

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
