/** Records of several collections in one list, each by the fields that represent it. */
import type { Subject } from '../fields/subject.ts'
import type { Result } from '../parts/results.ts'
import { parseSearch, type SearchTerm, wantedTerms } from '../../search/parse-search.ts'
import { snippetOf } from '../../search/snippet.ts'

export interface FoundRecord extends Readonly<Record<string, unknown>> {
  readonly __typename: string
  readonly uri: string
}

const snippetWords = 30

/** Aliases, because fields of one name may have different types in different collections. */
export function foundSelection(subject: Subject): string {
  const { typeName } = subject.collection
  const fields = namesOf(subject).map((name) => `${typeName}_${name}: ${name}`)
  return `... on ${typeName} { ${fields.join(' ')} }`
}

/** Words of the search are marked in title and summary; lists of several collections have no snippets of their own. */
export function foundResult(node: FoundRecord, subject: Subject, search: string): Result {
  const { typeName } = subject.collection
  const values = namesOf(subject).map((name) => [name, node[`${typeName}_${name}`]] as const)
  const snippets = values.flatMap(([name, value]) =>
    typeof value === 'string' && subject.collection.searchFields.some((field) => field.name === name)
      ? [[name, snippetOf(value, termsOf(search, name, subject), snippetWords)] as const]
      : [],
  )
  return { uri: node.uri, values: Object.fromEntries(values), snippets: Object.fromEntries(snippets) }
}

function termsOf(search: string, name: string, { collection }: Subject): readonly SearchTerm[] {
  const parsed = parseSearch(
    search,
    collection.searchFields.map((field) => field.name),
  )
  return parsed === null ? [] : wantedTerms(parsed).filter(({ field }) => field === null || field === name)
}

/** All of them are members of the record itself. */
function namesOf({ roles, fields }: Subject): readonly string[] {
  const names = [roles.title, roles.summary, roles.time].filter((name) => name !== null)
  return [...new Set(names)].filter((name) => fields.get(name)?.steps.length === 1)
}
