/**
 * Groups with inner groups or sample records. The page of groups is found first; what lies within them is found for all
 * of them at once, and joined by their place on the page.
 */
import { join, type Sql, sql, allOf, identifier, raw } from '../../../../sql/sql.ts'
import type { Fields } from '../../../plan/fields.ts'
import type {
  PhysicalAggregate,
  PhysicalGroupOutput,
  PhysicalTop,
  PhysicalSamples,
} from '../../../plan/physical-plan.ts'
import { emitArray, emitObject, emitFields } from '../../emit-output.ts'
import { type Emitter, newRow, type RecordRow } from '../../emitter.ts'
import type { Grouping } from '../emit-grouping.ts'
import { groupValue, formGroups } from '../emit-groups.ts'
import { groupOrder } from '../emit-group-order.ts'
import { havingConditions } from '../emit-having.ts'
import type { Groupings } from '../emit-shares.ts'
import { orderOf } from '../../lists/emit-order.ts'
import { emitNumberedRows } from '../emit-source.ts'
import type { SharePlan } from '../../../plan/groups/group-plan.ts'

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

/**
 * Groups within groups: they are formed together for all groups of a page, and numbered within each. With the groupings
 * of the denominator, if there is one.
 */
function emitTop(
  emitter: Emitter,
  { aggregate: plan }: PhysicalTop,
  page: OuterPage,
): Nested & { readonly groupings: Groupings | null } {
  const { dialect } = emitter
  const { groups, shared } = formGroups(emitter, plan, () => null, { groups: page.name, keys: page.keys })
  if (groups === null) throw new Error('There are no groups within groups.')
  const { aggregate, fields } = plan
  const [ranked, name] = [emitter.alias(), emitter.alias()]
  const [ordered, place, shown, row] = [emitter.alias(), emitter.alias(), emitter.alias(), emitter.alias()]
  const { columns, joins } = groups.lookedUp(ordered)
  const selected = join([sql`${ordered}.*`, ...columns, sql`${place}.place as place`], ', ')
  const from = join([sql`${groups.name} ${ordered}`, joinPlace(emitter, page, ordered, place), ...joins], ' ')
  const isLarge = sql`${ordered}.n >= ${aggregate.minCount}`
  const conditions = [isLarge, ...havingConditions(emitter, aggregate, groups, ordered)]
  const found = sql`select ${selected} from ${from} where ${allOf(conditions)}`
  const order = groupOrder(emitter, aggregate, groups, shown)
  const outputs = fields.flatMap(({ output }) => (output.kind === 'groups' ? [output.fields] : []))[0] ?? []
  const text = emitObject(emitter, outputs, (output) => {
    if (output.kind === 'top' || output.kind === 'nodes') throw new Error('Groups are nested one level deep.')
    return groupValue(emitter, aggregate, groups, row, output)
  })
  return {
    name,
    groupings: shared?.groupings ?? null,
    tables: [
      ...groups.tables,
      sql`${ranked} as materialized (select ${shown}.*, row_number() over (partition by ${shown}.place order by ${order}) as nth
    from (${found}) ${shown})`,
      sql`${name} as materialized (select place, ${dialect.joinedInOrder(sql`${row}.nth`, text)} as text
    from ${ranked} ${row} where ${row}.nth <= ${aggregate.limit} group by place)`,
    ],
  }
}

/** Sample records: they are numbered within each group, found by their ids, and printed like those of a list. */
function emitSamples(
  emitter: Emitter,
  { table, keys, elements }: Pick<PhysicalAggregate['aggregate'], 'table' | 'keys' | 'elements'>,
  { sort, first, fields, rows, inIdOrder }: PhysicalSamples,
  page: OuterPage,
): Nested {
  const { dialect } = emitter
  const [numbered, name] = [emitter.alias(), emitter.alias()]
  const [sample, place] = [emitter.alias(), emitter.alias()]
  const order = (row: RecordRow) =>
    inIdOrder
      ? { orders: [sql`${row.alias}.id ${raw(sort[0]?.direction ?? 'desc')}`], joined: raw('') }
      : orderOf(emitter, sort, row)
  const within = { groups: page.name, keys: page.keys }
  const record = newRow(emitter, table)
  const text = emitFields(emitter, fields, record)
  // The ids belong to visible rows, so hidden rows need no second check.
  const found: Sql = sql`(select * from ${numbered} where nth <= ${first}) ${sample}
    ${joinPlace(emitter, page, sample, place)}
    ${dialect.join} ${identifier(table.name)} ${record.alias} on ${record.alias}.id = ${sample}.id`
  return {
    name,
    tables: [
      sql`${numbered} as materialized (${emitNumberedRows(emitter, { table, elements }, { keys, access: rows, within }, order)})`,
      sql`${name} as materialized (select ${place}.place as place, ${dialect.joinedInOrder(sql`${sample}.nth`, text)} as text
    from ${found} group by ${place}.place)`,
    ],
  }
}

/**
 * The records of a denominator in each group of a page, summed from the groups within them. Common table expressions, of
 * which the last, called `name`, is the page with the columns `total` and `matched`.
 */
function emitSummedShares(
  emitter: Emitter,
  { numerator }: SharePlan,
  { total, matched }: Groupings,
  page: OuterPage,
  name: Sql,
): readonly Sql[] {
  const { dialect } = emitter
  if (total === null) throw new Error('There are no groups to add up.')
  const [sums, part, place, row] = [emitter.alias(), emitter.alias(), emitter.alias(), emitter.alias()]
  const keys = join([...page.keys], ', ')
  const parts = [
    sql`select ${keys}, n as total, cast(0 as bigint) as matched from ${total.name}`,
    ...(matched === null ? [] : [sql`select ${keys}, 0, n from ${matched.name}`]),
  ]
  const [summed, met] = ['total', 'matched'].map((column) => sql`coalesce(${sums}.${raw(column)}, 0)`)
  const divided = numerator === 'count' ? sql`${row}.n` : numerator === 'total' ? summed : met
  return [
    sql`${sums} as materialized (select ${place}.place as place, ${dialect.sum(raw('total'))} as total, ${dialect.sum(raw('matched'))} as matched
    from (${join(parts, ' union all ')}) ${part} ${joinPlace(emitter, page, part, place)} group by ${place}.place)`,
    sql`${name} as materialized (select ${row}.*, ${summed as Sql} as total, ${divided as Sql} as matched
    from ${page.name} ${row} left join ${sums} on ${sums}.place = ${row}.place)`,
  ]
}

interface OuterPage {
  /** Name of a relation of the groups with the columns of their keys, a `place`, and a `token` of their keys. */
  readonly name: Sql
  /** The columns of the keys. */
  readonly keys: readonly Sql[]
}

/** What is printed within each group: a relation with the `place` of a group and the `text` in it. */
interface Nested {
  /** Common table expressions, in order. */
  readonly tables: readonly Sql[]
  readonly name: Sql
}

/** The keys as one text. Joins on it are hashed, and match missing keys, which equal nothing. */
function tokenOf({ dialect }: Emitter, keys: readonly Sql[], row: Sql): Sql {
  return dialect.jsonArray(keys.map((key) => sql`${row}.${key}`))
}

/** Joins the `place` of its outer group to each row on the left. */
function joinPlace(emitter: Emitter, { name, keys }: OuterPage, row: Sql, place: Sql): Sql {
  return sql`${emitter.dialect.join} (select place, token from ${name}) ${place} on ${place}.token = ${tokenOf(emitter, keys, row)}`
}
