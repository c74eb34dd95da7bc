/** Shared by the descriptions of collections and fields: words for types, counts of values, shares in percent, cutting to the budget. */
import type { FieldType, Reference } from '../../../schema/model/model.ts'
import { fitValue } from '../../words/budget.ts'
import { isWithin } from '../../words/tokens.ts'
import type { Catalogue, Subject } from '../../../ask/collections.ts'
import { dayOf, type TimeRange } from '../../words/days.ts'
import { cutText } from '../../words/plain-text.ts'
import type { Json } from '../../../util/is-object.ts'
import type { Toolbox } from '../toolbox.ts'

export interface Counted {
  readonly groupCount: number
  readonly groups: readonly (Json & { readonly count: number })[]
  readonly groupsPageInfo?: { readonly hasNextPage: boolean }
}

/** The collection that a reference leads to, or a word for the type. */
export function kindWord(type: FieldType, reference: Reference | null, catalogue: Catalogue): string {
  return reference?.target ? `→ ${catalogue.of(reference.target).label}` : typeWord(type)
}

function typeWord(type: FieldType): string {
  switch (type.kind) {
    case 'string':
      if (type.freeText) return 'text'
      return type.code ? 'code' : type.categorical ? 'category' : (type.format ?? 'string')
    case 'array':
      return `list of ${typeWord(type.of)}`
    case 'object':
      return `object {${type.type.fields.map(({ name }) => name).join(' ')}}`
    case 'strongRef':
    case 'atUri':
      return 'reference'
    case 'datetime':
      return 'time'
    default:
      return type.kind
  }
}

/** The most frequent values, each with its number of records; values that are cut to the same text are counted together. */
export function fewer(
  groups: Counted['groups'],
  keyOf: (group: Json) => unknown,
  most: number,
  longest: number,
): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const group of groups.slice(0, most)) {
    const value = cutText(String(keyOf(group) ?? '(missing)'), longest)
    counts.set(value, (counts.get(value) ?? 0) + group.count)
  }
  return Object.fromEntries(counts)
}

/** The first of the descriptions that is within the budget; `last` is cut to fit if none is. */
export function firstFitting(descriptions: IteratorObject<Json>, last: Json, { budget }: Toolbox): Json {
  const fitting = descriptions.find((one) => isWithin(one, budget))
  if (fitting !== undefined) return fitting
  const { value, shortened, cut } = fitValue(last, budget - 25)
  const isCut = shortened || cut.length > 0
  return { ...(value as Json), ...(isCut && { hint: 'Cut to fit: give more max_tokens for the rest.' }) }
}

/** Such as `94%`; 100% only if the part is the whole, and 0% only if it is empty. */
export function percent(part: number, whole: number): string {
  if (part === whole) return '100%'
  if (part === 0) return '0%'
  const rounded = Math.round((100 * part) / whole)
  return rounded === 0 ? '<1%' : `${Math.min(rounded, 99)}%`
}

/** Such as `publishedAt 2026-09-14 to 2026-11-15, 94%`. */
export function timeOf({ time }: Subject, records: number, { oldest, newest, undated }: TimeRange): string {
  const span = oldest === null ? '' : ` ${dayOf(oldest)} to ${dayOf(newest)},`
  return `${time}${span} ${percent(records - undated, records)}`
}

/** The share in a sample, without decimals. */
export function roughPercent(part: number, whole: number): string {
  return `~${Math.round((100 * part) / whole)}%`
}
