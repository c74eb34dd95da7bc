/**
 * Pages in ascending order of a time, with the records without that time at the end. GraphQL sorts missing values first,
 * so two lists follow each other: of the records with a time, and of those without.
 */
import { leafPath, type PropertyLeaf } from '../../schema/model/leaves.ts'
import type { SortField } from '../../schema/model/operators.ts'
import type { Narrowing } from '../filters/filters.ts'
import type { SchemaContext } from '../filters/paths.ts'
import { besidesTime } from '../filters/side-counts.ts'
import { allOf, type Where } from '../filters/where.ts'
import { EnumValue, type Literal, printField, type Selection } from '../graphql/graphql-text.ts'
import type { Subject } from '../words/collections.ts'
import type { Json } from './tool.ts'

/** A field of an order. */
export interface Sorted {
  readonly field: SortField
  readonly isDescending: boolean
}

/** The conditions of both lists. */
interface Halves {
  readonly dated: Where
  readonly undated: Where
}

export interface ListArguments {
  readonly root: string
  readonly first: number
  readonly after: string | undefined
  readonly search: string | undefined
  readonly where: Where | null
  /** Empty for the order by relevance. */
  readonly sorted: readonly Sorted[]
  /** Null for one list in the order of GraphQL. */
  readonly halves: Halves | null
}

/** `counted` is of all records of the list, `paged` of a page; `besides` is in the same operation, if possible. */
interface Selections {
  readonly counted: Selection
  readonly paged: Selection
  readonly besides: Selection
}

interface Page {
  readonly edges: readonly { readonly cursor: string }[]
  readonly pageInfo: { readonly hasNextPage: boolean }
}

interface Answer {
  readonly data: Json
}

export interface AnsweredPage<Answered extends Answer> {
  /** The first answer, which has what was asked for besides. */
  readonly answer: Answered
  readonly page: Json
}

/** Begins the cursors of records without a time. Cursors of the service have no dot. */
const mark = 'undated.'

/** The records without a time are asked for only where those with one end. */
export async function askPage<Answered extends Answer>(
  ask: (wanted: Selection, besides: Selection) => Promise<Answered>,
  { root, halves, first, after, search, where, sorted }: ListArguments,
  { counted, paged, besides }: Selections,
): Promise<AnsweredPage<Answered>> {
  const sortBy = sorted.length === 0 ? [{ field: new EnumValue('RELEVANCE') }] : sorted.map(printSorted)
  if (halves === null) {
    const list = printField(root, { first, after, search, where, sortBy })
    const answer = await ask({ [list]: { ...counted, ...paged } }, besides)
    return { answer, page: answer.data[root] as Json }
  }
  const listOf = (half: Where, size: number, cursor: string | undefined) =>
    printField(root, { first: size, after: cursor, search, where: allOf([where ?? {}, half]), sortBy })
  const askUndated = async (size: number, cursor?: string) => {
    const answer = await ask({ [listOf(halves.undated, size, cursor)]: paged }, {})
    const { edges, pageInfo } = answer.data[root] as Page
    const marked = edges.map((edge) => ({ ...edge, cursor: mark + edge.cursor }))
    return { answer, page: { edges: marked, pageInfo } }
  }
  if (after?.startsWith(mark)) return askUndated(first, after.slice(mark.length))
  const total = `total: ${printField(root, { first: 0, search, where })}`
  const counts = Object.keys(counted).length === 0 ? {} : { [total]: counted }
  const answer = await ask({ [listOf(halves.dated, first, after)]: paged, ...counts }, besides)
  const dated = answer.data[root] as Page
  const page = { ...(answer.data['total'] as Json), ...dated }
  if (dated.pageInfo.hasNextPage) return { answer, page }
  const { edges, pageInfo } = (await askUndated(first - dated.edges.length)).page
  return { answer, page: { ...page, edges: [...dated.edges, ...edges], pageInfo } }
}

/** Null unless the list is in ascending order of a time that records of it may lack. */
export function halvesOf(
  [first]: readonly Sorted[],
  args: Narrowing,
  subject: Subject,
  context: SchemaContext,
): Halves | null {
  if (first === undefined || !startsWithMissing(first)) return null
  const { leaf, name } = first.field
  if (name === subject.time && besidesTime(args, subject, context) !== null) return null
  const names = leafPath(leaf as PropertyLeaf)
  const along = (condition: Where): Where =>
    names.reduceRight<Where>((inner, inside) => ({ [inside]: inner }), condition)
  const dated = along({ isNull: false })
  return { dated, undated: names.length === 1 ? along({ isNull: true }) : { NOT: dated } }
}

/** Says where records without a time are when another field comes first in the order; null if none are. */
export function undatedOrderHint(sorted: readonly Sorted[]): string | null {
  const time = sorted.find((one, at) => at > 0 && startsWithMissing(one))
  return time === undefined
    ? null
    : `Among records that are equal before it, those without ${time.field.name} come first.`
}

function startsWithMissing({ field: { leaf }, isDescending }: Sorted): boolean {
  if (isDescending || leaf.kind !== 'property' || leaf.field.type.kind !== 'datetime') return false
  return [...leaf.inside, leaf.field].some(({ mayMiss }) => mayMiss)
}

function printSorted({ field, isDescending }: Sorted): Literal {
  return { field: new EnumValue(field.name), direction: new EnumValue(isDescending ? 'DESC' : 'ASC') }
}
