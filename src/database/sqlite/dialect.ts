/** The SQL dialect of SQLite. */
import type { Dialect, WordMatch } from '../../sql/dialect.ts'
import { identifier, listOf, literal, raw, type Sql, sql, concat } from '../../sql/sql.ts'
import { spanOfNear } from '../../search/nearest-words.ts'
import { sampledByte } from '../../search/sample.ts'
import { bucketKey, bucketText } from './time-buckets.ts'
import { amountsOf, wordQuery } from './word-query.ts'

/** Replaces null in the keys of count tables, which cannot be null; no counted value equals it. */
export const missingKey = "x''"

export const sqliteDialect: Dialect = {
  engine: 'sqlite',
  text: (statement) => statement.sql,
  concat,
  joined: (text, filter) =>
    filter === null
      ? sql`group_concat(${text}, ',')`
      : sql`group_concat(${text}, ',') filter (where ${filter})`,
  joinedBy: (_, text, filter) => sqliteDialect.joined(text, filter),
  joinedInOrder: (number, text) => sql`group_concat(${text}, ',' order by ${number})`,
  joinKeepsOrder: true,
  join: raw('cross join'),
  joinRepoCollection: (alias, id) => sql`left join base ${alias} on ${alias}.id = ${id}`,
  ordering: (direction, _, nulls) => raw(nulls === undefined ? direction : `${direction} nulls ${nulls}`),
  body: (text) => sql`cast(${text} as blob)`,
  toJson: (value) => sql`json_quote(${value})`,
  booleanJson: (condition) => sql`iif(${condition}, 'true', 'false')`,
  recordJson: (record) => sql`json(${record})`,
  jsonAt: (json, path) => (path.length === 0 ? json : sql`(${json} -> ${raw(pathLiteral(path))})`),
  nestedJsonAt: (json, path) => sqliteDialect.jsonAt(json, path),
  scalarAt: (json, path) => (path.length === 0 ? json : sql`(${json} ->> ${raw(pathLiteral(path))})`),
  virtualText: (alias, name) => sql`${alias}.${identifier(name)}`,
  isOneOf: (text, values) =>
    values.length === 1 ? sql`(${text} = ${values[0]})` : sql`(${text} in (${listOf(values)}))`,
  isOneOfMany: (value, values, negated) =>
    sql`(${value} ${raw(negated ? 'not in' : 'in')} (${listOf(values)}))`,
  did: (alias) => sql`(select did from base where id = ${alias}.base)`,
  uri: (alias) => sql`((select uri from base where id = ${alias}.base) || ${alias}.rkey)`,
  unindexed: (value) => sql`+${value}`,
  // `json_each` yields one row for a JSON null. Extracted by its path, null is SQL NULL, which yields no rows.
  each: (json, path, alias) =>
    path.length === 0
      ? sql`json_each(${json}) ${alias}`
      : sql`json_each(jsonb_extract(${json}, ${raw(pathLiteral(path))})) ${alias}`,
  objects: (json, path, alias) => sql`jsonb_each(jsonb_extract(${json}, ${raw(pathLiteral(path))})) ${alias}`,
  jsonArray: (values) => sql`json_array(${listOf(values)})`,
  asFloat: (value) => sql`cast(${value} as real)`,
  numberText: (value) => sql`number_text(${value})`,
  constant: literal,
  repoCollectionOfUri: (uri) => sql`rtrim(${uri}, replace(${uri}, '/', ''))`,
  uriKey: (uri) => sql`substr(${uri}, length(rtrim(${uri}, replace(${uri}, '/', ''))) + 1)`,
  cidText: (cid) => sql`cid_text(${cid})`,
  // Folds ASCII without a JavaScript function: arguments and results of such calls are freed only after the statement.
  fold: (text) =>
    sql`iif(octet_length(${text}) = length(${text}), replace(lower(${text}), '\`', ''''), fold(${text}))`,
  lower: (ascii) => sql`lower(${ascii})`,
  foldedColumn: (text, folded) => sql`ifnull(${folded}, lower(${text}))`,
  textMissing: (text, folded) => sql`(${folded} is null and ${text} is null)`,
  textMatch: {
    contains: (folded, needle) => sql`(instr(${folded}, ${needle}) > 0)`,
    startsWith: (folded, needle) => sql`(substr(${folded}, 1, ${[...needle].length}) = ${needle})`,
  },
  wordsMatch: (alias, { name }, match, lookup) => {
    const { from, id, where } = wordIds(name, match)
    if (lookup === 'row') return sql`exists (select 1 from ${from} where ${where} and ${id} = ${alias}.id)`
    const row = sql`${alias}.id`
    return sql`(${lookup === 'set' ? row : sqliteDialect.unindexed(row)} in (select ${id} from ${from} where ${where}))`
  },
  wordIds: (_, { name }, match) => wordIds(name, match),
  wordCounts: {
    partText: (part) => raw(`x'${(part * 64).toString(16).padStart(4, '0')}'`),
    // Any two bytes are below these three.
    isSampled: (cid, part) => sql`${raw(sampledBytes(cid.text))} < ifnull(${part}, x'ffffff')`,
    read: (_, texts) => sql`count(*) as records, count_words(${listOf(texts)}) as words`,
    records: (read) => sql`(select records from ${read})`,
    words: (read) => sql`select value ->> 0 as word, value ->> 1 as n from ${read}, json_each(${read}.words)`,
  },
  vocabulary: {
    has: (index, word) => {
      const { from, where } = wordIds(index, { kind: 'term', words: [word], prefix: false, fields: null })
      return sql`exists (select 1 from ${from} where ${where})`
    },
    near: (index, word, most) => {
      const { from, to } = spanOfNear(word)
      const { length } = [...word]
      // Marks are terms too.
      const terms = sql`select term, doc from ${identifier(`${index}/terms`)}
        where term >= ${from} and term < ${to} and length(term) between ${length - most} and ${length + most}
          and instr(term, '~') = 0`
      return sql`select term as word, doc as n, edit_distance(${word}, term, ${most}) as edits
        from (${terms}) where edits is not null`
    },
  },
  now: () => raw(`cast(unixepoch('subsec') * 1000000 as integer)`),
  countedValue: (key) => sql`nullif(${key}, ${raw(missingKey)})`,
  bucketKey,
  bucketText,
  integers: (values, alias) => sql`json_each(${`[${values.join(',')}]`}) ${alias}`,
  // Without nulls SQLite compares bytes. Texts with a NUL are refused, so char(0) is free.
  groupedText: (text) => sql`ifnull(${text}, char(0))`,
  // SQLite sorts rows to group them, which takes two to three times as long as counting in a JavaScript map.
  countRecords: (id, values, rows) => {
    const [first, ...others] = values
    const isText = first?.isText === true && others.length === 0
    const key = isText ? first.value : sql`json_array(${listOf(values.map(({ value }) => value))})`
    const columns = isText
      ? sql`value ->> 0 as ${first.name}`
      : listOf(values.map(({ name }, index) => sql`(value ->> 0) ->> ${raw(String(index))} as ${name}`))
    return sql`select ${columns}, value ->> 1 as n from json_each((${rows(sql`count_records(${id}, ${key})`)}))`
  },
  countNames: (names, name, rows) =>
    sql`select value ->> 0 as ${name}, value ->> 1 as n from json_each((${rows(sql`count_names(${names})`)}))`,
  sum: (value) => sql`sum(${value})`,
  sumParts: (sum, isWide) => (isWide ? [sum >> BigInt(lowBits.sql), sum & (2n ** 26n - 1n)] : [sum]),
  exactSum: (value, isWide) => {
    if (!isWide) return [sql`sum(${value})`]
    // SQLite sums in 64 bits and fails on overflow. Two partial sums stay within 64 bits for any number of integers.
    const [high, low] = [sql`sum(${value} >> ${lowBits})`, sql`sum(${value} & ${lowMask})`]
    return [sql`(${high} + (${low} >> ${lowBits}))`, sql`(${low} & ${lowMask})`]
  },
  sumText: (sum) => (sum.length === 1 ? sql`cast(${sum[0]} as text)` : sql`sum_text(${listOf(sum)})`),
  checkedSum: (sum) => {
    const whole = wholeSum(sum)
    const checked = sql`iif(abs(${whole}) > 9007199254740991, sum_out_of_range(), ${whole})`
    return sum.length === 1 ? checked : sql`iif(${isBeyond(sum)}, sum_out_of_range(), ${checked})`
  },
  mean: (sum, count) => {
    const [high, low] =
      sum.length === 1 ? [sql`(${sum[0]} >> ${lowBits})`, sql`(${sum[0]} & ${lowMask})`] : sum
    return sql`iif(${isBeyond(sum)}, exact_mean(${high}, ${low}, ${count}), cast(${wholeSum(sum)} as real) / ${count})`
  },
  // SQLite lists the integers of a group, and functions in JavaScript read the list.
  ordered: {
    median: (value, unit) => sql`median_of(${listed(value)}, ${raw(String(unit))})`,
    percentiles: (value, ranks) => sql`percentiles_of(${listOf([listed(value), ...ranks])})`,
    percentileAt: (column, index) => sql`(${column} ->> ${raw(String(index))})`,
    percentilesJson: (column) => sql`ifnull(${column}, 'null')`,
  },
  stddev: (value) => sql`stddev_of(${listed(value)})`,
  // The planner inspects a bare parameter here and then prepares the statement again at every binding.
  limit: (rows) => sql`${rows} + 0`,
  scan: (index) => (index === null ? raw(' not indexed') : sql` indexed by ${identifier(index)}`),
  exists: (query) => sql`exists (${query})`,
  hashed: (isInList) => isInList,
  mostHashed: Number.POSITIVE_INFINITY,
  isSpread: false,
  plannerControl: {
    kind: 'hints',
    ids: {
      of: (id) => sql`json_group_array(${id})`,
      length: (ids) => sql`json_array_length(${ids})`,
      // Numbers are bound as floating-point values, which `->>` would take for names of members.
      at: (ids, place) => sql`(${ids} ->> cast(${place} as integer))`,
      rows: (ids, alias, backward) =>
        backward
          ? // `limit -1` keeps the order, which SQLite would otherwise drop for a sub-query.
            sql`(select key, value from json_each(${ids}) order by key desc limit -1) ${alias}`
          : sql`json_each(${ids}) ${alias}`,
    },
    amounts: amountsOf,
    trigramIds: (index, match) => {
      const table = identifier(index)
      if (match.kind === 'all') {
        const query = match.trigrams.map(phrase).join(' AND ')
        return { from: table, id: sql`rowid`, where: sql`${table} match ${query}` }
      }
      // The vocabulary is read in the same snapshot, so that no trigram is missed.
      const terms = identifier(`${index}/terms`)
      const query = sql`(select coalesce(group_concat('"' || replace(term, '"', '""') || '"', ' OR '), '""') from ${terms}
        where term >= ${match.needle} and term < ${afterPrefix(match.needle)})`
      return { from: table, id: sql`rowid`, where: sql`${table} match ${query}` }
    },
  },
}

function wordIds(index: string, match: WordMatch) {
  const table = identifier(index)
  return { from: table, id: sql`rowid`, where: sql`${table} match ${wordQuery(match)}` }
}

/** SQLite computes equal aggregates of a statement once. */
function listed(value: Sql): Sql {
  return sql`group_concat(${value})`
}

/** The width of the lower part of a sum in two parts. */
const lowBits = raw('26')
const lowMask = raw(String(2 ** 26 - 1))

/** The sum as one number, which fits unless `isBeyond`. */
function wholeSum([high, low]: readonly Sql[]): Sql {
  return low === undefined ? sql`${high}` : sql`(${high} * ${raw(String(2 ** 26))} + ${low})`
}

/** True if a double may not represent the sum exactly. */
function isBeyond([high, low]: readonly Sql[]): Sql {
  if (low === undefined) return sql`abs(${high}) > 9007199254740991`
  return sql`${high} not between ${raw(String(-(2 ** 27)))} and ${raw(String(2 ** 27 - 1))}`
}

function phrase(trigram: string): string {
  return `"${trigram.replaceAll('"', '""')}"`
}

/** An upper bound for all trigrams with that prefix, which have at most two more characters. */
export function afterPrefix(needle: string): string {
  return `${needle}\u{10FFFF}\u{10FFFF}\u{10FFFF}`
}

/** A path into a record's JSON, as a literal. */
export function pathLiteral(path: readonly string[]): string {
  return `'$${path.map((part) => `.${JSON.stringify(part).replaceAll("'", "''")}`).join('')}'`
}

/** The bytes of a CID that decide which samples have the record (search/sample.ts), as an expression. */
export function sampledBytes(cid: string): string {
  return `substr(${cid}, ${sampledByte + 1}, 2)`
}
