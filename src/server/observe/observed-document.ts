/** How logs name a document, and how they show one: callers may have written anything into it. */
import { hash } from 'node:crypto'
import { Kind, parse, print, visit } from 'graphql/language'
import { withoutKeys } from '../../util/api-key.ts'

/** The same for equal documents. Taking it is faster than looking it up by its text. */
export function documentHash(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16)
}

/** Characters of a document that are shown. */
const shownLength = 10_000

/** The document without comments and without what its strings say; null when it is none. */
export function withoutStrings(text: string): string | null {
  try {
    const document = visit(parse(text, { noLocation: true }), {
      [Kind.STRING]: (node) => ({ ...node, value: '…', block: false }),
    })
    return withoutKeys(print(document).slice(0, shownLength))
  } catch {
    return null
  }
}
