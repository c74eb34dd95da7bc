import { measures } from './measures.ts'

/** Names that the types of groups have for themselves, every measure among them. Elsewhere fields keep these names. */
const reservedOnGroups: ReadonlySet<string> = new Set([
  ...Object.keys(measures),
  'total',
  'matching',
  'countShare',
  'cursor',
  'top',
  'nodes',
  'pairs',
  'groupsPageInfo',
  'change',
])

/** The name by which records are grouped by a field; `taken`: the names of all group fields. */
export function groupFieldName(name: string, taken: ReadonlySet<string>): string {
  if (!reservedOnGroups.has(name)) return name
  let free = `record_${name}`
  while (taken.has(free)) free = `${free}_`
  return free
}
