/** Counts as SQL, and groups by one key: from materialized counts and sums, or a count of rows. */
import { type CountTable, countKeys, dayLength } from '../../../database/layout/counts.ts'
import { haveColumn, sumColumn } from '../../../database/layout/sums.ts'
import type { Table } from '../../../database/layout/tables.ts'
import { identifier, join, raw, type Sql, sql } from '../../../sql/sql.ts'
import { emitFilters, emitAccess } from '../emit-access-path.ts'
import { emitFilter } from '../emit-filter.ts'
import { linked } from '../emit-links.ts'
import { repoCollectionIds } from '../emit-membership.ts'
import { keysOf, leftJoin } from '../emit-records.ts'
import { columnOf, type Emitter, newRow, type Parent, recordOf, type RecordRow } from '../emitter.ts'
import { staged } from '../steps.ts'
import type { CountAccess, GroupAccess, TotalAccess } from '../../plan/physical-plan.ts'
import type { GroupKey, Join, MeasurePlan } from '../../plan/groups/group-plan.ts'

/** The number of records of a table. */
export function emitCount(emitter: Emitter, access: CountAccess, table: Table, parent: Parent): Sql {
  switch (access.kind) {
    case 'counts': {
      const { counts, columns, filter } = access
      if (filter === null) return sumOf(emitter, counts, null)
      // The filter names columns of the collection's table.
      const row = newRow(emitter, table)
      const named = countKeys(counts).map(
        (key, index) => sql`${raw(key)} as ${identifier(columns[index]?.name ?? '')}`,
      )
      const from = sql`(select ${join(named, ', ')}, n from ${identifier(counts.name)}) ${row.alias}`
      const sum = sql`coalesce(${emitter.dialect.sum(raw('n'))}, 0)`
      return staged(emitter, sql`select ${sum} from ${from} where ${emitFilter(emitter, filter, row)}`)
    }
    case 'account-counts':
      return sumOf(emitter, access.counts, sql`value in (${repoCollectionIds(table, access.dids)})`)
    case 'link-counts': {
      const around = recordOf(parent)
      const { alias } = around
      if (emitter.dialect.isSpread)
        return countAt(
          emitter,
          around,
          (keys) => sql`select base, rkey, n from ${identifier(access.counts.name)}
            where (base, rkey) in (select base, rkey from ${keys})`,
        )
      return sumOf(emitter, access.counts, sql`base = ${alias}.base and rkey = ${alias}.rkey`)
    }
    case 'matches': {
      const { from, where } = emitter.dialect.wordIds(table.name, access.index, access.match)
      return staged(emitter, sql`select count(*) from ${from} where ${where}`)
    }
    case 'difference':
      return sql`(${emitCount(emitter, access.of, table, parent)} - ${emitCount(emitter, access.less, table, parent)})`
    case 'rows': {
      const row = newRow(emitter, table)
      if (emitter.dialect.isSpread && access.link !== null) {
        const { from, base, key } = linked(emitter, access.link, row, null)
        const where = emitFilters(emitter, access, row)
        return countAt(
          emitter,
          recordOf(parent),
          (keys) => sql`select ${base} as base, ${key} as rkey, count(*) as n from ${from}
            where (${base}, ${key}) in (select base, rkey from ${keys}) and ${where} group by 1, 2`,
        )
      }
      const { from, where } = emitAccess(emitter, access, row, parent)
      return staged(emitter, sql`select count(*) from ${from} where ${where}`)
    }
  }
}

/** The number at a row: a stage has those of all such rows, by a query of `base`, `rkey` and `n` from their keys. */
function countAt(emitter: Emitter, { alias, from }: RecordRow, counts: (keys: Sql) => Sql): Sql {
  const keys = keysOf(emitter, { base: sql`${alias}.base`, key: sql`${alias}.rkey`, from })
  const [found, at] = [emitter.step(counts(keys)), emitter.alias()]
  return sql`coalesce((select ${at}.n from ${found} ${at} where ${at}.base = ${alias}.base and ${at}.rkey = ${alias}.rkey), 0)`
}

/** The same, or what the counts of groups add up to. Rows are counted in a step, which the same count elsewhere shares. */
export function emitRecordCount(
  emitter: Emitter,
  access: TotalAccess | null,
  table: Table,
  groups: { readonly name: Sql } | null,
): Sql {
  if (access === null) throw new Error('The plan counts nothing.')
  if (access.kind === 'difference') {
    const [of, less] = [access.of, access.less].map((each) => emitRecordCount(emitter, each, table, groups))
    return sql`(${of} - ${less})`
  }
  if (access.kind !== 'groups') {
    const count = emitCount(emitter, access, table, null)
    return access.kind === 'rows' ? sql`(select n from ${emitter.step(sql`select ${count} as n`)})` : count
  }
  if (groups === null) throw new Error('There are no groups to add up.')
  return sql`(select coalesce(${emitter.dialect.sum(raw('n'))}, 0) from ${groups.name})`
}

function sumOf(emitter: Emitter, counts: CountTable, where: Sql | null): Sql {
  const condition = where === null ? sql`` : sql` where ${where}`
  const sum = sql`coalesce(${emitter.dialect.sum(raw('n'))}, 0)`
  return staged(emitter, sql`select ${sum} from ${identifier(counts.name)}${condition}`)
}

// Groups from materialized counts and sums

/** Groups from counts, which are of the key's own values, or of days. The number of records is `n`. */
export function emitCountedGroups(
  emitter: Emitter,
  { counts }: Extract<GroupAccess, { kind: 'counts' }>,
  grouped: GroupKey,
  keys: readonly Sql[],
): Sql {
  const { dialect } = emitter
  const { bucket, interval } = grouped
  const from = identifier(counts.name)
  const key = keys[0] as Sql
  const addedUp = (value: Sql, rows: Sql): Sql =>
    emitter.step(sql`select ${value} as ${key}, ${dialect.sum(raw('n'))} as n
    from ${rows} group by ${key}`)
  if (bucket === null && interval !== null)
    return addedUp(groupedValue(emitter, grouped, dialect.countedValue(raw('value'))), from)
  if (bucket === null) {
    const values = countKeys(counts).map(
      (column, index) => sql`${dialect.countedValue(raw(column))} as ${keys[index] as Sql}`,
    )
    return emitter.step(sql`select ${join(values, ', ')}, n from ${from}`, false)
  }
  const micros = sql`${dialect.countedValue(raw('value'))} * ${raw(String(dayLength))}`
  if (bucket.unit === counts.kind)
    return emitter.step(sql`select ${dialect.bucketKey(micros, bucket)} as ${key}, n from ${from}`, false)
  const days = sql`(select ${micros} as micros, n from ${from}) ${emitter.alias()}`
  return addedUp(groupedValue(emitter, grouped, raw('micros')), days)
}

/**
 * Groups by time of the records with one value of a code. Each bucket begins with its first day, or month, that has
 * records, and ends where the next bucket begins. The largest bucket is not counted: it has what the others leave.
 */
export function emitRangeGroups(
  emitter: Emitter,
  of: Table,
  { counts, index, instant, code, total }: Extract<GroupAccess, { kind: 'ranges' }>,
  { bucket }: GroupKey,
  [key]: readonly Sql[],
): Sql {
  const { dialect } = emitter
  if (bucket === null) throw new Error('Ranges are of buckets.')
  const row = newRow(emitter, of)
  const at = columnOf(emitter, row.alias, instant)
  const from = sql`${identifier(of.name)} ${row.alias}${dialect.scan(index.name)}`
  const count = (condition: Sql): Sql =>
    sql`(select count(*) from ${from} where ${emitFilter(emitter, code, row)} and ${condition})`
  const micros = sql`${dialect.countedValue(raw('value'))} * ${raw(String(dayLength))}`
  const starts = sql`select ${dialect.bucketKey(raw('micros'), bucket)} as bucket, min(micros) as lower, sum(n) as size
    from (select ${micros} as micros, n from ${identifier(counts.name)}) days where micros is not null group by 1`
  const within = sql`${at} >= lower and ${at} < coalesce(upper, ${raw(lastInstant)})`
  const ranges = emitter.step(sql`select bucket, lower, lead(lower) over (order by lower) as upper,
      row_number() over (order by size desc) as place from (${starts}) starts`)
  const counted = emitter.step(sql`select bucket, ${count(within)} as n from ${ranges} where place > 1
      union all select null, ${count(sql`${at} is null`)}`)
  return emitter.step(sql`select bucket as ${key as Sql}, n from (select * from ${counted} union all
      select bucket, ${emitCount(emitter, total, of, null)} - (select sum(n) from ${counted}) from ${ranges} where place = 1) counted where n > 0`)
}

/** Larger than any instant. */
const lastInstant = '9223372036854775807'

/** Groups by the elements of an array, from its side table; the records without elements are the rest of all. */
export function emitElementGroups(
  emitter: Emitter,
  { array, total }: Extract<GroupAccess, { kind: 'elements' }>,
  [key]: readonly Sql[],
): Sql {
  const from = identifier(array.name)
  const missing = sql`${sumOf(emitter, total, null)} - (select count(distinct id) from ${from})`
  return emitter.step(sql`select value as ${key as Sql}, count(*) as n from ${from} group by value
    union all select null, ${missing}`)
}

/**
 * Groups from counts or sums that are stored by a reference: by the reference itself, or by a value of the record that
 * it names. Measures are sums and averages of small integers.
 */
export function emitSummedGroups(
  emitter: Emitter,
  access: Extract<GroupAccess, { kind: 'joined-counts' | 'sums' }>,
  measures: readonly MeasurePlan[],
  key: GroupKey,
  keys: readonly Sql[],
): Sql {
  const { dialect } = emitter
  const row = emitter.alias()
  const [stored, target]: readonly [string, Join | undefined] =
    access.kind === 'sums' ? [access.sums.name, key.joins[1]] : [access.counts.name, access.join]
  // Rows that are stored by the key itself need no further grouping.
  const amount = (column: string): Sql =>
    target === undefined ? sql`${row}.${raw(column)}` : dialect.sum(sql`${row}.${raw(column)}`)
  const measured = measures.map(({ measure }, index) => {
    const summed = access.kind === 'sums' ? (access.measured[index] ?? 0) : 0
    const [have, sum] = [amount(haveColumn(summed)), amount(sumColumn(summed))]
    // Null if no record has a value.
    const value =
      measure === 'sum'
        ? sql`case when ${have} > 0 then ${sum} end`
        : dialect.mean([sum], sql`nullif(${have}, 0)`)
    return sql`${value} as ${measureName(index)}`
  })
  const [values, joined, by] =
    target === undefined
      ? [['base', 'rkey'].map((column) => dialect.countedValue(sql`${row}.${raw(column)}`)), sql``, sql``]
      : joinTarget(emitter, target, key, row, keys)
  const selected = [
    ...values.map((value, index) => sql`${value} as ${keys[index] as Sql}`),
    sql`${amount('n')} as n`,
    ...measured,
  ]
  return emitter.step(sql`select ${join(selected, ', ')} from ${identifier(stored)} ${row}${joined}${by}`)
}

function joinTarget(emitter: Emitter, { table }: Join, key: GroupKey, row: Sql, keys: readonly Sql[]) {
  const alias = emitter.alias()
  const parts = { base: sql`${row}.base`, key: sql`${row}.rkey` }
  return [
    storedKey(emitter, key, alias),
    sql` ${leftJoin(emitter, table, alias, parts, readsRecord(key))}`,
    sql` group by ${join(keys as Sql[], ', ')}`,
  ] as const
}

/** Whether a key is read from the record at the end of its joins, not from a column. */
export function readsRecord({ leaf }: GroupKey): boolean {
  return leaf.kind === 'element' || (leaf.kind === 'column' && leaf.column.virtual)
}

/** The values by which a key in columns is grouped: one value, or the two parts of a reference. */
export function storedKey(emitter: Emitter, key: GroupKey, alias: Sql): readonly Sql[] {
  const { leaf } = key
  if (leaf.kind === 'reference')
    return [columnOf(emitter, alias, leaf.base), columnOf(emitter, alias, leaf.key)]
  if (leaf.kind !== 'column') throw new Error('Only single values of a record are stored in columns.')
  const value = columnOf(emitter, alias, leaf.column)
  return [groupedValue(emitter, key, value)]
}

/** The time bucket of an instant, the range of an integer, or the value itself. */
export function groupedValue({ dialect }: Emitter, { bucket, interval }: GroupKey, value: Sql): Sql {
  const found = bucket === null ? value : dialect.bucketKey(value, bucket)
  if (interval === null) return found
  const size = sql`${BigInt(interval)}`
  // Parts of time are not negative, and long to evaluate in a time zone.
  if (bucket !== null) return sql`(${found} / ${size} * ${size})`
  // Rounds down, also below zero, where division rounds towards zero.
  return sql`(${found} - ((${found} % ${size} + ${size}) % ${size}))`
}

/** Exact sums may have several columns. */
export function measureName(index: number, part = 0): Sql {
  return raw(part === 0 ? `m${index}` : `m${index}_${part}`)
}
