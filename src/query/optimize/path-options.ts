/** The paths that conditions offer: index scans, own URIs and candidate ids, with the rows they read. */
import { ownKey, type Table, type TableIndex } from '../../database/layout/tables.ts'
import { findCandidateSources, maxCandidateSources } from './candidate-sources.ts'
import { columnIndex, conjuncts, isKey, leadingColumn, ownUris } from '../plan/plan-facts.ts'
import { emitSourceProbe } from '../emit/emit-access-path.ts'
import { createEmitter } from '../emit/emitter.ts'
import { planFilter } from './optimize-filter.ts'
import { type Optimizer, type Records, rowsOf } from './optimizer.ts'
import type { CandidateSource } from '../plan/physical-plan.ts'
import type { Condition } from '../plan/conditions.ts'

/** A path before it is decided how to force the engine to use it. */
export type Choice =
  | { readonly kind: 'planner' }
  | {
      readonly kind: 'index-scan'
      readonly index: string | null
      /** Number of records that it finds; null if a scan in the order of the list ends early. */
      readonly estimate: number | null
    }
  | {
      readonly kind: 'candidate-ids'
      readonly sources: readonly CandidateSource[]
      /** The conjunct that the sources answer. */
      readonly part: Condition
      readonly estimate: number
    }

/** A path that may be chosen. */
export type Option = Exclude<Choice, { kind: 'planner' }> & {
  readonly estimate: number
  /** Whether the path returns rows in id order. */
  readonly inIdOrder: boolean
  /** Number of values that its sources compare with. */
  readonly values: number
}

/** Indexes by two columns of which an equality fixes the first; `parts`: it, and comparisons with the second. */
export function pairs(table: Table, where: Condition) {
  const all = conjuncts(where)
  const onColumn = (name: string | undefined) =>
    all.filter((part) => part.kind === 'compare' && part.op !== 'ne' && leadingColumn(part) === name)
  return table.indexes.flatMap((index) => {
    if (index.kind !== 'pair') return []
    const equal = onColumn(index.columns[0]).filter((part) => part.kind === 'compare' && part.op === 'eq')
    return equal.length === 0 ? [] : [{ index, parts: [...equal, ...onColumn(index.columns[1])] }]
  })
}

/** Paths by single conjuncts, the most selective first; counted up to `limit`. */
export function optionsOf(optimizer: Optimizer, records: Records, limit: number): readonly Option[] {
  const { table, where } = records
  const parts = conjuncts(where)
  const probe = (index: TableIndex, held: readonly Condition[], upTo: number): number => {
    const filter = planFilter(optimizer, { kind: 'all', of: held })
    const source = { kind: 'rows', table, index, filter } as const
    return optimizer.statistics.countUpTo(emitSourceProbe(createEmitter(optimizer), source), upTo)
  }
  const singles = parts.flatMap((part): Option[] => {
    const index = columnIndex(table, part)
    if (index === undefined || ownUris(part) !== null) return []
    const isEqual = part.kind === 'url' || (part.kind === 'compare' && part.op === 'eq')
    const equality = isEqual && index.kind === 'value'
    const inIdOrder = equality || (part.kind === 'uri' && part.list.length === 1)
    return [scanOf(index, probe(index, [part], limit), inIdOrder)]
  })
  const both = pairs(table, where).map(({ index, parts: held }): Option => {
    // If the index covers all conditions, a step costs a tenth: no row is read before the page is known.
    const steps = held.length === parts.length ? 10 : 1
    return scanOf(index, probe(index, held, limit * steps) / steps, false)
  })
  const candidates = candidateOptions(optimizer, records, limit)
  const keys = keyOptions(optimizer, table, where)
  return [...uriOptions(table, where), ...keys, ...singles, ...both, ...candidates].sort(
    (a, b) => a.estimate - b.estimate,
  )
}

function scanOf({ name }: TableIndex, estimate: number, inIdOrder: boolean): Option {
  return { kind: 'index-scan', index: name, estimate, inIdOrder, values: 0 }
}

/** Paths by the records' own URIs; each URI has at most one record. */
export function uriOptions(table: Table, where: Condition): readonly Option[] {
  return conjuncts(where).flatMap((part): readonly Option[] => {
    const uris = ownUris(part)
    return uris === null ? [] : [scanOf(ownKey(table), uris.length, uris.length === 1)]
  })
}

/** Maximum number of repositories in which a record key is looked up. */
const mostRepoCollections = 1_000

/** The path by a record key, which each repo collection has at most once. */
export function keyOptions({ statistics }: Optimizer, table: Table, where: Condition): readonly Option[] {
  if (!conjuncts(where).some(isKey)) return []
  const all = { text: 'select 1 from base', values: [] }
  const estimate = statistics.countUpTo(all, mostRepoCollections + 1)
  return estimate > mostRepoCollections ? [] : [scanOf(ownKey(table), estimate, false)]
}

/** Paths by candidate ids, and whether merging their sources is cheap enough to return id order. */
export function candidateOptions(optimizer: Optimizer, { table, where }: Records, limit: number): Option[] {
  return cheapestFirst(conjuncts(where)).flatMap((part): Option[] => {
    // A condition on an index of the table itself already has an index-scan option.
    if (columnIndex(table, part) !== undefined) return []
    const found = findCandidateSources(optimizer, table, part, limit)
    if (found === null || found.sources.length > maxCandidateSources) return []
    const { sources, estimate, lists, values } = found
    // Merging costs about 3 µs a list and scanning 0.4 µs a step; beyond this limit a scan finds its hits sooner.
    const isMerged = lists <= 4 || lists * estimate < 2.8 * rowsOf(optimizer, table)
    const inIdOrder = isMerged && sources.every(({ kind }) => kind !== 'rows')
    return [{ kind: 'candidate-ids', sources, part, estimate, inIdOrder, values }]
  })
}

/** The planning budget is spent on stored statistics first, then on counting. */
function cheapestFirst(parts: readonly Condition[]): readonly Condition[] {
  const isCheap = ({ kind }: Condition) => kind === 'text' || kind === 'words' || kind === 'has'
  return [...parts.filter(isCheap), ...parts.filter((part) => !isCheap(part))]
}
