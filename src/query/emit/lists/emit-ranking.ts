/**
 * Rows by relevance. The newest matching records are the candidates; from the statistics of the first page and the
 * amounts of the search's words each gets its score; all other matching records follow. docs/search.md has the
 * formula, and src/search/relevance.ts the constants.
 */
import type { ColumnValue } from '../../../database/database.ts'
import { lengthShare, mostCounted, mostRanked, rarityScale, saturation } from '../../../search/relevance.ts'
import type { RankedTerm } from '../../../sql/dialect.ts'
import { anyOf, identifier, join, raw, type Sql, sql } from '../../../sql/sql.ts'
import { beyondPosition, emitIds } from '../emit-access-path.ts'
import { emitCount } from '../groups/emit-counts.ts'
import type { Emitter, RecordRow } from '../emitter.ts'
import type { OrderedRows, PhysicalRanking, RowOrder } from '../../plan/physical-plan.ts'
import type { SortKey } from '../../plan/plan.ts'
import { idOf, orderOf, positionOf, segments, type Selection } from './emit-order.ts'

/** Emits rows of another order; it is passed in, because lists by relevance consist of such rows. */
type EmitRows = (emitter: Emitter, rows: OrderedRows, parent: Sql | null, selection: Selection) => Sql

type ByRelevance = Extract<RowOrder, { kind: 'relevance' }>

/** Relations of a statement, by name. */
interface Relations {
  /** `id`: the candidates. */
  readonly candidates: Sql
  /** One row: `records`, and `n0`, `n1` … for the terms. */
  readonly counts: Sql
  /** `id`, `words`, and `x0`, `x1` … for the terms. */
  readonly amounts: Sql
  /** One row: `words`, which is never 0, and `ranked`. */
  readonly lengths: Sql
  /** One row: `r0`, `r1` … for the terms. */
  readonly rarities: Sql
  /** One row: `text`, the statistics for cursors. */
  readonly statistics: Sql
  /** `id`, `score`. */
  readonly scores: Sql
}

export function emitRanked(
  emitter: Emitter,
  rows: OrderedRows,
  { ranking, others, reversed, idOrder }: ByRelevance,
  parent: Sql | null,
  { value }: Selection,
  emitRows: EmitRows,
): Sql {
  const names: Relations = {
    candidates: emitter.alias(),
    counts: emitter.alias(),
    amounts: emitter.alias(),
    lengths: emitter.alias(),
    rarities: emitter.alias(),
    statistics: emitter.alias(),
    scores: emitter.alias(),
  }
  const text = sql`(select text from ${names.statistics})`
  // The position is among the ranked records, among the others, or (null) before all of them.
  const at = rows.position === null ? null : rows.position[0] === null ? 'others' : 'ranked'
  const ranked = (): Sql =>
    inScoreOrder(emitter, at === 'others' ? { ...rows, position: null } : rows, names, idOrder, text, value)
  const following = (): Sql =>
    rowsWithoutScore(emitter, others, names.candidates, parent, text, value, emitRows)
  const [first, second] = reversed ? [following, ranked] : [ranked, following]
  const isPast = at === (reversed ? 'ranked' : 'others')
  const parts = (isPast ? [second] : [first, second]).map(
    (part) => sql`select * from (${part()}) ${emitter.alias()}`,
  )
  return sql`with ${relations(emitter, rows, ranking, names, idOrder, parent, emitRows)}
    ${join(parts, ' union all ')} limit ${emitter.dialect.limit(rows.limit)}`
}

/** Number of candidates, for the answer to say whether all matching records are ranked. */
export function emitRankedCount(
  emitter: Emitter,
  { candidates }: PhysicalRanking,
  parent: Sql | null,
  emitRows: EmitRows,
): Sql {
  return sql`(select count(*) from (${candidateIds(emitter, candidates, parent, emitRows)}) ${emitter.alias()})`
}

/** Ids that the index returns in order are not looked up in the table, if nothing else is asked of the records. */
function candidateIds(emitter: Emitter, rows: OrderedRows, parent: Sql | null, emitRows: EmitRows): Sql {
  const { path, filter, order, position, link, limit, sort } = rows
  const isPlain = filter.length === 0 && position === null && link === null && !emitter.state.hiding
  if (!isPlain || path.kind !== 'candidate-ids' || order.kind !== 'ids' || !order.sorted)
    return emitRows(emitter, rows, parent, { value: idOf })
  const ids = emitIds(emitter, path.sources, { direction: sort[0]?.direction ?? 'desc', bound: null })
  return sql`select id from (${ids}) ${emitter.alias()} limit ${emitter.dialect.limit(limit)}`
}

function inScoreOrder(
  emitter: Emitter,
  rows: OrderedRows,
  { scores }: Relations,
  idOrder: boolean,
  statistics: Sql,
  value: Selection['value'],
): Sql {
  const { table, sort, position, inclusive, limit } = rows
  const [alias, score] = [emitter.alias(), emitter.alias()]
  const row: RecordRow = { kind: 'record', alias, table, ranked: { score: sql`${score}.score`, statistics } }
  const found = sql`${identifier(table.name)} ${alias} on ${alias}.id = ${score}.id`
  const end = sql`limit ${emitter.dialect.limit(limit)}`
  if (!idOrder) {
    const { orders, joined } = orderOf(emitter, sort, row)
    const beyond =
      position === null
        ? sql``
        : sql` where (${join(segments(emitter, sort, position, row, inclusive), ' or ')})`
    return sql`select ${value(row)} from ${scores} ${score} ${emitter.dialect.join} ${found}${joined}${beyond}
      order by ${join(orders, ', ')} ${end}`
  }
  // The default order is that of ids, so that only the rows of the page are read.
  const [key, tie] = sort as readonly [SortKey, SortKey]
  const beyond =
    position === null ? sql`` : sql` where ${beyondScore(emitter, table, key, tie, position, inclusive)}`
  const order = sql`order by score ${raw(key.direction)}, id ${raw(tie.direction)}`
  const first = sql`(select id, score from ${scores}${beyond} ${order} ${end}) ${score}`
  return sql`select ${value(row)} from ${first} ${emitter.dialect.join} ${found}
    order by ${score}.score ${raw(key.direction)}, ${score}.id ${raw(tie.direction)}`
}

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

function rowsWithoutScore(
  emitter: Emitter,
  others: OrderedRows,
  candidates: Sql,
  parent: Sql | null,
  statistics: Sql,
  value: Selection['value'],
  emitRows: EmitRows,
): Sql {
  const ranked = { score: sql`cast(null as bigint)`, statistics }
  return emitRows(emitter, others, parent, {
    value: (row) => value({ ...row, ranked }),
    except: (row) => sql`${row.alias}.id in (select id from ${candidates})`,
  })
}

function relations(
  emitter: Emitter,
  { table }: OrderedRows,
  ranking: PhysicalRanking,
  names: Relations,
  idOrder: boolean,
  parent: Sql | null,
  emitRows: EmitRows,
): Sql {
  const { dialect } = emitter
  const { index, terms, match, statistics } = ranking
  const { candidates, counts, amounts, lengths, rarities, scores } = names
  const isRare = (place: number): Sql => sql`${n(place)} < ${raw(String(mostCounted))}`
  const someRare = anyOf(terms.map((_, place) => isRare(place)))
  const ranked = terms.map((term, place): RankedTerm => {
    const fields = term.fields ?? index.fields.map((_, field) => field)
    const isWord = term.fields === null && term.words.length === 1 && !term.prefix
    return {
      ...term,
      fields: isWord ? null : fields.map((field) => ({ field, weight: index.fields[field]?.weight ?? 1 })),
      countsOnce: sql`(select not ${isRare(place)} and ${someRare} from ${counts})`,
    }
  })
  const found = dialect.amounts({
    table: table.name,
    index: index.name,
    fieldCount: index.fields.length,
    candidates,
    terms: ranked,
    match,
    bound: idOrder ? sql`>= (select min(id) from ${candidates})` : null,
  })
  const known = statistics === null ? null : [statistics.words, statistics.ranked]
  const ofLengths =
    known === null
      ? sql`select cast(case when sum(words) > 0 then sum(words) else 1 end as bigint) as words, count(*) as ranked from ${amounts}`
      : sql`select cast(${known[0]} as bigint) as words, cast(${known[1]} as bigint) as ranked`
  const ofRarities = terms.map((_, place) => sql`${rarityOf(emitter, place)} as ${r(place)}`)
  return join(
    [
      sql`${candidates} as materialized (${candidateIds(emitter, ranking.candidates, parent, emitRows)})`,
      sql`${counts} as materialized (${countsOf(emitter, table, ranking, parent)})`,
      sql`${amounts} as materialized (${found})`,
      sql`${lengths} as materialized (${ofLengths})`,
      sql`${names.statistics} as materialized (select ${statisticsText(emitter, table, ranking, names)} as text)`,
      sql`${rarities} as materialized (select ${join(ofRarities, ', ')} from ${counts} c)`,
      sql`${scores} as materialized (select f.id, ${scoreOf(terms.length)} as score
        from ${rarities} r, ${lengths} l, ${amounts} f)`,
    ],
    ', ',
  )
}

/** The number of records, and of those with each term, counted up to a limit. */
function countsOf(
  emitter: Emitter,
  table: OrderedRows['table'],
  { index, terms, statistics, records }: PhysicalRanking,
  parent: Sql | null,
): Sql {
  if (statistics !== null)
    return sql`select cast(${statistics.records} as bigint) as records, ${join(
      statistics.frequencies.map((count, place) => sql`cast(${count} as bigint) as ${n(place)}`),
      ', ',
    )}`
  const limit = emitter.dialect.limit(mostCounted)
  const amounts = terms.map((term, place) => {
    const { from, id, where } = emitter.dialect.wordIds(table.name, index, term)
    const visible = emitter.alias()
    const shown = emitter.state.hiding
      ? sql` and ${id} in (select ${visible}.id from ${emitter.rows(table, visible)})`
      : sql``
    return sql`(select count(*) from (select 1 from ${from} where ${where}${shown} limit ${limit}) ${emitter.alias()}) as ${n(place)}`
  })
  return sql`select ${emitCount(emitter, records, table, parent)} as records, ${join(amounts, ', ')}`
}

/** The statistics as a JSON array: records, words, ranked, a count for each term, and where the ranked records end. */
function statisticsText(
  emitter: Emitter,
  table: OrderedRows['table'],
  { terms, statistics, candidates }: PhysicalRanking,
  names: Relations,
): Sql {
  if (statistics !== null) return sql`cast(${statistics.text} as text)`
  const { dialect } = emitter
  const alias = emitter.alias()
  const row: RecordRow = { kind: 'record', alias, table }
  const oldest = candidates.sort.map((key) => ({ ...key, direction: 'asc' as const }))
  const { orders, joined } = orderOf(emitter, oldest, row)
  const last = sql`(select ${positionOf(emitter, candidates.sort, row)} from ${names.candidates} r
    ${dialect.join} ${identifier(table.name)} ${alias} on ${alias}.id = r.id${joined}
    order by ${join(orders, ', ')} limit ${dialect.limit(1)})`
  const values = [
    sql`c.records`,
    sql`l.words`,
    sql`l.ranked`,
    ...terms.map((_, place) => sql`c.${n(place)}`),
    sql`case when l.ranked >= ${raw(String(mostRanked))} then ${last} end`,
  ]
  return sql`(select ${dialect.jsonArray(values)} from ${names.counts} c, ${names.lengths} l)`
}

/** The sum over all terms of rarity × amount × (k1 + 1) / (amount + k1 × (1 - b + b × length / mean length)). */
function scoreOf(terms: number): Sql {
  const [one, k1] = [1_000, saturation]
  const base = raw(String((k1 * (one - lengthShare)) / one))
  const share = raw(String((k1 * lengthShare) / one))
  const length = sql`(${base} + ${share} * f.words * l.ranked / l.words)`
  const scores = Array.from({ length: terms }, (_, place) => {
    const amount = sql`f.${x(place)}`
    return sql`r.${r(place)} * ${amount} * ${raw(String(k1 + one))} / (${raw(String(one))} * ${amount} + ${length})`
  })
  return join(scores, ' + ')
}

/** The logarithm of 1 + (records without the term + 0.5) / (records with it + 0.5). */
function rarityOf({ dialect }: Emitter, place: number): Sql {
  const count = sql`case when c.${n(place)} > c.records then c.records else c.${n(place)} end`
  const ratio = sql`1 + (c.records - ${count} + 0.5) / (${count} + 0.5)`
  return sql`cast(round(ln(${dialect.asFloat(ratio)}) * ${raw(String(rarityScale))}) as bigint)`
}

function r(place: number): Sql {
  return raw(`r${place}`)
}

function n(place: number): Sql {
  return raw(`n${place}`)
}

function x(place: number): Sql {
  return raw(`x${place}`)
}
