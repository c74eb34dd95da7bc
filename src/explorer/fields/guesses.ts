/** What pages show where no `display.json` says so; docs/running-the-explorer.md describes each guess. */
import type { Collection } from '../../schema/model/model.ts'
import { guessRoles, type Roles } from '../../schema/model/roles.ts'
import type { AskField } from '../../ask/fields.ts'

/** `time` is the time of indexing where there is no other. */
export interface PageRoles extends Roles {
  readonly facets: readonly string[]
  /** Columns of the table. */
  readonly columns: readonly string[]
}

const mostFacets = 5
const mostColumns = 7

/** `fields` without the hidden ones. */
export function guessPageRoles(
  collection: Collection,
  fields: ReadonlyMap<string, AskField>,
  hidden: ReadonlySet<string>,
): PageRoles {
  const all = [...fields.values()]
  const own = all.filter((field) => field.isOwn && !field.many && field.properties.length > 0)
  const roles = guessRoles(collection, hidden)
  const { title, time } = roles
  const facets = all.filter(isFacet).toSorted((one, other) => facetRank(one) - facetRank(other))
  const telling = own.filter((field) => field.isSort || field.type.kind === 'strongRef')
  return {
    ...roles,
    facets: facets.slice(0, mostFacets).map(({ name }) => name),
    columns: [
      ...new Set([
        ...(title === null ? [] : [title]),
        time,
        ...telling.filter(isTelling).map(({ name }) => name),
      ]),
    ].slice(0, mostColumns),
  }
}

function isFacet({ isGroup, isOwn, type, many, values, words, isArray, target }: AskField): boolean {
  if (!isGroup || many || words[0] === 'did' || words[0] === 'collection') return false
  if (target !== null) return isOwn && !isArray && isEntity(target)
  if (isArray) return type.kind === 'string' && type.format === null
  if (type.kind === 'string') return type.categorical || values.length > 0
  return type.kind === 'boolean'
}

/** Records that refer to no others of a known collection are few compared with those that refer to them: outlets. */
export function isEntity({ references }: Collection): boolean {
  return references.every(({ target }) => target === null)
}

/** Fields of the record first, then of what it refers to: languages, entities, codes, listed values, and the rest. */
function facetRank({ isOwn, values, type, isArray, target }: AskField): number {
  if (target !== null) return -0.5
  if (isOwn && !isArray && type.kind === 'string' && type.use.page === 'language') return -1
  const kind = values.length > 0 ? 1 : type.kind === 'string' ? (isArray ? 2 : 0) : 3
  return (isOwn ? 0 : 1.5) + kind
}

function isTelling({ type, isArray }: AskField): boolean {
  if (isArray) return false
  if (type.kind === 'string') return type.categorical || type.code
  return ['integer', 'boolean', 'datetime', 'strongRef'].includes(type.kind)
}
