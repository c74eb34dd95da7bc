/** Facets as SQL: groups by one key each, and the rows that several facets read, in common table expressions. */
import type { Table } from '../../../database/layout/tables.ts'
import { type Sql, sql } from '../../../sql/sql.ts'
import { emitObject, emitTuple } from '../emit-output.ts'
import type { Emitter } from '../emitter.ts'
import type { PhysicalFacets } from '../../plan/physical-plan.ts'
import type { FacetOutput, FacetPlan } from '../../plan/plan.ts'
import { emitGroups } from './emit-group-pages.ts'
import { createGrouping } from './emit-grouping.ts'
import { type Grouping, isMissing, keyText } from './emit-group-values.ts'
import { inSteps } from '../steps.ts'
import { emitSharedRows } from './emit-source.ts'

/** The facets as a JSON array; `parent` is the alias of the row to which the link of their list refers. */
export function emitFacets(
  given: Emitter,
  table: Table,
  { shared, facets }: PhysicalFacets,
  parent: Sql | null,
): Sql {
  return inSteps(given, (emitter) => {
    const rows = shared.map((access, index) => {
      const sharing = facets.filter(({ groups }) => groups?.kind === 'shared' && groups.rows === index)
      const keys = sharing.map(({ facet }) => facet.key)
      return emitSharedRows(emitter, { table, elements: [] }, keys, access, parent)
    })
    const plan = { table, measures: [], elements: [] }
    const objects = facets.map(({ facet, groups }) => {
      const access = groups?.kind === 'shared' ? (rows[groups.rows] ?? null) : groups
      const grouping = access === null ? null : createGrouping(emitter, plan, [facet.key], access, parent)
      return emitObject(emitter, facet.fields, (output) => facetValue(emitter, facet, grouping, output))
    })
    return { value: emitTuple(emitter, objects) }
  })
}

function facetValue(emitter: Emitter, facet: FacetPlan, groups: Grouping | null, output: FacetOutput): Sql {
  if (groups === null) throw new Error('The facet has no groups.')
  const { dialect } = emitter
  const row = emitter.alias()
  switch (output.kind) {
    case 'missing':
      return sql`(select coalesce(sum(n), 0) from ${groups.name} ${row} where ${isMissing(0, row, true)})`
    case 'cut': {
      const values = sql`select count(*) from ${groups.name} ${row} where ${isMissing(0, row, false)}`
      return dialect.booleanJson(sql`(${values}) > ${dialect.limit(facet.limit)}`)
    }
    case 'values': {
      const text = emitObject(emitter, output.fields, ({ kind }) =>
        kind === 'count' ? sql`${row}.n` : dialect.toJson(keyText(emitter, groups, 0, row)),
      )
      const { key, limit } = facet
      const plan = {
        keys: [key],
        order: { by: 'count', direction: 'desc' },
        limit,
        measures: [],
        page: null,
        groups,
        condition: (each: Sql) => isMissing(0, each, false),
      } as const
      return emitGroups(emitter, plan, text, row)
    }
  }
}
