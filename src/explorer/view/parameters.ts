/** Parameters of addresses that are not conditions. A field with such a name is written with its operator: `sort.is=…`. */

/** Of every page of a collection. */
export const viewParameters = [
  'q',
  'sort',
  'show',
  'stories',
  'columns',
  'facets',
  'after',
  'before',
] as const
/** Of the page that chooses a filter. */
export const filterParameters: readonly string[] = ['field', 'find', 'op', 'value', 'for']
/** Of charts over time. */
export const timeParameters = ['split', 'as', 'per', 'base'] as const
/** Of a measure by fields. */
export const groupParameters = ['measure', 'of', 'by', 'kind', 'top', 'step', 'base'] as const
/** Of topics. */
export const topicParameters = ['q', 'per', 'base', 'panel'] as const
/** Of the page of charts, and of the files of all charts. */
export const chartParameters: readonly string[] = [
  ...new Set(['part', ...groupParameters, ...timeParameters]),
]

const reserved: ReadonlySet<string> = new Set([
  'lang',
  ...viewParameters,
  ...filterParameters,
  ...topicParameters,
  ...chartParameters,
])

export function isReserved(name: string): boolean {
  return reserved.has(name)
}
