/** The records of a view, their total, and facets. */
import { aboutField } from '../fields/named-references.ts'
import { readField, selectFields } from '../fields/record-selection.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import { EnumValue, leaves, printField, type Selection } from '../../ask/graphql-text.ts'
import type { Panel } from '../../ask/operation.ts'
import { andWhere, nest, type Where } from '../../ask/where.ts'
import type { Result, SnippetAnswer } from '../parts/results.ts'
import { isPresent } from '../parts/values.ts'
import { isUnranked, recordArguments, type View } from '../view/view.ts'

export const pageSize = 20
export const facetSize = 6

export interface FacetAnswer {
  readonly field: string
  readonly values: readonly { readonly value: string; readonly count: number }[]
  /** Null where it is not known. */
  readonly missing: number | null
  readonly cut: boolean
  /** Of how many values these are the ones that contain a text; absent where none was looked for. */
  readonly among?: number
  /** Of the records of the view, which all have the only value that it has chosen; absent where it was not asked. */
  readonly total?: number | null
}

export interface ListAnswer {
  readonly totalCount: number
  readonly edges: readonly Edge[]
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
  readonly facets?: readonly FacetAnswer[]
  readonly didYouMean?: readonly MissingWord[]
}

export type ListNode = Readonly<Record<string, unknown>> & {
  readonly uri: string
  readonly indexedAt?: string
}

type Edge = Readonly<Record<string, unknown>> & { readonly node: ListNode }

/** A word of a search that no record has, and words that differ by a letter or two. */
export interface MissingWord {
  readonly word: string
  readonly nearest: readonly { readonly word: string }[]
}

/** The fields that are read: those that represent a record, and those of the table. */
export function columnsOf({ columns, show }: View, subject: PageSubject): readonly ShownField[] {
  const { roles } = subject
  const shown = columns ?? roles.columns
  const names =
    show === 'table' ? shown : [...namesOf(subject), ...(show === 'cards' ? [roles.image] : []), ...shown]
  return fieldsNamed(subject, names)
}

/** The fields that represent a record where a list is short. */
export function briefColumns(subject: PageSubject): readonly ShownField[] {
  return fieldsNamed(subject, namesOf(subject))
}

function namesOf(subject: PageSubject): readonly (string | null)[] {
  const { title, summary, time } = subject.roles
  return [title, aboutField(subject)?.name ?? null, summary, time]
}

/** Without those that there are not. */
export function fieldsNamed({ fields }: PageSubject, names: Iterable<string | null>): readonly ShownField[] {
  return [...new Set(names)].flatMap((name) => (name === null ? [] : (fields.get(name) ?? [])))
}

/** The time by which records are the newest; null where they have none of their own, and are the newest in the index. */
export function ownTime({ fields, roles }: PageSubject): ShownField | null {
  const field = fields.get(roles.time)
  return field?.isSort === true && field.properties.length > 0 ? field : null
}

/** The newest records, none of them in the future. Within a minute of `now` the same question has the same answer. */
export function newestArguments(subject: PageSubject, now: number, where?: Where): Panel['arguments'] {
  const field = ownTime(subject)
  if (field === null) return { where }
  const lte = new Date(Math.ceil(now / 60_000) * 60_000).toISOString()
  return { where: andWhere(where, nest(field, { lte })), sortBy: [{ field: field.name, direction: 'DESC' }] }
}

/** Which records lists and files have, and their order. A view of stories has one record per story. */
export function listArguments(view: View, subject: PageSubject): Panel['arguments'] {
  const { sort } = view
  const { search, where } = recordArguments(view)
  const { stories } = subject.collection
  // Without an order, those indexed last come first.
  const isNewest = view.stories || isUnranked(view.search, subject.collection)
  const usual = isNewest ? undefined : [{ field: 'RELEVANCE' }]
  const field = subject.fields.get(sort?.field ?? '')?.plainName ?? sort?.field
  const sortBy = sort === null ? usual : [{ field, direction: sort.direction.toUpperCase() }]
  if (!view.stories || stories === null) return { search, where, sortBy }
  const present = { [stories.field]: { isNull: false } }
  return { search, where: andWhere(where, present), sortBy, distinctOn: [stories.field] }
}

/** The columns of files without a choice: those that represent records and that one of `found` has a value of. */
export function shortColumns(found: readonly Result[], subject: PageSubject): readonly ShownField[] {
  const { roles } = subject
  const all = fieldsNamed(subject, [...namesOf(subject), ...roles.columns, roles.link])
  return all.filter(
    ({ name }) =>
      !found.some(({ values }) => name in values) || found.some(({ values }) => isPresent(values[name])),
  )
}

/** Facets are asked for with the first page only: they do not change from page to page. `more`: of a record. */
export function listPanel(
  view: View,
  columns: readonly ShownField[],
  facets: readonly ShownField[],
  subject: PageSubject,
  more: Selection = {},
): Panel {
  const { collection } = subject
  const { page } = view
  const size =
    page?.side === 'before'
      ? { last: pageSize, before: page.cursor }
      : { first: pageSize, after: page?.cursor }
  return {
    name: 'list',
    field: collection.rootField,
    arguments: { ...size, ...listArguments(view, subject) },
    selection: {
      totalCount: {},
      pageInfo: leaves('hasNextPage', 'hasPreviousPage', 'startCursor', 'endCursor'),
      edges: {
        ...snippetSelection(view, subject),
        node: {
          ...selectFields(columns),
          indexedAt: {},
          ...(view.stories && leaves(collection.stories?.field ?? '')),
          ...more,
        },
      },
      ...(page === null && !view.stories && facets.length > 0 && facetSelection(facets)),
      ...(view.search !== '' && { didYouMean: { word: {}, nearest: { word: {} } } }),
    },
  }
}

export function facetSelection(
  facets: readonly ShownField[],
  limit = facetSize,
  ignoreOwn = true,
): Selection {
  const fields = facets.map(({ name }) => new EnumValue(name))
  const field = printField('facets', { fields, ignoreOwn: ignoreOwn || undefined, limit })
  return { [field]: { field: {}, values: leaves('value', 'count'), ...leaves('missing', 'cut') } }
}

/** Before the name of the text. */
const snippetAlias = 'snippet_'

/** Texts in which the words of the search are marked. */
function snippetSelection(view: View, { collection, roles }: PageSubject): Selection {
  if (view.search === '' || view.show === 'table') return {}
  const snippets = collection.searchFields
    .filter(({ name }) => name === roles.title || name === roles.summary)
    .map(({ name }) => {
      const snippet = printField('snippet', { field: new EnumValue(name) })
      return [`${snippetAlias}${name}: ${snippet}`, { text: {}, ranges: leaves('start', 'end') }] as const
    })
  return Object.fromEntries(snippets)
}

export function resultOf(edge: Edge, columns: readonly ShownField[]): Result {
  const snippets = Object.entries(edge).flatMap(([key, value]) =>
    key.startsWith(snippetAlias) ? [[key.slice(snippetAlias.length), value as SnippetAnswer | null]] : [],
  )
  return { ...resultOfNode(edge.node, columns), snippets: Object.fromEntries(snippets) }
}

/** A record of a list without snippets. */
export function resultOfNode(node: ListNode, columns: readonly ShownField[]): Result {
  const values = columns.map((field) => [field.name, readField(node, field)] as const)
  const { uri, indexedAt } = node
  return { uri, indexedAt, values: Object.fromEntries(values), snippets: {} }
}
