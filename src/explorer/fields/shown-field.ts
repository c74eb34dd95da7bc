/** A field of a collection as people meet it: with labels, and with the text that names the record at its other end. */
import type { AskField } from '../../ask/fields.ts'
import type { Labels, ValueLabels } from './labels.ts'

export interface ShownField extends AskField {
  /** Those of `display.json`; empty without any. */
  readonly labels: Labels
  /** Labels of values in `display.json`. */
  readonly valueLabels: ValueLabels
  /** Whether pages show it only where it is asked for. */
  readonly isHidden: boolean
  /** The text of the records it refers to that names them; null where there is no `target`, or no such text. */
  readonly targetTitle: string | null
}

/** The name of the record's collection, which is the same in all of its records: there is nothing to choose. */
export function isCollectionName({ steps, properties }: ShownField): boolean {
  return properties.length === 0 && steps.at(-1)?.name === 'collection'
}

/** Whether its values are language tags. */
export function isLanguage({ type }: Pick<ShownField, 'type'>): boolean {
  return type.kind === 'string' && type.use.page === 'language'
}

/** Whether readers may count and group by the field. */
export function isGroupOffered(field: ShownField): boolean {
  return field.isGroup && !isCollectionName(field)
}

/** Facets do not take fields inside arrays of objects, although groups do. */
export function isFacet(field: ShownField | undefined): boolean {
  return field?.isGroup === true && !field.many
}

/** Whether nearly every record has another value, so that groups of them tell nothing: titles, long texts, addresses. */
export function isDiverse(
  { name, isArray, isOwn, type }: ShownField,
  { title, summary }: { readonly title: string | null; readonly summary: string | null },
): boolean {
  if (isArray || type.kind !== 'string') return false
  return type.use.page === 'address' || (type.freeText && (!isOwn || name === title || name === summary))
}
