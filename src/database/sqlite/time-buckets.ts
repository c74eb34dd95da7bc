/** Time buckets in the SQL of SQLite. The steps of a time zone are a balanced expression. */
import { literal, raw, sequence, type Sql, sql } from '../../sql/sql.ts'
import { createTimeBuckets, inMicros } from '../../sql/time-buckets.ts'

const microsPerSecond = 1_000_000

export const { bucketKey, bucketText } = createTimeBuckets({
  /** By halving the steps. */
  stepsAt(instant, steps, type, write) {
    const parts: Sql[] = []
    const add = (some: typeof steps): void => {
      const [first] = some
      const half = some.length >> 1
      const middle = some[half]
      if (first === undefined || middle === undefined) throw new Error('There are no steps.')
      if (half === 0) {
        const value = write(first.value, first.from)
        parts.push(type === 'text' ? literal(value) : raw(value))
        return
      }
      parts.push(raw('case when '), instant, raw(` < ${inMicros(middle.from)} then `))
      add(some.slice(0, half))
      parts.push(raw(' else '))
      add(some.slice(half))
      parts.push(raw(' end'))
    }
    add(steps)
    return steps.length === 1 ? sequence(parts) : sql`(${sequence(parts)})`
  },
  atLeast: (value, least) => sql`max(${value}, ${least})`,
  firstDay(instant, unit, floor) {
    const seconds = sql`(${floor(instant, microsPerSecond)} / ${raw(String(microsPerSecond))})`
    const part = (format: string): Sql => sql`strftime(${literal(format)}, ${seconds}, 'unixepoch')`
    if (unit !== 'quarter') return part(unit === 'month' ? '%Y-%m-01' : '%Y-01-01')
    return sql`(${part('%Y')} || substr('-01-04-07-10', ((${part('%m')} + 2) / 3) * 3 - 2, 3) || '-01')`
  },
  dayText: (key) => key,
  midnight: (key) => sql`(unixepoch(${key}) * 1000000)`,
  timeText: (instant) => sql`strftime('%FT%T', ${instant} / 1000000, 'unixepoch')`,
})
