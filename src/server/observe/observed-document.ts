/** How logs identify a document, and how they show it without data that callers wrote into it. */
import { hash } from 'node:crypto'
import { Kind, parse, print, visit } from 'graphql/language'
import { withoutKeys } from '../../util/api-key.ts'

/** Equal for equal documents. Hashing is faster than a map lookup by the text. */
export function documentHash(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16)
}

/** Maximum characters of a shown document. */
const shownLength = 10_000

/** The document without comments and string contents; null if it does not parse. */
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
