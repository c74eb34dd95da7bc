/** What `display.json` says about collections and fields, and what pages show where it says nothing. */
import type { PageRoles } from './guesses.ts'
import type { Labels, Scale, ValueLabels } from './labels.ts'

export interface FieldDisplay {
  readonly label: Labels
  readonly scale: Scale | null
  readonly values: ValueLabels
}

export interface FieldGroup {
  readonly label: Labels
  /** Names of members of the record. */
  readonly fields: readonly string[]
}

export interface CollectionDisplay {
  readonly label: Labels
  readonly description: Labels
  /** Where they are given, instead of the guesses. */
  readonly roles: Partial<PageRoles>
  /** Names of fields that pages do not show by themselves; filters may still name them. */
  readonly hidden: ReadonlySet<string>
  readonly groups: readonly FieldGroup[]
  /** By the name of a member. */
  readonly fields: ReadonlyMap<string, FieldDisplay>
}

/** By NSID. */
export type Display = ReadonlyMap<string, CollectionDisplay>

export const noDisplay: Display = new Map()

/** Without an entry in `display.json`. */
export const plainDisplay: CollectionDisplay = {
  label: {},
  description: {},
  roles: {},
  hidden: new Set(),
  groups: [],
  fields: new Map(),
}
