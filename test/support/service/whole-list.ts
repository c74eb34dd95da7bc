/** All that a list says of which records are on its page, and what the plain evaluator says of it. */
import type { Reference } from '../../reference/reference.ts'
import type { Json } from '../../reference/shapes.ts'

export const wholeList =
  '{ totalCount nodes { uri } edges { node { uri } } pageInfo { hasNextPage hasPreviousPage } }'

export function expectedList(reference: Reference, ...asked: Parameters<Reference['list']>): Json {
  const { totalCount, records, hasNextPage, hasPreviousPage } = reference.list(...asked)
  const nodes = records.map(({ uri }) => ({ uri }))
  return {
    totalCount,
    nodes,
    edges: nodes.map((node) => ({ node })),
    pageInfo: { hasNextPage, hasPreviousPage },
  }
}
