/** Time buckets in the SQL of SQLite. */
import type { Dialect } from '../../sql/dialect.ts'
import { literal, raw, type Sql, sql } from '../../sql/sql.ts'
import { bucketStart, floorTo, timePart } from '../../sql/time-buckets.ts'

const microsPerSecond = 1_000_000

/** Months and longer buckets have their label as key. */
export const bucketKey: Dialect['bucketKey'] = (micros, { unit }) => {
  switch (unit) {
    case 'hour':
    case 'day':
    case 'week':
      return bucketStart(micros, unit)
    case 'month':
      return sql`strftime('%Y-%m-01', ${seconds(micros)}, 'unixepoch')`
    case 'quarter': {
      const [year, month] = ['%Y', '%m'].map(
        (format) => sql`strftime(${literal(format)}, ${seconds(micros)}, 'unixepoch')`,
      )
      return sql`(${year} || substr('-01-04-07-10', ((${month} + 2) / 3) * 3 - 2, 3) || '-01')`
    }
    case 'year':
      return sql`strftime('%Y-01-01', ${seconds(micros)}, 'unixepoch')`
    case 'hourOfDay':
    case 'weekday':
      return timePart(micros, unit)
  }
}

export const bucketText: Dialect['bucketText'] = (key, { unit }) => {
  switch (unit) {
    case 'hour':
      return textOf(key, '%Y-%m-%dT%H:00:00Z')
    case 'day':
    case 'week':
      return textOf(key, '%Y-%m-%d')
    case 'month':
    case 'quarter':
    case 'year':
    case 'hourOfDay':
    case 'weekday':
      return key
  }
}

function textOf(micros: Sql, format: string): Sql {
  return sql`strftime(${literal(format)}, ${micros} / ${raw(String(microsPerSecond))}, 'unixepoch')`
}

function seconds(micros: Sql): Sql {
  return sql`(${floorTo(micros, microsPerSecond)} / ${raw(String(microsPerSecond))})`
}
