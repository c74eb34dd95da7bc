/**
 * Groups with inner groups or sample records. The page of groups is found first; what lies within them is found for all
 * of them at once, and joined by their place on the page.
 */
import { join, type Sql, sql } from '../../../../sql/sql.ts'
import type { Fields } from '../../../plan/fields.ts'
import type { PhysicalAggregate, PhysicalGroupOutput } from '../../../plan/physical-plan.ts'
import { emitArray, emitObject } from '../../emit-output.ts'
import type { Emitter } from '../../emitter.ts'
import type { Grouping } from '../emit-grouping.ts'
import { groupValue } from '../emit-groups.ts'
import { emitSamples } from './emit-samples.ts'
import { emitSummedShares } from './emit-summed-shares.ts'
import { emitTop } from './emit-top.ts'
import { type Nested, type OuterPage, tokenOf } from './outer-page.ts'

/** The groups as a JSON array; `pageQuery` is the query for them in order. */
export function emitFilledGroups(
  emitter: Emitter,
  plan: PhysicalAggregate['aggregate'],
  groups: Grouping,
  fields: Fields<PhysicalGroupOutput>,
  pageQuery: () => Sql,
): Sql {
  const { dialect } = emitter
  const { share } = plan
  const sums: Sql[] = []
  const [name, divided] = [emitter.alias(), emitter.alias()]
  const [found, row] = [emitter.alias(), emitter.alias()]
  const { keys } = groups.columns
  const page: OuterPage = { name, keys }
  const pageTable = sql`${name} as materialized (select ${found}.*, row_number() over () as place, ${tokenOf(emitter, keys, found)} as token
    from (${pageQuery()}) ${found})`
  const all: (Nested & { readonly alias: Sql })[] = []
  const text = emitObject(emitter, fields, (output) => {
    if (output.kind !== 'top' && output.kind !== 'nodes')
      return groupValue(emitter, plan, groups, row, output)
    const alias = emitter.alias()
    if (output.kind === 'nodes') all.push({ ...emitSamples(emitter, plan, output.samples, page), alias })
    else {
      const { groupings, ...nested } = emitTop(emitter, output.top, page)
      all.push({ ...nested, alias })
      if (output.top.isSummed && groupings !== null && share !== null)
        sums.push(...emitSummedShares(emitter, share, groupings, page, divided))
    }
    return emitArray(emitter, sql`coalesce(${alias}.text, '')`)
  })
  const joins = all.map(
    ({ name: inner, alias }) => sql`left join ${inner} ${alias} on ${alias}.place = ${row}.place`,
  )
  const tables = [pageTable, ...all.flatMap((nested) => nested.tables), ...sums]
  const shown = sums.length === 0 ? name : divided
  const from = join([sql`${shown} ${row}`, ...joins], ' ')
  const printed = sql`with ${join(tables, ', ')} select ${dialect.joinedInOrder(sql`${row}.place`, text)} from ${from}`
  return emitArray(emitter, sql`(${printed})`)
}
