import assert from 'node:assert/strict'
import { test } from 'node:test'
import { valueFormat } from '../charts/chart-spec.ts'
import { chooseLanguage } from '../languages/language.ts'
import { dateText, periodFor, periodFormat, periodLabel, periods, periodsBetween } from './periods.ts'
import { moved, startOf } from '../../util/time/calendar.ts'
import { usualRange } from './time-axis.ts'

const day = 86_400_000
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
    const next = moved(period, start, 1)
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
  for (const period of periods) {
    const made = periodsBetween(period, at('0001-01-01'), at('2026-11-30'), 400)
    assert.deepEqual([made.length, made.at(-1)], [400, startOf(period, at('2026-11-30'))], period)
  }
})

test('dates are those of years with four digits', () => {
  const days = ['0000-12-27', '0001-01-01', '2026-11-30T23:59:59Z', '9999-12-31', '+010000-01-02']
  assert.deepEqual(
    days.map((day) => dateText(at(day))),
    ['0001-01-01', '0001-01-01', '2026-11-30', '9999-12-31', '9999-12-31'],
  )
})

test('a range is divided into about a hundred periods at most', () => {
  const lengths = [1, 60, 365, 3_000, 30_000]
  const chosen = lengths.map((days) => periodFor(days * day))
  assert.deepEqual(chosen, ['hour', 'day', 'week', 'month', 'year'])
})

test('the label of an hour has the year', () => {
  const label = periodLabel('hour', Date.UTC(2026, 10, 16, 9), chooseLanguage('en', undefined))
  assert.equal(label.replaceAll('\u202F', ' '), 'Nov 16, 2026, 9:00 AM')
})

test('formats of labels and of values are made once', () => {
  assert.equal(periodFormat('day', 'en'), periodFormat('day', 'en'))
  assert.equal(valueFormat('share', 'en'), valueFormat('share', 'en'))
  assert.notEqual(periodFormat('day', 'en'), periodFormat('day', 'de'))
  assert.notEqual(valueFormat('share', 'en'), valueFormat('number', 'en'))
})

const days = (...counts: number[]) => counts.map((count, n) => ({ at: n * day, count }))

test('a wrong time far from all others is left out of the range', () => {
  const usual = days(5, 0, 8, 7)
  const late = { at: Date.parse('9999-12-31'), count: 1 }
  const early = { at: Date.parse('0001-01-01'), count: 1 }
  assert.deepEqual(usualRange([late, ...usual]), usual)
  assert.deepEqual(usualRange([early, ...usual, late]), usual)
  assert.deepEqual(usualRange([early, ...days(8), late]), days(8))
})

test('times that are only rarer at the ends stay', () => {
  const thin = days(1, 1, 20, 300, 20, 1)
  assert.deepEqual(usualRange(thin), thin)
  assert.deepEqual(usualRange(days(1, 1)), days(1, 1))
  assert.deepEqual(usualRange(days(7)), days(7))
  assert.deepEqual(usualRange(days(1, 20)), days(1, 20))
})

test('of few records within a year or two all stay', () => {
  for (const at of [
    [0, 90, 165],
    [0, 120, 150, 300],
    [0, 150, 150, 151, 300],
    [0, 10, 11, 12, 13, 14, 250],
  ]) {
    const few = at.map((each) => ({ at: each * day, count: 1 }))
    assert.deepEqual(usualRange(few), few)
  }
})

test('one stray record of each 40 in one year is left out', () => {
  const usual = days(5, 20, 15)
  const far = { at: 4_000 * day, count: 2 }
  assert.deepEqual(usualRange([...usual, far]), usual)
  assert.deepEqual(usualRange([...usual, { ...far, count: 3 }]).length, 4)
  assert.deepEqual(usualRange([...days(5, 20, 10), far]).length, 4)
  assert.deepEqual(usualRange([...days(50, 60, 70), { ...far, count: 5 }]), days(50, 60, 70))
})

test('strays of some months are left out of weeks, and times near the others stay', () => {
  const usual = days(...Array.from({ length: 45 }, () => 90))
  const at = (number: number) => ({ at: number * day, count: 2 })
  assert.deepEqual(usualRange([at(-60), at(-4), ...usual, at(48), at(150)]), [at(-4), ...usual, at(48)])
  // A range that becomes less than four times as long is drawn whole.
  assert.deepEqual(usualRange([...usual, at(170)]).length, 46)
  assert.deepEqual(usualRange([...days(90, 90), at(120)]).length, 3)
})

test('of many records at most one in 200 is left out at each end', () => {
  const usual = days(...Array.from({ length: 20 }, () => 99))
  const far = { at: 4_000 * day, count: 10 }
  assert.deepEqual(usualRange([...usual, { ...far, count: 9 }]), usual)
  assert.deepEqual(usualRange([...usual, far]), [...usual, far])
})
