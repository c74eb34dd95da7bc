/**
 * Which fields represent a record where no `display.json` says so: guessed from kinds and names, in the order of the
 * lexicon. docs/display.md describes each guess.
 */
import type { Collection } from '../../schema/model/model.ts'
import type { ShownField } from './shown-field.ts'

/** Names of fields, null where there is none; `time` is then the time of indexing. */
export interface Roles {
  readonly title: string | null
  readonly summary: string | null
  readonly time: string
  readonly image: string | null
  readonly link: string | null
  readonly facets: readonly string[]
  /** Columns of the table. */
  readonly columns: readonly string[]
}

const titles = ['title', 'headline', 'name', 'displayname', 'subject']
const summaries = ['description', 'summary', 'subtitle', 'excerpt', 'text', 'content', 'body']
const times = ['publishedat', 'createdat']
const images = ['image', 'cover', 'thumbnail', 'avatar', 'logo', 'banner']
const links = ['url', 'uri', 'link', 'website', 'homepage']
const mostFacets = 5
const mostColumns = 7

export function guessRoles(fields: ReadonlyMap<string, ShownField>): Roles {
  const all = [...fields.values()]
  const own = all.filter((field) => field.isOwn && !field.many && field.properties.length > 0)
  const texts = own.filter(
    ({ type, isArray, properties }) =>
      type.kind === 'string' &&
      type.format === null &&
      !type.categorical &&
      !isArray &&
      properties.length === 1,
  )
  const title =
    named(texts, titles) ??
    texts.find(({ type }) => type.kind === 'string' && type.freeText)?.name ??
    texts[0]?.name ??
    null
  const summary = named(
    texts.filter(({ name }) => name !== title),
    summaries,
  )
  const datetimes = own.filter(({ type, properties }) => type.kind === 'datetime' && properties.length === 1)
  const time = named(datetimes, times) ?? datetimes[0]?.name ?? 'indexedAt'
  const addresses = own.filter(({ type }) => type.kind === 'string' && type.format === 'uri')
  const image = named(
    addresses.filter(({ properties }) => images.includes((properties[0] ?? '').toLowerCase())),
    images,
    true,
  )
  const link =
    named(
      addresses.filter(({ properties }) => properties.length === 1),
      links,
    ) ??
    addresses.find(({ properties }) => properties.length === 1)?.name ??
    null
  const facets = all.filter(isFacet).toSorted((one, other) => facetRank(one) - facetRank(other))
  const telling = own.filter((field) => field.isSort || field.type.kind === 'strongRef')
  return {
    title,
    summary,
    time,
    image,
    link,
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

/** The field with the first of these names, or whose last part has it. */
function named(fields: readonly ShownField[], names: readonly string[], any = false): string | null {
  const last = ({ properties }: ShownField) => (properties.at(-1) ?? '').toLowerCase()
  for (const wanted of names) {
    const found =
      fields.find((field) => last(field) === wanted) ?? fields.find((field) => last(field).endsWith(wanted))
    if (found !== undefined) return found.name
  }
  return any ? (fields[0]?.name ?? null) : null
}

function isFacet({ isGroup, isOwn, type, many, values, words, isArray, target }: ShownField): boolean {
  if (!isGroup || many || words[0] === 'did' || words[0] === 'collection') return false
  if (target !== null) return isOwn && !isArray && isEntity(target)
  if (isArray) return type.kind === 'string' && type.format === null
  if (type.kind === 'string') return type.categorical || values.length > 0
  return type.kind === 'boolean'
}

/** Records that refer to no others of a known collection are few compared with those that refer to them: outlets. */
function isEntity({ references }: Collection): boolean {
  return references.every(({ target }) => target === null)
}

/** Fields of the record first, then of what it refers to: languages, entities, codes, listed values, and the rest. */
function facetRank({ isOwn, values, type, isArray, target }: ShownField): number {
  if (target !== null) return -0.5
  if (isOwn && !isArray && type.kind === 'string' && type.format === 'language') return -1
  const kind = values.length > 0 ? 1 : type.kind === 'string' ? (isArray ? 2 : 0) : 3
  return (isOwn ? 0 : 1.5) + kind
}

function isTelling({ type, isArray }: ShownField): boolean {
  if (isArray) return false
  if (type.kind === 'string') return type.categorical || type.code
  return (
    type.kind === 'integer' ||
    type.kind === 'boolean' ||
    type.kind === 'datetime' ||
    type.kind === 'strongRef'
  )
}
