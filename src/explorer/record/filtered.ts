/** Addresses of a collection filtered by one value. */
import { collectionAddress, withLanguage } from '../addresses.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { Language } from '../languages/language.ts'
import { emptyView, type View } from '../view/view.ts'

/** The collection with the field's value; null where an address cannot have it. */
export function filteredAddress(
  subject: PageSubject,
  field: ShownField,
  value: string,
  language: Language,
): string | null {
  const isReference = field.type.kind === 'strongRef' || field.type.kind === 'atUri'
  if (field.isArray && isReference) return null
  const conditions: View['conditions'] = [{ field, operator: 'is', values: [value] }]
  return withLanguage(collectionAddress(subject.collection.nsid, { ...emptyView, conditions }), language)
}
