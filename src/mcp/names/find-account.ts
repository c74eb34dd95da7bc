/** Finds the account with a handle among those that have records in a collection. */
import { cutPlain } from '../words/plain-text.ts'
import type { Subject } from '../words/collections.ts'
import { EnumValue, printField } from '../graphql/graphql-text.ts'
import { type Json, ToolError } from '../tools/tool.ts'
import { inPages } from '../graphql/affordable.ts'
import type { Asking } from './find-names.ts'

const mostShown = 10

/** Returns the DID; throws a ToolError that shows handles. */
export async function findAccount(
  handle: string,
  { collection, label }: Subject,
  askFor: Asking,
): Promise<string> {
  const wanted = handle.trim().replace(/^@/, '').toLowerCase()
  return inPages(async (first) => {
    const list = printField(collection.rootField, { first, distinctOn: [new EnumValue('did')] })
    const data = await askFor(`{ ${list} { nodes { did actorHandle } pageInfo { hasNextPage } } }`)
    const { nodes, pageInfo } = data[collection.rootField] as {
      readonly nodes: readonly Json[]
      readonly pageInfo: { readonly hasNextPage: boolean }
    }
    const handleOf = ({ actorHandle }: Json) => String(actorHandle ?? '')
    const found = nodes.find((node) => handleOf(node).toLowerCase() === wanted)
    if (found !== undefined) return String(found['did'])
    const known = nodes.map(handleOf).filter((one) => one !== '')
    const shown = known.length === 0 ? '' : ` There are: ${known.slice(0, mostShown).join(', ')}.`
    throw new ToolError(
      pageInfo.hasNextPage
        ? `None of the ${first} accounts that wrote a ${label} last has the handle "${cutPlain(wanted, 80)}": write the DID, which begins with did:.`
        : `No account with a ${label} has the handle "${cutPlain(wanted, 80)}".${shown} A DID begins with did:.`,
    )
  })
}
