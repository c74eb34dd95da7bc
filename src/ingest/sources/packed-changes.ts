/**
 * Changes as one flat list of values, for the way from one thread to another: copying an object for each record, with
 * the names of its members and lists within lists, takes three times as long.
 */
import type { Change, ColumnValue, RecordPut } from '../../database/database.ts'

export interface PackedChanges {
  /** What the puts have, one after the other, as `packPut` writes it. */
  readonly values: readonly ColumnValue[]
  /** Of all puts. */
  readonly cids: Uint8Array
  /** Whatever is no put of a load, with its place among all. */
  readonly others: readonly (readonly [at: number, change: Change])[]
}

const cidBytes = 36

export function packChanges(changes: readonly Change[]): PackedChanges {
  const values: ColumnValue[] = []
  const cids = new Uint8Array(cidBytes * changes.length)
  const others: [number, Change][] = []
  let end = 0
  let before: RecordPut | null = null
  for (const [at, change] of changes.entries()) {
    if (change.kind !== 'put' || change.changedAt !== undefined) {
      others.push([at, change])
      continue
    }
    packPut(values, change, before)
    before = change
    cids.set(change.cid, end)
    end += cidBytes
  }
  return { values, cids: cids.subarray(0, end), others }
}

/** Null for a collection or an account is the one before; they are mostly the same. */
function packPut(values: ColumnValue[], put: RecordPut, before: RecordPut | null): void {
  const { collection, did, rkey, rev, indexedAt, json, columns, arrays } = put
  values.push(
    collection === before?.collection ? null : collection,
    did === before?.did ? null : did,
    rkey,
    rev,
    indexedAt,
    json,
    columns.length,
    arrays.length,
  )
  for (const value of columns) values.push(value)
  for (const elements of arrays) {
    values.push(elements.length)
    for (const element of elements) {
      values.push(element.length)
      for (const value of element) values.push(value)
    }
  }
}

export function unpackChanges({ values, cids, others }: PackedChanges): Change[] {
  const changes: Change[] = []
  let at = 0
  let read = 0
  let [collection, did] = ['', '']
  const take = <Value extends ColumnValue>(): Value => values[at++] as Value
  const takeSome = <Value extends ColumnValue>(count: number): readonly Value[] => {
    at += count
    return values.slice(at - count, at) as readonly ColumnValue[] as readonly Value[]
  }
  const takeOthers = (): void => {
    for (let other = others[read]; other?.[0] === changes.length; other = others[++read])
      changes.push(other[1])
  }
  while (at < values.length) {
    takeOthers()
    collection = take<string | null>() ?? collection
    did = take<string | null>() ?? did
    const place = changes.length - read
    const [rkey, rev, indexedAt] = [take<string>(), take<string | null>(), take<bigint | null>()]
    const json = take<string>()
    const counts = takeSome<number>(2) as readonly [number, number]
    const columns = takeSome(counts[0])
    const arrays: (readonly ColumnValue[])[][] = []
    for (let array = 0; array < counts[1]; array++) {
      const elements: (readonly ColumnValue[])[] = []
      for (let count = take<number>(); count > 0; count--) elements.push(takeSome(take<number>()))
      arrays.push(elements)
    }
    const cid = cids.subarray(cidBytes * place, cidBytes * (place + 1))
    changes.push({ kind: 'put', collection, did, rkey, cid, rev, indexedAt, json, columns, arrays })
  }
  takeOthers()
  return changes
}
