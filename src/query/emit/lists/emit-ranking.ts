/** Rows by relevance: the newest matches by score, then all others. docs/search.md has the formula. */
import type { ColumnValue } from '../../../database/database.ts'
import { identifier, join, raw, type Sql, sql } from '../../../sql/sql.ts'
import { beyondPosition } from '../emit-access-path.ts'
import type { Emitter, RecordRow } from '../emitter.ts'
import { staged, withSteps } from '../steps.ts'
import type { OrderedRows, RowOrder } from '../../plan/physical-plan.ts'
import type { SortKey } from '../../plan/plan.ts'
import { orderOf, segments, type SelectedRows } from './emit-order.ts'
import { carriesColumns, emitScores, type Relations } from './emit-scores.ts'

type ByRelevance = Extract<RowOrder, { kind: 'relevance' }>

export function emitRanked(emitter: Emitter, rows: SelectedRows, order: ByRelevance): Sql {
  const { ranking, reversed, idOrder } = order
  const names: Relations = {
    candidates: emitter.alias(),
    counts: emitter.alias(),
    amounts: emitter.alias(),
    lengths: emitter.alias(),
    rarities: emitter.alias(),
    statistics: emitter.alias(),
    scores: emitter.alias(),
  }
  // The position is among the ranked records, among the others, or (null) before all of them.
  const at = rows.position === null ? null : rows.position[0] === null ? 'others' : 'ranked'
  const ranked = (): Sql =>
    inScoreOrder(emitter, at === 'others' ? { ...rows, position: null } : rows, order, names)
  const following = (): Sql => rowsWithoutScore(emitter, rows, order, names)
  const [first, second] = reversed ? [following, ranked] : [ranked, following]
  const isPast = at === (reversed ? 'ranked' : 'others')
  // With fewer candidates than there may be, all matching records are among them.
  const { position, limit } = ranking.candidates
  const mayFollow =
    position === null
      ? sql` where (select count(*) from ${names.candidates}) >= ${raw(String(limit))}`
      : sql``
  const scores = emitScores(emitter, ranking, names, idOrder, rows.parent)
  const steps = scores.map(([name, query]) => ({ name, query, isStored: true }))
  const { isSpread } = emitter.dialect
  if (isSpread) emitter.steps.push(...steps)
  const parts = (isPast ? [second] : [first, second]).map(
    (part) =>
      sql`select * from ${staged(emitter, part())} ${emitter.alias()}${part === following ? mayFollow : sql``}`,
  )
  return sql`${isSpread ? sql`` : withSteps(steps)}${join(parts, ' union all ')} limit ${emitter.dialect.limit(rows.limit)}`
}

/** The ranked records, by score, then in the default order. */
function inScoreOrder(
  emitter: Emitter,
  { table, sort, position, inclusive, limit, selection: { value } }: SelectedRows,
  { ranking, idOrder }: ByRelevance,
  { scores, statistics }: Relations,
): Sql {
  const [alias, score] = [emitter.alias(), emitter.alias()]
  const ranked = { score: sql`${score}.score`, statistics: textOf(statistics) }
  const found = sql` ${emitter.dialect.join} ${identifier(table.name)} ${alias} on ${alias}.id = ${score}.id`
  const end = sql`limit ${emitter.dialect.limit(limit)}`
  if (!idOrder) {
    const isCarried = carriesColumns(ranking)
    const row: RecordRow = { kind: 'record', alias: isCarried ? score : alias, table, ranked }
    const { orders, joined } = orderOf(emitter, sort, row)
    const beyond =
      position === null
        ? sql``
        : sql` where (${join(segments(emitter, sort, position, row, inclusive), ' or ')})`
    return sql`select ${value(row)} from ${scores} ${score}${isCarried ? sql`` : found}${joined}${beyond}
      order by ${join(orders, ', ')} ${end}`
  }
  // The default order is that of ids, so that only the rows of the page are read.
  const [key, tie] = sort as readonly [SortKey, SortKey]
  const beyond =
    position === null ? sql`` : sql` where ${beyondScore(emitter, table, key, tie, position, inclusive)}`
  const order = sql`order by score ${raw(key.direction)}, id ${raw(tie.direction)}`
  const first = sql`(select id, score from ${scores}${beyond} ${order} ${end}) ${score}`
  const row: RecordRow = { kind: 'record', alias, table, ranked }
  return sql`select ${value(row)} from ${first}${found}
    order by ${score}.score ${raw(key.direction)}, ${score}.id ${raw(tie.direction)}`
}

/** Whether `score` and `id` are beyond those of a position; ids are in the default order. */
function beyondScore(
  emitter: Emitter,
  table: OrderedRows['table'],
  key: SortKey,
  tie: SortKey,
  [score = null, ...rest]: readonly ColumnValue[],
  inclusive: boolean,
): Sql {
  const sign = key.direction === 'asc' ? sql`>` : sql`<`
  const bound = beyondPosition(emitter, table, rest, tie.direction, inclusive)
  return sql`(score ${sign} ${score} or (score = ${score} and id ${bound}))`
}

function textOf(statistics: Sql): Sql {
  return sql`(select text from ${statistics})`
}

/** The matching records that are not candidates, in the default order. */
function rowsWithoutScore(
  emitter: Emitter,
  { parent, selection }: SelectedRows,
  { others }: ByRelevance,
  { candidates, statistics }: Relations,
): Sql {
  const ranked = { score: sql`cast(null as bigint)`, statistics: textOf(statistics) }
  return emitter.inOrder(emitter, others, parent, {
    value: (row) => selection.value({ ...row, ranked }),
    except: (row) => sql`${row.alias}.id in (select id from ${candidates})`,
  })
}
