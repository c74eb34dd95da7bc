/** The PostgreSQL dialect: how this engine spells the expressions that differ between engines. */
import type { Dialect } from '../../sql/dialect.ts'
import type { Sql, Value } from '../../sql/sql.ts'
import { identifier, join, listOf, literal, manyValues, raw, sequence, sql } from '../../sql/sql.ts'
import { largestAnswer } from '../refusals.ts'
import { jsonAt, textAt, textHash, virtualText } from './layout/ddl.ts'
import { vocabularyName } from './layout/vocabulary-ddl.ts'
import { bucketKey, bucketText } from './time-buckets.ts'
import { spacedMark } from './spaced-json.ts'
import { ordered, stddev } from './statistics.ts'
import { amountIn, countLexemes, nearWords, wordsMatch } from './word-query.ts'
import { base32, sampledCharacters } from '../../search/sample.ts'

/** At 128 bytes for each row, this many fit into the memory that `hash_mem_multiplier` allows (session-settings.ts). */
const mostHashed = 500_000

export const postgresDialect: Dialect = {
  engine: 'postgres',
  text: (statement) => statement.text,
  concat,
  joined: (text, filter) => sql`coalesce(string_agg(${text}, ',')${only(filter)}, '')`,
  joinedBy: (number, text, filter) =>
    sql`coalesce(string_agg(${text}, ',' order by ${number})${only(filter)}, '')`,
  joinedInOrder: (number, text) => postgresDialect.joinedBy(number, text, null),
  joinKeepsOrder: false,
  join: raw('join'),
  // The offset makes it a lookup for each id, which also keeps the order of an index.
  joinRepoCollection: (alias, id) =>
    sql`left join lateral (select uri, did from base where id = ${id} offset 0) ${alias} on true`,
  // Matches the indexes: the planner does not know that a column without nulls has the same order either way.
  ordering: (direction, mayMiss, nulls = direction === 'asc' ? 'first' : 'last') =>
    raw(mayMiss ? `${direction} nulls ${nulls}` : direction),
  // Null if the answer is too large; reader.ts reports that. The offset prevents computing the text twice.
  body: (text) =>
    sql`(select case when octet_length(body) <= ${raw(String(largestAnswer))} then body end
      from (select convert_to(${text}, 'UTF8') as body offset 0) answer)`,
  toJson: (value) => sql`coalesce(to_json(${value})::text, 'null')`,
  booleanJson: (condition) => sql`(${condition})::text`,
  recordJson: (record) => spaced(record),
  jsonAt: (json, path) => sql`${jsonbAt(json, path)}::text`,
  nestedJsonAt: (json, path) => spaced(jsonbAt(json, path)),
  scalarAt: (json, path, as = 'text') => {
    const found = jsonbAt(json, path)
    if (as === 'boolean') return sql`(case ${found} when 'true' then 1 when 'false' then 0 end)`
    if (as === 'integer') return sql`(case jsonb_typeof(${found}) when 'number' then (${found})::bigint end)`
    return around(json, (text) => textAt(text, path))
  },
  virtualText: (alias, _, path) => raw(virtualText({ path }, `${alias.sql}.record`)),
  // An entry of a B-tree has at most 2,704 bytes, so the index contains hashes of texts.
  isOneOf: (text, values) => {
    const hashes = values.map((value) => hashOf(sql`${value}`))
    return sql`(${hashOf(text)} in (${join(hashes, ', ')}) and ${isOneOf(text, values)})`
  },
  isOneOfMany,
  did: (alias) => sql`${alias}.did`,
  // Built from the row alone: PostgreSQL does not inline a function whose argument contains a sub-query.
  uri: (alias, collection) =>
    sql`('at://' || ${alias}.did || ${literal(`/${collection}/`)} || ${alias}.rkey)`,
  unindexed: (value) => value,
  each: (json, path, alias) => sql`${elementsAt(json, path)} as ${alias}(value)`,
  objects: (json, path, alias) => sql`${elementsAt(json, path)} with ordinality as ${alias}(value, key)`,
  jsonArray: (values) => {
    const parts = values.flatMap((value, index) => [
      raw(index === 0 ? `'['` : `','`),
      postgresDialect.toJson(value),
    ])
    return concat([...parts, raw(`']'`)])
  },
  asFloat: (value) => sql`cast(${value} as double precision)`,
  numberText: (value) => {
    const number = postgresDialect.asFloat(value)
    const text = sql`cast(${number} as text)`
    // The server writes an exponent of two digits, and has one from 1e15 on and below 1e-4.
    return sql`(case when abs(${number}) >= 1e15 or abs(${number}) between 1e-6 and 1e-4
      then cast(cast(${text} as numeric) as text) else replace(${text}, 'e-0', 'e-') end)`
  },
  constant: (text) => sql`(${literal(text)} collate "C")`,
  repoCollectionOfUri: (uri) => sql`regexp_replace(${uri}, '[^/]*$', '')`,
  uriKey: (uri) => sql`substring(${uri} from '[^/]*$')`,
  cidText: (cid) => cid,
  fold: (text) => sql`fold(${text})`,
  lower: (ascii) => sql`lower(${ascii} collate "C")`,
  foldedColumn: (_, folded) => folded,
  textMissing: (_, folded) => sql`(${folded} is null)`,
  textMatch: {
    contains: (folded, needle) => sql`(strpos(${folded}, ${needle}) > 0)`,
    startsWith: (folded, needle) => sql`starts_with(${folded}, ${needle})`,
  },
  // Otherwise the whole list of matches would be read for each row around, and met with that of the other index.
  wordsMatch: (alias, { fields }, match, lookup) => {
    const matches = wordsMatch(alias, fields.length, match)
    return lookup === 'filter' ? sql`(${matches} is true)` : matches
  },
  wordIds: (table, { fields }, match) => {
    const name = identifier(table)
    return { from: name, id: sql`${name}.id`, where: wordsMatch(name, fields.length, match) }
  },
  wordCounts: {
    partText: (part) => raw(String(part)),
    isSampled: (cid, part) => {
      const [high, low] = sampledCharacters.map(
        (place) => sql`strpos(${raw(`'${base32}'`)}, substr(${cid}, ${raw(String(place + 1))}, 1))`,
      )
      return sql`(${part} is null or 32 * ${high} + ${low} - 33 < ${part})`
    },
    read: (row) => sql`${row}.words as words`,
    records: (read) => sql`(select count(*) from ${read})`,
    words: countLexemes,
  },
  vocabulary: {
    has: (index, word) =>
      sql`exists (select 1 from ${identifier(vocabularyName(index))} where word = ${word})`,
    near: (index, word, most) => nearWords(identifier(vocabularyName(index)), word, most),
  },
  now: () => raw(`cast(extract(epoch from statement_timestamp()) * 1000000 as bigint)`),
  countedValue: (key) => key,
  bucketKey,
  bucketText,
  integers: (values, alias) => sql`unnest(cast(${`{${values.join(',')}}`} as bigint[])) as ${alias}(value)`,
  groupedText: (text) => text,
  countRecords: null,
  countNames: (names, name, rows) =>
    sql`select each.value collate "C" as ${name}, count(*) as n from (${rows(sql`${names} as names`)}) listed
    cross join json_array_elements_text(coalesce(listed.names, '[null]')::json) each(value) group by 1`,
  sum: (value) => sql`cast(sum(${value}) as bigint)`,
  sumParts: (sum) => [sum],
  exactSum: (value) => [sql`sum(${value})`],
  sumText: ([sum]) => sql`cast(${sum} as text)`,
  checkedSum: ([sum]) =>
    sql`(case when abs(${sum}) > 9007199254740991 then sum_out_of_range() else ${sum} end)`,
  mean,
  ordered: ordered(mean),
  stddev,
  // A literal: generic plans are made once for all values, and the number of rows wanted influences the plan.
  limit: (rows) => raw(String(rows)),
  scan: () => sql``,
  // The planner does not hash a sub-query that has an offset, nor make a join of one that is compared with true.
  exists: (query, often) =>
    often === 'each' ? sql`exists (${query} offset 0)` : sql`(exists (${query}) is true)`,
  // Without a hash the server would scan the whole list for each row.
  hashed: (isInList) => sql`(${isInList} is true)`,
  mostHashed,
  plannerControl: {
    kind: 'opaque',
    // The planner takes a `case` to be true for half of the rows.
    condition: (condition) => sql`case when ${condition} then true else false end`,
    value: (value) => sql`greatest(${value})`,
    // With a tenth of the rows, an index in the order wins over sorting.
    limit: (rows) => sql`cast(${rows} as bigint)`,
    mayHold: (folded, match) => {
      if (match.kind === 'prefix')
        return sql`(short_grams(${folded}) @> array[cast(${match.needle} as text)])`
      const patterns = match.trigrams.map((trigram) => sql`${folded} like ${pattern(trigram)}`)
      return sql`(${join(patterns, ' and ')})`
    },
    amount: (row, { fields }, term) => amountIn(row, fields.length, term),
  },
  isSpread: false,
}

/** For a database whose tables are spread over the nodes of a cluster (layout/shards.ts). */
export const spreadDialect: Dialect = { ...postgresDialect, isSpread: true }

/**
 * Decimal digits of a mean before it is rounded to a double. A fraction of at most 2^33 integers is either halfway
 * between two doubles and has at most 33 digits, or it differs from the halfway point by more than the last digit.
 */
const meanDigits = 40

function mean([sum]: readonly Sql[], count: Sql): Sql {
  const decimal = sql`cast(${sum} as numeric) * ${raw(`1.${'0'.repeat(meanDigits)}`)} / ${count}`
  return sql`(case when abs(${sum}) > 9007199254740991 then cast(${decimal} as double precision)
      else cast(${sum} as double precision) / ${count} end)`
}

/** JSON text in which the server writes spaces. */
function spaced(json: Sql): Sql {
  const mark = raw(`chr(${spacedMark})`)
  return sql`(${mark} || ${json}::text || ${mark})`
}

function isOneOf(value: Sql, values: readonly Value[]): Sql {
  return values.length < manyValues ? sql`${value} in (${listOf(values)})` : isOneOfMany(value, values, false)
}

/** A generic plan compares each row with all values of a list, but hashes the result of a sub-query. */
function isOneOfMany(value: Sql, values: readonly Value[], negated: boolean): Sql {
  const array = sql`cast(array[${listOf(values)}] as ${raw(typeOf(values[0]))}[])`
  return sql`((${value} in (select unnest(${array}))) is ${raw(String(!negated))})`
}

function typeOf(value: Value | undefined): 'text' | 'bytea' | 'bigint' {
  if (typeof value === 'string') return 'text'
  return value instanceof Uint8Array ? 'bytea' : 'bigint'
}

/**
 * PostgreSQL's `concat` takes four times as long for each text, because it accepts any type. Joining halves avoids
 * copying a text once for each text after it, and limits the depth of the expression.
 */
function concat(parts: readonly Sql[]): Sql {
  if (parts.length === 1) return parts[0] as Sql
  const half = parts.length >> 1
  return sql`(${concat(parts.slice(0, half))} || ${concat(parts.slice(half))})`
}

/** The expression that the index contains. */
function hashOf(text: Sql): Sql {
  const [before = '', after = ''] = textHash('\0').split('\0')
  return sequence([raw(before), text, raw(after)])
}

function only(filter: Sql | null): Sql {
  return filter === null ? sql`` : sql` filter (where ${filter})`
}

/** JSON is always a column, never a parameter. */
function around(json: Sql, write: (text: string) => string): Sql {
  if (json.values.length > 0) throw new Error('JSON is read from columns.')
  return raw(write(json.sql))
}

function jsonbAt(json: Sql, path: readonly string[]): Sql {
  return around(json, (text) => jsonAt(text, path))
}

function elementsAt(json: Sql, path: readonly string[]): Sql {
  const found = jsonbAt(json, path)
  return sql`jsonb_array_elements(case jsonb_typeof(${found}) when 'array' then ${found} end)`
}

function pattern(trigram: string): string {
  return `%${trigram.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}
