/**
 * The relations of a list by relevance, as common table expressions: the candidates, the statistics of the first page,
 * how much the search's words count in each candidate, and the scores. src/search/relevance.ts has the constants.
 */
import { lengthShare, mostCounted, mostRanked, rarityScale, saturation } from '../../../search/relevance.ts'
import type { RankedTerm } from '../../../sql/dialect.ts'
import { anyOf, identifier, join, raw, type Sql, sql } from '../../../sql/sql.ts'
import { columnList, emitIds } from '../emit-access-path.ts'
import { emitCount } from '../groups/emit-counts.ts'
import { type Emitter, fencesOf, hintsOf, type RecordRow } from '../emitter.ts'
import type { OrderedRows, PhysicalRanking } from '../../plan/physical-plan.ts'
import { idOf, orderOf, positionOf, type Selection } from './emit-order.ts'

/** Emits rows of another order; it is passed in, because lists by relevance consist of such rows. */
export type EmitRows = (emitter: Emitter, rows: OrderedRows, parent: Sql | null, selection: Selection) => Sql

/** Relations of a statement, by name. */
export interface Relations {
  /** `id`: the candidates; with fences, also columns of their order, `words`, and `x0`, `x1` … for the terms. */
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

/** The candidates with all that is read of them. */
function wholeCandidates(
  emitter: Emitter,
  { candidates, index, columns }: PhysicalRanking,
  terms: readonly RankedTerm[],
  parent: Sql | null,
  emitRows: EmitRows,
): Sql {
  const { amount } = fencesOf(emitter.dialect)
  return emitRows(emitter, candidates, parent, {
    value: ({ alias }) => {
      const counted = terms.map((term, place) => sql`${amount(alias, index, term)} as ${x(place)}`)
      const own = columnList(alias, new Set(['id', ...columns]))
      return sql`${own}, ${alias}.word_count as words, ${join(counted, ', ')}`
    },
    isComputedFirst: true,
  })
}

export function emitScores(
  emitter: Emitter,
  { table }: OrderedRows,
  ranking: PhysicalRanking,
  names: Relations,
  idOrder: boolean,
  parent: Sql | null,
  emitRows: EmitRows,
): Sql {
  const { dialect } = emitter
  const { index, terms, match, statistics, columns } = ranking
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
  const isWhole = columns.length > 0
  const found = isWhole
    ? sql`select ${columnList(raw('c'), new Set(['id', ...columns, 'words']))}, ${join(
        ranked.map(
          ({ fields, countsOnce }, place) =>
            sql`${fields === null ? atMostOnce(x(place), countsOnce) : x(place)} as ${x(place)}`,
        ),
        ', ',
      )} from ${candidates} c`
    : hintsOf(dialect).amounts({
        index: index.name,
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
      sql`${candidates} as materialized (${isWhole ? wholeCandidates(emitter, ranking, ranked, parent, emitRows) : candidateIds(emitter, ranking.candidates, parent, emitRows)})`,
      sql`${counts} as materialized (${countsOf(emitter, table, ranking, candidates, parent)})`,
      sql`${amounts} as materialized (${found})`,
      sql`${lengths} as materialized (${ofLengths})`,
      sql`${names.statistics} as materialized (select ${statisticsText(emitter, table, ranking, names)} as text)`,
      sql`${rarities} as materialized (select ${join(ofRarities, ', ')} from ${counts} c)`,
      sql`${scores} as materialized (select ${columnList(raw('f'), new Set(['id', ...columns]))}, ${scoreOf(terms.length)} as score
        from ${rarities} r, ${lengths} l, ${amounts} f)`,
    ],
    ', ',
  )
}

function atMostOnce(amount: Sql, countsOnce: Sql): Sql {
  return sql`case when ${countsOnce} and ${amount} > 1 then 1 else ${amount} end`
}

/** The number of records, and of those with each term, counted up to a limit. */
function countsOf(
  emitter: Emitter,
  table: OrderedRows['table'],
  { index, terms, statistics, records, countsCandidates, columns }: PhysicalRanking,
  candidates: Sql,
  parent: Sql | null,
): Sql {
  if (statistics !== null)
    return sql`select cast(${statistics.records} as bigint) as records, ${join(
      statistics.frequencies.map((count, place) => sql`cast(${count} as bigint) as ${n(place)}`),
      ', ',
    )}`
  const limit = emitter.dialect.limit(mostCounted)
  const amounts = terms.map((term, place) => {
    const found = sql`(select count(*) from ${candidates})`
    if (countsCandidates) return sql`${found} as ${n(place)}`
    const { from, id, where } = emitter.dialect.wordIds(table.name, index, term)
    const visible = emitter.alias()
    const shown = emitter.state.hiding
      ? sql` and ${id} in (select ${visible}.id from ${emitter.rows(table, visible)})`
      : sql``
    const counted = sql`(select count(*) from (select 1 from ${from} where ${where}${shown} limit ${limit}) ${emitter.alias()})`
    // A term that all candidates have has at least as many records.
    const isKnown = columns.length > 0 && term.isRequired
    const most = raw(String(mostCounted))
    return isKnown
      ? sql`case when ${found} >= ${most} then ${most} else ${counted} end as ${n(place)}`
      : sql`${counted} as ${n(place)}`
  })
  return sql`select ${emitCount(emitter, records, table, parent)} as records, ${join(amounts, ', ')}`
}

/** The statistics as a JSON array: records, words, ranked, a count for each term, and where the ranked records end. */
function statisticsText(
  emitter: Emitter,
  table: OrderedRows['table'],
  { terms, statistics, candidates, columns }: PhysicalRanking,
  names: Relations,
): Sql {
  if (statistics !== null) return sql`cast(${statistics.text} as text)`
  const { dialect } = emitter
  const isCarried = columns.length > 0
  const alias = isCarried ? raw('r') : emitter.alias()
  const found = sql` ${dialect.join} ${identifier(table.name)} ${alias} on ${alias}.id = r.id`
  const row: RecordRow = { kind: 'record', alias, table }
  const oldest = candidates.sort.map((key) => ({ ...key, direction: 'asc' as const }))
  const { orders, joined } = orderOf(emitter, oldest, row)
  const last = sql`(select ${positionOf(emitter, candidates.sort, row)} from ${names.candidates} r${isCarried ? sql`` : found}${joined}
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
