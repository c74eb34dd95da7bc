/** A first question for whatever lexicons there are: the newest records of a collection, with some plain fields. */
import type { Field, Model } from '../schema/model.ts'

export function exampleQuery(model: Model): string {
  const [collection] = model.collections
  if (collection === undefined) return '{ __typename }'
  const fields = collection.type.fields.filter(isPlain).slice(0, 4)
  return `{
  ${collection.rootField}(first: 5) {
    totalCount
    edges {
      node {
        uri
        indexedAt
${fields.map(({ name }) => `        ${name}\n`).join('')}      }
    }
  }
}
`
}

function isPlain({ type }: Field): boolean {
  return type.kind === 'string' || type.kind === 'datetime' || type.kind === 'integer'
}
