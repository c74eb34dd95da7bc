/** Names that the types of groups have for themselves. Fields of records keep these names everywhere else. */
const reservedOnGroups: ReadonlySet<string> = new Set([
  'total',
  'share',
  'cursor',
  'top',
  'nodes',
  'median',
  'stddev',
  'percentile',
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
