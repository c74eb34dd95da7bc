/** The arguments of an aggregate that select the records of a view. */
import type { Subject } from '../fields/subject.ts'
import type { View } from '../view/view.ts'
import { type Where, whereOf } from '../view/where.ts'

export interface Restriction {
  readonly where: Where | undefined
  readonly search: string | undefined
}

export function restrictionOf(
  { conditions, search }: Pick<View, 'conditions' | 'search'>,
  { collection }: Subject,
): Restriction {
  return {
    where: conditions.length === 0 ? undefined : whereOf(conditions),
    search: search === '' || collection.searchFields.length === 0 ? undefined : search,
  }
}

/** Only the conditions of the view on its time: what a part of the records is compared with. */
export function periodOnly(view: View, { roles }: Subject): View {
  return { ...view, search: '', conditions: view.conditions.filter(({ field }) => field.name === roles.time) }
}

export function isRestricted({ search, conditions }: View): boolean {
  return search !== '' || conditions.length > 0
}
