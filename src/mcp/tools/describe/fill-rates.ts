/**
 * Fill rates: the share of a collection's records that have a field. They are counted with the fewest points: required
 * fields need no count, what is counted as records change costs little, and other counts read records.
 */
import { EndpointError } from '../../../endpoint/endpoint.ts'
import type { Field } from '../../../schema/model/model.ts'
import { hasConditions } from '../../../schema/model/operators.ts'
import { EnumValue, printField, type Selection } from '../../../ask/graphql-text.ts'
import { mostAffordable, packOperations } from '../../../ask/operation.ts'
import { elementOf } from '../../../ask/paths.ts'
import { allOf, presence, whereMissing } from '../../../ask/where.ts'
import { inPages, pageSizes } from '../../graphql/ask.ts'
import type { Subject } from '../../../ask/collections.ts'
import { percent, roughPercent } from './describe-parts.ts'
import type { Json } from '../../../util/is-object.ts'
import type { Toolbox } from '../toolbox.ts'

/** Such as `94%`, or `~94%` if it is that of a sample, by the name of the field. */
export type FillRates = ReadonlyMap<string, string>

/** A count, and about how many points it costs. */
interface Count {
  readonly field: Field
  readonly kind: 'facet' | 'index' | 'scan'
  readonly points: number
}

/** Maximum size of a collection whose records are read to count a field; of larger ones a sample is read. */
const mostScanned = 150_000
/** Counts of lists of values are compared with so many facets in one list. */
const mostFacets = 10
/** Milliseconds for which rates are kept: counting them again costs hundreds of points. */
const lifetime = 600_000

export type FillRateReader = typeof countRates

/** Shares the counts of calls: each collection is counted once in the lifetime of its rates. */
export function createFillRateReader(): FillRateReader {
  const kept = new Map<string, { readonly counting: ReturnType<typeof countRates>; readonly until: number }>()
  return async (subject, records, known, toolbox) => {
    const { nsid } = subject.collection
    const now = toolbox.now().getTime()
    const other = kept.get(nsid)
    if (other !== undefined && other.until > now) {
      // This caller may ask what the other was refused, and may still wait where the other has left.
      const counted = await other.counting.catch(() => null)
      if (counted?.refused === null) return counted
    }
    const own = { counting: countRates(subject, records, known, toolbox), until: now + lifetime }
    kept.set(nsid, own)
    const counted = await own.counting
    // A caller with fewer points may have begun in the meantime.
    if (counted.refused === null) kept.set(nsid, own)
    return counted
  }
}

/** `known`: counts of records without a field that there are. `refused`: why rates are missing, or null. */
async function countRates(
  subject: Subject,
  records: number,
  known: ReadonlyMap<string, number>,
  toolbox: Toolbox,
): Promise<{ readonly rates: FillRates; readonly refused: string | null }> {
  const rates = new Map<string, string>()
  const keep = (missing: ReadonlyMap<string, number>): void => {
    for (const [name, count] of missing) rates.set(name, percent(records - count, records))
  }
  const optional = records === 0 ? [] : subject.collection.type.fields.filter(({ mayMiss }) => mayMiss)
  const names = new Set(optional.map(({ name }) => name))
  keep(new Map([...known].filter(([name]) => names.has(name))))
  const wanted = optional.filter(({ name }) => !rates.has(name))
  const counts = records <= pageSizes.most ? [] : countsOf(wanted, records)
  const sampled = wanted.filter((field) => !counts.some((count) => count.field === field))
  try {
    if (sampled.length > 0) await readSample(rates, sampled, records, subject, toolbox)
    for (const some of packOperations(counts)) keep(await countMissing(some, subject, toolbox))
    return { rates, refused: null }
  } catch (error) {
    if (!(error instanceof EndpointError)) throw error
    const tooComplex = `counting them costs up to ${mostAffordable} points in one operation, more than your tier has.`
    return { rates, refused: error.code === 'QUERY_TOO_COMPLEX' ? tooComplex : error.message }
  }
}

/** The fields to count, the cheapest first; objects without conditions, and scans of many records, are left out. */
function countsOf(fields: readonly Field[], records: number): readonly Count[] {
  return fields
    .filter(({ type }) => hasConditions(type))
    .map(countOf)
    .filter(({ kind }) => kind !== 'scan' || records <= mostScanned)
    .toSorted((a, b) => a.points - b.points)
}

/** Prices by docs/limits.md: a facet of what is counted as records change, a count by an index, or a scan. */
function countOf(field: Field): Count {
  const { type } = field
  if (type.kind === 'boolean' || type.kind === 'strongRef' || (type.kind === 'string' && type.categorical))
    return { field, kind: 'facet', points: 6 }
  if (type.kind === 'integer' || type.kind === 'datetime') return { field, kind: 'index', points: 19 }
  return {
    field,
    kind: 'scan',
    points: type.kind === 'array' ? 50 : 'freeText' in type && type.freeText ? 19 : 29,
  }
}

async function countMissing(
  counts: readonly Count[],
  { collection: { rootField } }: Subject,
  toolbox: Toolbox,
): Promise<ReadonlyMap<string, number>> {
  const faceted = counts.filter(({ kind }) => kind === 'facet').map(({ field }) => field.name)
  const pages = Math.ceil(faceted.length / mostFacets)
  const facets = Array.from({ length: pages }, (_, page): [string, Selection] => {
    const fields = faceted
      .slice(page * mostFacets, (page + 1) * mostFacets)
      .map((name) => new EnumValue(name))
    const list = `facets${page}: ${printField(rootField, { first: 0 })}`
    return [list, { [printField('facets', { fields, limit: 1 })]: { field: {}, missing: {} } }]
  })
  const others = counts.filter(({ kind }) => kind !== 'facet').map(({ field }) => field)
  const counted = others.map(({ name, type }, at): [string, Selection] => {
    const where = allOf([
      whereMissing([{ name, some: false }], presence(elementOf(type), type.kind === 'array')),
    ])
    return [`missing${at}: ${printField(`${rootField}Aggregate`, { where })}`, { count: {} }]
  })
  const data = await toolbox.ask(Object.fromEntries([...facets, ...counted]))
  const lists = Array.from({ length: pages }, (_, page) => (data[`facets${page}`] as Json)['facets'])
  const missing = lists.flat() as readonly { readonly field: string; readonly missing: number }[]
  return new Map([
    ...missing.map((facet) => [facet.field, facet.missing] as const),
    ...others.map(({ name }, at) => [name, (data[`missing${at}`] as { count: number }).count] as const),
  ])
}

/** Rates of one page of the newest records, which are exact if there are no others. */
async function readSample(
  rates: Map<string, string>,
  fields: readonly Field[],
  records: number,
  { collection: { rootField } }: Subject,
  toolbox: Toolbox,
): Promise<void> {
  const data = await inPages((first) =>
    toolbox.ask({ [printField(rootField, { first })]: { nodes: { recordJson: {} } } }),
  )
  const { nodes } = data[rootField] as { readonly nodes: readonly { readonly recordJson: Json }[] }
  const rateOf = nodes.length === records ? percent : roughPercent
  for (const { name, property } of fields) {
    const filled = nodes.filter(({ recordJson }) => [recordJson[property] ?? []].flat().length > 0)
    rates.set(name, rateOf(filled.length, nodes.length))
  }
}
