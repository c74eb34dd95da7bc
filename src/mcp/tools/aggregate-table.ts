/** Builds a table from the answer of an aggregate: names instead of URIs, measures, shares. */
import { readDisplay } from '../filters/fields.ts'
import type { Group, Measure } from '../filters/groups.ts'
import type { Toolbox } from './toolbox.ts'
import type { Json } from './tool.ts'

export interface Aggregated extends Json {
  readonly count: number
  readonly groupCount: number
  readonly groups: readonly Json[]
}

export interface Order {
  readonly by: 'count' | 'key' | 'share' | Measure
  readonly isDescending: boolean
}

export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  /** True if some shares are unknown, because there are more groups than the service returns. */
  readonly isPartial: boolean
}

export function buildTable(
  groups: readonly Group[],
  measures: readonly Measure[],
  order: Order,
  whole: Aggregated,
  part: Aggregated | null,
  toolbox: Toolbox,
): Table {
  const columns = [
    ...groups.map(({ text }) => text),
    'count',
    ...measures.map(({ text }) => text),
    ...(part === null ? [] : ['matching', 'share']),
  ]
  const grouped = groups.length > 0
  const keyOf = (group: Json) => JSON.stringify(groups.map(({ field }) => group[field.name]))
  const shared = new Map(part?.groups?.map((group) => [keyOf(group), group.count as number]))
  const isPartial = grouped && part !== null && part.groupCount > part.groups.length
  const names = grouped ? namesOf(groups, whole.groups, toolbox) : null
  const rows = (grouped ? whole.groups : [whole as Json]).map((group) => {
    const matching =
      part === null ? null : grouped ? (shared.get(keyOf(group)) ?? (isPartial ? null : 0)) : part.count
    const count = group.count as number
    const share = matching === null || count === 0 ? null : round(matching / count)
    return [
      ...groups.map(({ field }, at) => names?.(group, at) ?? group[field.name]),
      count,
      ...measures.map((measure, at) => readMeasure(measure, at, group)),
      ...(part === null ? [] : [matching, share]),
    ]
  })
  if (order.by === 'share') {
    const sign = order.isDescending ? -1 : 1
    const last = (row: readonly unknown[]) => (row.at(-1) as number | null) ?? -1
    rows.sort((a, b) => sign * (last(a) - last(b)))
  }
  return { columns, rows, isPartial }
}

/** Names instead of URIs; records of a column that share a name get their URI appended. */
function namesOf(groups: readonly Group[], rows: readonly Json[], toolbox: Toolbox) {
  const columns = groups.map(({ field, reference }) => {
    const named = new Map<string, string>()
    if (reference === null) return named
    for (const row of rows) {
      const uri = row[field.name]
      const record = row[`${field.name}Resolved`]
      const name = readDisplay(record, reference === 'any' ? null : reference, toolbox)
      if (typeof uri === 'string' && name !== null) named.set(uri, name)
    }
    const counts = Map.groupBy(named.keys(), (uri) => named.get(uri))
    for (const [uri, name] of named)
      if ((counts.get(name)?.length ?? 0) > 1) named.set(uri, `${name} (${uri})`)
    return named
  })
  return (group: Json, at: number): string | undefined => {
    const uri = group[groups[at]?.field.name ?? '']
    return typeof uri === 'string' ? columns[at]?.get(uri) : undefined
  }
}

function readMeasure({ kind, field }: Measure, at: number, group: Json): unknown {
  const value = kind === 'distinct' ? group[`distinct${at}`] : (group[kind] as Json)[field]
  return kind === 'avg' && typeof value === 'number' ? round(value) : value
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
