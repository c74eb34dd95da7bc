/** How to find the records that refer to a row: by the reference's columns, or by its side table if there are many. */
import { findArray, findReference, type Table } from '../../database/tables.ts'
import type { Reference } from '../../schema/model.ts'
import type { Link, ReferenceOperand, ReferenceShape } from './plan.ts'

export function linkOf(holder: Table, reference: Reference): Link {
  if (reference.many) {
    const array = findArray(holder, reference.path, true)
    if (array !== undefined) return { kind: 'array', array }
  } else {
    const columns = findReference(holder, reference.path)
    if (columns !== undefined) return { kind: 'columns', ...columns }
  }
  throw new Error(`The reference ${reference.collection}#${reference.path.join('.')} has no columns.`)
}

/** A reference at a path of a row: its columns, or its JSON if it has none or the row is not a record. */
export function referenceOperand(
  table: Table | null,
  path: readonly string[],
  shape: ReferenceShape,
): ReferenceOperand {
  const columns = table === null ? undefined : findReference(table, path)
  return columns === undefined ? { kind: 'json', path, shape } : { kind: 'columns', ...columns, path, shape }
}
