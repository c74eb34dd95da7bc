/** Time buckets in the SQL of PostgreSQL. */
import type { Dialect } from '../../sql/dialect.ts'
import { literal, sql } from '../../sql/sql.ts'
import { bucketStart, timePart } from '../../sql/time-buckets.ts'

export const bucketKey: Dialect['bucketKey'] = (micros, { unit }) => {
  switch (unit) {
    case 'hour':
    case 'day':
    case 'week':
      return bucketStart(micros, unit)
    case 'month':
    case 'quarter':
    case 'year':
      return sql`date_trunc(${literal(unit)}, day_of(${micros})::timestamp)`
    case 'hourOfDay':
    case 'weekday':
      return timePart(micros, unit)
  }
}

export const bucketText: Dialect['bucketText'] = (key, { unit }) => {
  switch (unit) {
    case 'hour':
      return sql`(left(instant_text(${key}), 19) || 'Z')`
    case 'day':
    case 'week':
      return sql`left(instant_text(${key}), 10)`
    case 'month':
    case 'quarter':
    case 'year':
      return sql`to_char(${key}, 'YYYY-MM-DD')`
    case 'hourOfDay':
    case 'weekday':
      return key
  }
}
