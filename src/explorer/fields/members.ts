/** The members of a record: its fields, its objects, and the fields inside those. */
import { leafName, leafPath, leafProperties, propertyLeaves } from '../../schema/model/leaves.ts'
import type { Collection, Field } from '../../schema/model/model.ts'

export interface Member {
  /** The names of the fields that lead to it; joined by underscores they are its own. */
  readonly path: readonly string[]
  /** Keys in the record's JSON. */
  readonly properties: readonly string[]
  readonly field: Field
}

/** By name: fields of the record first, then those of its objects. */
export function membersOf({ type }: Collection): ReadonlyMap<string, Member> {
  return new Map(
    propertyLeaves(type).map((leaf) => [
      leafName(leaf),
      { path: leafPath(leaf), properties: leafProperties(leaf), field: leaf.field },
    ]),
  )
}
