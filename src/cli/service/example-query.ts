/** The playground's first query, for any lexicons: the newest records of a collection that has some. */
import type { Collection, Model } from '../../schema/model/model.ts'

/** The number of records of each collection; null when the database does not answer. */
type Status = { readonly collections: readonly { readonly name: string; readonly records: number }[] } | null

export function exampleQuery(model: Model, status: Status): string {
  const filled = new Set(
    status?.collections.filter(({ records }) => records > 0).map(({ name }) => name) ?? [],
  )
  const collection = model.collections.find(({ nsid }) => filled.has(nsid)) ?? model.collections[0]
  return `${greeting(model)}\n${collection === undefined ? '{ __typename }\n' : newest(collection)}`
}

function greeting({ collections: { length } }: Model): string {
  return `# Records of ${length === 1 ? 'one collection' : `${length} collections`} can be queried here.
#
#   Ctrl+Enter  runs the query
#   Ctrl+Space  suggests names
#
# The book at the top left lists all fields. An API
# key goes into Headers, at the bottom:
#
#   {"X-API-Key": "YOUR KEY"}
`
}

function newest({ rootField, type }: Collection): string {
  const plain = type.fields.filter((field) => ['string', 'datetime', 'integer'].includes(field.type.kind))
  const fields = plain.slice(0, 4)
  return `query Newest {
  ${rootField}(first: 5) {
    totalCount
    nodes {
      uri
      indexedAt
${fields.map(({ name }) => `      ${name}\n`).join('')}    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`
}
