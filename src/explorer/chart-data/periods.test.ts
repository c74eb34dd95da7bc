import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseLanguage } from '../languages/language.ts'
import { dateText, nextOf, periodFor, periodLabel, periods, periodsBetween, startOf } from './periods.ts'

const at = (text: string) => Date.parse(text)
const text = (moment: number) => new Date(moment).toISOString().slice(0, 16)

test('a period begins where groups do', () => {
  const moment = at('2026-11-29T15:30:00Z')
  assert.deepEqual(
    periods.map((period) => text(startOf(period, moment))),
    ['2026-11-29T15:00', '2026-11-29T00:00', '2026-11-23T00:00', '2026-11-01T00:00', '2026-01-01T00:00'],
  )
  assert.equal(text(startOf('week', at('1969-12-31T23:59:00Z'))), '1969-12-29T00:00')
  assert.equal(text(startOf('year', at('0050-06-01T00:00:00Z'))), '0050-01-01T00:00')
})

test('periods follow each other without gaps', () => {
  for (const period of periods) {
    const start = startOf(period, at('2023-12-31T23:00:00Z'))
    const next = nextOf(period, start)
    assert.equal(startOf(period, next - 1), start)
    assert.equal(startOf(period, next), next)
  }
  assert.deepEqual(periodsBetween('month', at('2023-11-30'), at('2024-02-01'), 10).map(text), [
    '2023-11-01T00:00',
    '2023-12-01T00:00',
    '2024-01-01T00:00',
    '2024-02-01T00:00',
  ])
})

test('only the last periods of a long range are made', () => {
  const day = periodsBetween('day', at('0001-01-01'), at('2026-11-30'), 400)
  assert.equal(day.length, 400)
  assert.equal(text(day.at(-1) ?? 0), '2026-11-30T00:00')
  for (const period of periods)
    assert.equal(periodsBetween(period, at('0001-01-01'), at('2026-11-30'), 50).length, 50, period)
})

test('dates are those of years with four digits', () => {
  const days = ['0000-12-27', '0001-01-01', '2026-11-30T23:59:59Z', '9999-12-31', '+010000-01-02']
  assert.deepEqual(
    days.map((day) => dateText(at(day))),
    ['0001-01-01', '0001-01-01', '2026-11-30', '9999-12-31', '9999-12-31'],
  )
})

test('a range is divided into about a hundred periods at most', () => {
  const days = (count: number) => periodFor(count * 86_400_000)
  assert.deepEqual([1, 60, 365, 3_000, 30_000].map(days), ['hour', 'day', 'week', 'month', 'year'])
})

test('the label of an hour has the year', () => {
  const label = periodLabel('hour', Date.UTC(2026, 10, 16, 9), chooseLanguage('en', undefined))
  assert.equal(label.replaceAll('\u202F', ' '), 'Nov 16, 2026, 9:00 AM')
})
