/**
 * Pages in ascending order of a time, with the records without that time at the end. GraphQL sorts missing values first,
 * so two lists follow each other: of the records with a time, and of those without.
 */
import { EnumValue, type Literal, printField, type Selection } from '../../ask/graphql-text.ts'
import type { Narrowing } from '../../ask/filters.ts'
import type { Subject } from '../../ask/collections.ts'
import type { SchemaContext } from '../../ask/paths.ts'
import { allOf, nest, type Where } from '../../ask/where.ts'
import { leafPath, type PropertyLeaf } from '../../schema/model/leaves.ts'
import type { SortField } from '../../schema/model/operators.ts'
import type { Json } from '../../util/is-object.ts'
import { askWith, besidesTime } from '../words/side-counts.ts'
import type { IndexRead, Toolbox } from './toolbox.ts'

/** A field of an order. */
export interface Sorted {
  readonly field: SortField
  readonly isDescending: boolean
}

export interface ListArguments {
  readonly root: string
  readonly first: number
  readonly after: string | undefined
  readonly search: string | undefined
  readonly where: Where | null
  /** Empty for the order by relevance. */
  readonly sorted: readonly Sorted[]
  /** The conditions of both lists; null for one list in the order of GraphQL. */
  readonly halves: { readonly dated: Where; readonly undated: Where } | null
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

/** Begins the cursors of records without a time. Cursors of the service have no dot. */
const mark = 'undated.'

/** `read` is the first answer. The records without a time are asked for only where those with one end. */
export async function askPage(
  { root, halves, first, after, search, where, sorted }: ListArguments,
  { counted, paged, besides }: Selections,
  { read: readIndex }: Toolbox,
): Promise<{ readonly read: IndexRead; readonly page: Json }> {
  const sortBy = sorted.length === 0 ? [{ field: new EnumValue('RELEVANCE') }] : sorted.map(printSorted)
  const listOf = (size: number, cursor: string | undefined, ...conditions: readonly Where[]) =>
    printField(root, { first: size, after: cursor, search, where: whereOf(conditions), sortBy })
  const whereOf = (conditions: readonly Where[]) =>
    conditions.length === 0 ? where : allOf([where ?? {}, ...conditions])
  if (halves === null) {
    const read = await askWith(readIndex, { [listOf(first, after)]: { ...counted, ...paged } }, besides)
    return { read, page: read.data[root] as Json }
  }
  const askUndated = async (size: number, cursor?: string) => {
    const read = await readIndex({ [listOf(size, cursor, halves.undated)]: paged })
    const { edges, pageInfo } = read.data[root] as Page
    return { read, page: { edges: edges.map((edge) => ({ ...edge, cursor: mark + edge.cursor })), pageInfo } }
  }
  if (after?.startsWith(mark)) return askUndated(first, after.slice(mark.length))
  const total = `total: ${printField(root, { first: 0, search, where })}`
  const counts = Object.keys(counted).length === 0 ? {} : { [total]: counted }
  const read = await askWith(readIndex, { [listOf(first, after, halves.dated)]: paged, ...counts }, besides)
  const withTime = read.data[root] as Page
  const page = { ...(read.data['total'] as Json), ...withTime }
  if (withTime.pageInfo.hasNextPage) return { read, page }
  const { edges, pageInfo } = (await askUndated(first - withTime.edges.length)).page
  return { read, page: { ...page, edges: [...withTime.edges, ...edges], pageInfo } }
}

/** Null unless the list is in ascending order of a time that records of it may lack. */
export function halvesOf(
  [first]: readonly Sorted[],
  args: Narrowing,
  subject: Subject,
  context: SchemaContext,
): ListArguments['halves'] {
  if (first === undefined || !startsWithMissing(first)) return null
  const { leaf, name } = first.field
  if (name === subject.time && besidesTime(args, subject, context) !== null) return null
  const steps = leafPath(leaf as PropertyLeaf).map((member) => ({ name: member, some: false }))
  const dated = nest({ steps }, { isNull: false })
  return { dated, undated: steps.length === 1 ? nest({ steps }, { isNull: true }) : { NOT: dated } }
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
