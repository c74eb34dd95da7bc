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
import { type Grouping, lookedUp } from '../emit-group-values.ts'
import { inSteps, type StepEmitter } from '../../steps.ts'
import { groupValue, formGroups } from '../emit-groups.ts'
import { groupOrder } from '../emit-group-order.ts'
import { havingConditions } from '../emit-having.ts'
import type { Groupings } from '../emit-shares.ts'
import { orderOf } from '../../lists/emit-order.ts'
import { emitNumberedRows } from '../emit-source.ts'
import type { SharePlan } from '../../../plan/groups/group-plan.ts'

/** The groups as a JSON array; `pageQuery` is the query for them in order. */
export function emitFilledGroups(
  given: Emitter,
  plan: PhysicalAggregate['aggregate'],
  groups: Grouping,
  fields: Fields<PhysicalGroupOutput>,
  pageQuery: () => Sql,
): Sql {
  const filled = inSteps(given, (emitter) => {
    const { dialect } = emitter
    const { keys } = groups.columns
    const [found, row] = [emitter.alias(), emitter.alias()]
    const name =
      emitter.step(sql`select ${found}.*, row_number() over () as place, ${tokenOf(emitter, keys, found)} as token
    from (${pageQuery()}) ${found}`)
    const page: OuterPage = { name, keys }
    let shown = name
    const joins: Sql[] = []
    const text = emitObject(emitter, fields, (output) => {
      if (output.kind !== 'top' && output.kind !== 'nodes')
        return groupValue(emitter, plan, groups, row, output)
      const alias = emitter.alias()
      const add = (nested: Sql): void => {
        joins.push(sql`left join ${nested} ${alias} on ${alias}.place = ${row}.place`)
      }
      if (output.kind === 'nodes') add(emitSamples(emitter, plan, output, page))
      else {
        const { groupings, name: inner } = emitTop(emitter, output, page)
        add(inner)
        if (output.isSummed && groupings !== null && plan.share !== null)
          shown = emitSummedShares(emitter, plan.share, groupings, page)
      }
      return emitArray(emitter, sql`coalesce(${alias}.text, '')`)
    })
    const from = join([sql`${shown} ${row}`, ...joins], ' ')
    return { value: dialect.joinedInOrder(sql`${row}.place`, text), from }
  })
  return emitArray(given, filled)
}

/**
 * Groups within groups, formed together for all groups of a page and numbered within each: the name of a step with the
 * `place` of each group and the `text` in it, and the groupings of the denominator, if there is one.
 */
function emitTop(
  emitter: StepEmitter,
  { aggregate: plan }: PhysicalTop,
  page: OuterPage,
): { readonly name: Sql; readonly groupings: Groupings | null } {
  const { dialect } = emitter
  const { groups, shared } = formGroups(emitter, plan, () => null, { groups: page.name, keys: page.keys })
  if (groups === null) throw new Error('There are no groups within groups.')
  const { aggregate, fields } = plan
  const [ordered, place, shown, row] = [emitter.alias(), emitter.alias(), emitter.alias(), emitter.alias()]
  const { columns, joins } = lookedUp(emitter, groups, ordered)
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
  const ranked =
    emitter.step(sql`select ${shown}.*, row_number() over (partition by ${shown}.place order by ${order}) as nth
    from (${found}) ${shown}`)
  const name = emitter.step(sql`select place, ${dialect.joinedInOrder(sql`${row}.nth`, text)} as text
    from ${ranked} ${row} where ${row}.nth <= ${aggregate.limit} group by place`)
  return { name, groupings: shared?.groupings ?? null }
}

/**
 * Sample records, numbered within each group, found by their ids, and printed like those of a list: the name of a step
 * with the `place` of each group and the `text` in it.
 */
function emitSamples(
  emitter: StepEmitter,
  { table, keys, elements }: Pick<PhysicalAggregate['aggregate'], 'table' | 'keys' | 'elements'>,
  { sort, first, fields, rows, inIdOrder }: PhysicalSamples,
  page: OuterPage,
): Sql {
  const { dialect } = emitter
  const [sample, place] = [emitter.alias(), emitter.alias()]
  const order = (row: RecordRow) =>
    inIdOrder
      ? { orders: [sql`${row.alias}.id ${raw(sort[0]?.direction ?? 'desc')}`], joined: raw('') }
      : orderOf(emitter, sort, row)
  const within = { groups: page.name, keys: page.keys }
  const of = { keys, access: rows, within }
  const numbered = emitter.step(emitNumberedRows(emitter, { table, elements }, of, order))
  const record = newRow(emitter, table)
  const text = emitFields(emitter, fields, record)
  // The ids belong to visible rows, so hidden rows need no second check.
  const found: Sql = sql`(select * from ${numbered} where nth <= ${first}) ${sample}
    ${joinPlace(emitter, page, sample, place)}
    ${dialect.join} ${identifier(table.name)} ${record.alias} on ${record.alias}.id = ${sample}.id`
  return emitter.step(sql`select ${place}.place as place, ${dialect.joinedInOrder(sql`${sample}.nth`, text)} as text
    from ${found} group by ${place}.place`)
}

/**
 * The records of a denominator in each group of a page, summed from the groups within them: the name of a step that is
 * the page with the columns `total` and `matched`.
 */
function emitSummedShares(
  emitter: StepEmitter,
  { numerator }: SharePlan,
  { total, matched }: Groupings,
  page: OuterPage,
): Sql {
  const { dialect } = emitter
  if (total === null) throw new Error('There are no groups to add up.')
  const [part, place, row] = [emitter.alias(), emitter.alias(), emitter.alias()]
  const keys = join([...page.keys], ', ')
  const parts = [
    sql`select ${keys}, n as total, cast(0 as bigint) as matched from ${total.name}`,
    ...(matched === null ? [] : [sql`select ${keys}, 0, n from ${matched.name}`]),
  ]
  const sums =
    emitter.step(sql`select ${place}.place as place, ${dialect.sum(raw('total'))} as total, ${dialect.sum(raw('matched'))} as matched
    from (${join(parts, ' union all ')}) ${part} ${joinPlace(emitter, page, part, place)} group by ${place}.place`)
  const [summed, met] = ['total', 'matched'].map((column) => sql`coalesce(${sums}.${raw(column)}, 0)`)
  const divided = numerator === 'count' ? sql`${row}.n` : numerator === 'total' ? summed : met
  return emitter.step(sql`select ${row}.*, ${summed as Sql} as total, ${divided as Sql} as matched
    from ${page.name} ${row} left join ${sums} on ${sums}.place = ${row}.place`)
}

interface OuterPage {
  /** Name of a relation of the groups with the columns of their keys, a `place`, and a `token` of their keys. */
  readonly name: Sql
  /** The columns of the keys. */
  readonly keys: readonly Sql[]
}

/** The keys as one text. Joins on it are hashed, and match missing keys, which equal nothing. */
function tokenOf({ dialect }: Emitter, keys: readonly Sql[], row: Sql): Sql {
  return dialect.jsonArray(keys.map((key) => sql`${row}.${key}`))
}

/** Joins the `place` of its outer group to each row on the left. */
function joinPlace(emitter: Emitter, { name, keys }: OuterPage, row: Sql, place: Sql): Sql {
  return sql`${emitter.dialect.join} (select place, token from ${name}) ${place} on ${place}.token = ${tokenOf(emitter, keys, row)}`
}
