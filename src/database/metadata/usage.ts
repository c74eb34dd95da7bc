/** Usage of each key by day. */
import type { KeyUsage } from './metadata-store.ts'
import { ask, type Steps } from './steps.ts'

/** Days that are retained: a year, and a month for comparison. */
export const usageDays = 400

/** Adds in the order of keys, so that two concurrent calls do not deadlock. */
export function* addUsage(usage: readonly KeyUsage[], today: number): Steps<void> {
  const add = `insert into key_usage (key, day, requests, points) values (?, ?, ?, ?)
    on conflict (key, day) do update set requests = key_usage.requests + excluded.requests,
      points = key_usage.points + excluded.points`
  const sorted = usage.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.day - b.day))
  for (const { key, day, requests, points } of sorted) yield* ask(add, key, day, requests, points)
  yield* ask('delete from key_usage where day <= ?', today - usageDays)
}

export function* readUsage(since: number): Steps<readonly KeyUsage[]> {
  const rows = yield* ask(
    'select key, day, requests, points from key_usage where day >= ? order by day, key',
    since,
  )
  return rows.map(({ key, day, requests, points }) => ({
    key: String(key),
    day: Number(day),
    requests: Number(requests),
    points: Number(points),
  }))
}
