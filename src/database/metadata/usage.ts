/** What callers with keys have used, by day. */
import type { KeyUsage } from './metadata-store.ts'
import { ask, type Steps } from './steps.ts'

/** Days that are kept: a year, and a month to compare it with. */
export const usageDays = 400

/** In the order of the keys, so that two who add at once do not wait for each other. */
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
