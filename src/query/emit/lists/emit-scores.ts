/** The relations of a list by relevance, each a query. src/search/relevance.ts has the constants. */
import { lengthShare, mostCounted, mostRanked, rarityScale, saturation } from '../../../search/relevance.ts'
import type { RankedTerm } from '../../../sql/dialect.ts'
import { anyOf, identifier, join, raw, type Sql, sql } from '../../../sql/sql.ts'
import { columnList } from '../emit-access-path.ts'
import { emitIds } from '../emit-filter.ts'
import { emitCount } from '../groups/emit-counts.ts'
import { staged } from '../steps.ts'
import { type Emitter, hintsOf, opaqueTermsOf, type Parent, type RecordRow } from '../emitter.ts'
import type { OrderedRows, PhysicalRanking } from '../../plan/physical-plan.ts'
import { idOf, orderOf, positionOf } from './emit-order.ts'

/** Relations of a statement, by name. */
export interface Relations {
  /** `id`: the candidates; without optimizer hints, also columns of their order, `words`, and `x0`, `x1` … for the terms. */
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
export function emitRankedCount(emitter: Emitter, { candidates }: PhysicalRanking, parent: Parent): Sql {
  const ids = candidateIds(emitter, candidates, parent)
  return staged(emitter, sql`select count(*) from (${ids}) ${emitter.alias()}`)
}

/** The ids of the candidates. Ids from an index, in order, are looked up in the table only if conditions remain. */
function candidateIds(emitter: Emitter, rows: OrderedRows, parent: Parent): Sql {
  const { path, filter, order, position, link, limit, sort } = rows
  const isPlain = filter.length === 0 && position === null && link === null && !emitter.state.hiding
  if (!isPlain || path.kind !== 'candidate-ids' || order.kind !== 'ids' || !order.sorted)
    return emitter.inOrder(emitter, rows, parent, { value: idOf })
  const ids = emitIds(emitter, path.sources, { direction: sort[0]?.direction ?? 'desc', bound: null })
  return sql`select id from (${ids}) ${emitter.alias()} limit ${emitter.dialect.limit(limit)}`
}

/** The candidates with all that is read of them, for an engine without optimizer hints. */
function wholeCandidates(
  emitter: Emitter,
  { candidates, index, columns }: PhysicalRanking,
  terms: readonly RankedTerm[],
  parent: Parent,
): Sql {
  const { amount } = opaqueTermsOf(emitter.dialect)
  return emitter.inOrder(emitter, candidates, parent, {
    value: ({ alias }) => {
      const counted = terms.map((term, place) => sql`${amount(alias, index, term)} as ${amountColumn(place)}`)
      const own = columnList(alias, new Set(['id', ...columns]))
      return sql`${own}, ${alias}.word_count as words, ${join(counted, ', ')}`
    },
    isComputedFirst: true,
  })
}

/** All relations in order, each a common table expression. `idOrder`: ids are in the default order. */
export function emitScores(
  emitter: Emitter,
  ranking: PhysicalRanking,
  names: Relations,
  idOrder: boolean,
  parent: Parent,
): readonly (readonly [name: Sql, query: Sql])[] {
  const { candidates, columns } = ranking
  const { counts, rarities } = names
  const terms = rankedTerms(ranking, counts)
  const places = [...terms.keys()]
  const ofRarities = places.map((place) => sql`${rarityOf(emitter, place)} as ${rarityColumn(place)}`)
  return [
    [
      names.candidates,
      carriesColumns(ranking)
        ? wholeCandidates(emitter, ranking, terms, parent)
        : candidateIds(emitter, candidates, parent),
    ],
    [counts, countsOf(emitter, ranking, names.candidates, parent)],
    [names.amounts, amountsOf(emitter, ranking, terms, names.candidates, idOrder)],
    [names.lengths, lengthsOf(ranking, names.amounts)],
    [names.statistics, sql`select ${statisticsText(emitter, ranking, names)} as text`],
    [rarities, sql`select ${join(ofRarities, ', ')} from ${counts} c`],
    [
      names.scores,
      sql`select ${columnList(raw('f'), new Set(['id', ...columns]))}, ${scoreOf(places)} as score
        from ${rarities} r, ${names.lengths} l, ${names.amounts} f`,
    ],
  ]
}

/** Whether candidates carry all that is read of them; otherwise they are ids, by which records are read again. */
export function carriesColumns({ columns }: PhysicalRanking): boolean {
  return columns.length > 0
}

/** The terms with the weights of their fields; `counts` names the relation with their numbers of records. */
function rankedTerms({ index, terms }: PhysicalRanking, counts: Sql): readonly RankedTerm[] {
  const isRare = (place: number): Sql => sql`${countColumn(place)} < ${raw(String(mostCounted))}`
  const someRare = anyOf(terms.map((_, place) => isRare(place)))
  return terms.map((term, place) => {
    const fields = term.fields ?? index.fields.map((_, field) => field)
    const isWord = term.fields === null && term.words.length === 1 && !term.prefix
    return {
      ...term,
      fields: isWord ? null : fields.map((field) => ({ field, weight: index.fields[field]?.weight ?? 1 })),
      countsOnce: sql`(select not ${isRare(place)} and ${someRare} from ${counts})`,
    }
  })
}

function amountsOf(
  { dialect }: Emitter,
  ranking: PhysicalRanking,
  terms: readonly RankedTerm[],
  candidates: Sql,
  idOrder: boolean,
): Sql {
  const { index, match, columns } = ranking
  if (!carriesColumns(ranking)) {
    const bound = idOrder ? sql`>= (select min(id) from ${candidates})` : null
    return hintsOf(dialect).amounts({ index: index.name, candidates, terms, match, bound })
  }
  const amounts = terms.map(({ fields, countsOnce }, place) => {
    const amount = amountColumn(place)
    if (fields !== null) return sql`${amount} as ${amount}`
    // Only a word in any field counts by its occurrences.
    return sql`case when ${countsOnce} and ${amount} > 1 then 1 else ${amount} end as ${amount}`
  })
  const own = columnList(raw('c'), new Set(['id', ...columns, 'words']))
  return sql`select ${own}, ${join(amounts, ', ')} from ${candidates} c`
}

/** The weighted number of words of all ranked records, and the number of these. */
function lengthsOf({ statistics }: PhysicalRanking, amounts: Sql): Sql {
  return statistics === null
    ? sql`select cast(case when sum(words) > 0 then sum(words) else 1 end as bigint) as words, count(*) as ranked from ${amounts}`
    : sql`select cast(${statistics.words} as bigint) as words, cast(${statistics.ranked} as bigint) as ranked`
}

/** The number of records, and of those with each term, counted up to a limit. */
function countsOf(emitter: Emitter, ranking: PhysicalRanking, candidates: Sql, parent: Parent): Sql {
  const { index, terms, statistics, records, countsCandidates } = ranking
  const { table } = ranking.candidates
  if (statistics !== null)
    return sql`select cast(${statistics.records} as bigint) as records, ${join(
      statistics.frequencies.map((count, place) => sql`cast(${count} as bigint) as ${countColumn(place)}`),
      ', ',
    )}`
  const limit = emitter.dialect.limit(mostCounted)
  const amounts = terms.map((term, place) => {
    const found = sql`(select count(*) from ${candidates})`
    if (countsCandidates) return sql`${found} as ${countColumn(place)}`
    const { from, id, where } = emitter.dialect.wordIds(table.name, index, term)
    const visible = emitter.alias()
    const shown = emitter.state.hiding
      ? sql` and ${id} in (select ${visible}.id from ${emitter.rows(table, visible)})`
      : sql``
    const counted = staged(
      emitter,
      sql`select count(*) from (select 1 from ${from} where ${where}${shown} limit ${limit}) ${emitter.alias()}`,
    )
    const most = raw(String(mostCounted))
    // A term that all candidates have has at least as many records.
    return carriesColumns(ranking) && term.isRequired
      ? sql`case when ${found} >= ${most} then ${most} else ${counted} end as ${countColumn(place)}`
      : sql`${counted} as ${countColumn(place)}`
  })
  return sql`select ${emitCount(emitter, records, table, parent)} as records, ${join(amounts, ', ')}`
}

/** The statistics as a JSON array: records, words, ranked, a count for each term, and where the ranked records end. */
function statisticsText(emitter: Emitter, ranking: PhysicalRanking, names: Relations): Sql {
  const { terms, statistics, candidates } = ranking
  if (statistics !== null) return sql`cast(${statistics.text} as text)`
  const { dialect } = emitter
  const { table } = candidates
  const isCarried = carriesColumns(ranking)
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
    ...terms.map((_, place) => sql`c.${countColumn(place)}`),
    sql`case when l.ranked >= ${raw(String(mostRanked))} then ${last} end`,
  ]
  return sql`(select ${dialect.jsonArray(values)} from ${names.counts} c, ${names.lengths} l)`
}

/** The sum over all terms of rarity × amount × (k1 + 1) / (amount + k1 × (1 - b + b × length / mean length)). */
function scoreOf(places: readonly number[]): Sql {
  const [one, k1] = [1_000, saturation]
  const base = raw(String((k1 * (one - lengthShare)) / one))
  const share = raw(String((k1 * lengthShare) / one))
  const length = sql`(${base} + ${share} * f.words * l.ranked / l.words)`
  const scores = places.map((place) => {
    const amount = sql`f.${amountColumn(place)}`
    return sql`r.${rarityColumn(place)} * ${amount} * ${raw(String(k1 + one))} / (${raw(String(one))} * ${amount} + ${length})`
  })
  return join(scores, ' + ')
}

/** The logarithm of 1 + (records without the term + 0.5) / (records with it + 0.5). */
function rarityOf({ dialect }: Emitter, place: number): Sql {
  const count = sql`case when c.${countColumn(place)} > c.records then c.records else c.${countColumn(place)} end`
  const ratio = sql`1 + (c.records - ${count} + 0.5) / (${count} + 0.5)`
  return sql`cast(round(ln(${dialect.asFloat(ratio)}) * ${raw(String(rarityScale))}) as bigint)`
}

// Columns of a term, by its place in the search

function rarityColumn(place: number): Sql {
  return raw(`r${place}`)
}

function countColumn(place: number): Sql {
  return raw(`n${place}`)
}

function amountColumn(place: number): Sql {
  return raw(`x${place}`)
}
