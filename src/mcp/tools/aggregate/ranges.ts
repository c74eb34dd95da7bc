/** Ranges of integers in `by`, written as a path and their size: `wordCount:100`. */
import type { Collection } from '../../../schema/model/model.ts'
import { isArray, leafType } from '../../../schema/model/leaves.ts'
import { isTimePart } from '../../../schema/model/operators.ts'
import { type Group, parseGroup } from '../../filters/groups.ts'
import type { SchemaContext } from '../../filters/paths.ts'
import { ToolError } from '../tool.ts'

export interface Groups {
  readonly groups: readonly Group[]
  /** The size of ranges, which all integers have; undefined if values are grouped by themselves. */
  readonly interval: number | undefined
}

export function parseGroups(by: readonly string[], from: Collection, context: SchemaContext): Groups {
  const parsed = by.map((text) => {
    const [, path = text, size] = /^(.*):(\d{1,10})\s*$/.exec(text) ?? []
    const group = { ...parseGroup(path, from, context), text: text.trim() }
    if (size !== undefined && !isInteger(group))
      throw new ToolError(`"${group.text}": only integers have ranges of a size; leave the number out.`)
    return { group, size: size === undefined ? null : Number(size) }
  })
  const sizes = new Set(
    parsed.flatMap(({ group, size }) => (size !== null || isCountable(group) ? [size] : [])),
  )
  if (sizes.size > 1)
    throw new ToolError('All integers in by have ranges of one size: write the same number after each path.')
  return { groups: parsed.map(({ group }) => group), interval: [...sizes][0] ?? undefined }
}

function isInteger({ field: { leaf, bucket } }: Group): boolean {
  return bucket === null && !isArray(leaf) && leafType(leaf).kind === 'integer'
}

/** Parts of time are integers too. */
function isCountable(group: Group): boolean {
  const { bucket } = group.field
  return isInteger(group) || (bucket !== null && isTimePart(bucket))
}
