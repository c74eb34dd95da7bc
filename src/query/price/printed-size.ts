/** The size of what is printed of selected fields. */
import type { Fields } from '../plan/fields.ts'
import { isConstant } from '../plan/plan-facts.ts'
import { weights } from './cost-weights.ts'

export function sum<Item>(items: readonly Item[], size: (item: Item) => number): number {
  return items.reduce((all, item) => all + size(item), 0)
}

export function selectedSize<Kind extends { readonly kind: string }>(
  fields: Fields<Kind>,
  size: (output: Kind) => number,
): number {
  return sum(fields, ({ output }) => (isConstant(output) ? weights.value : size(output)))
}
