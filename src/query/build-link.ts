/** How records that refer to a row are found: by the reference's columns, or by its side table when there are many. */
import { findArray, findColumn, type Table } from '../database/tables.ts'
import type { Reference } from '../schema/model.ts'
import type { Link } from './plan.ts'

export function linkOf(holder: Table, reference: Reference): Link {
  if (reference.many) {
    const array = findArray(holder, reference.path, true)
    if (array !== undefined) return { kind: 'array', array }
  } else {
    const base = findColumn(holder, reference.path, 'refBase')
    const key = findColumn(holder, reference.path, 'refKey')
    if (base !== undefined && key !== undefined) return { kind: 'columns', base, key }
  }
  throw new Error(`The reference ${reference.collection}#${reference.path.join('.')} has no columns.`)
}
