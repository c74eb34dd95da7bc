import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseInstant } from '../../util/instant.ts'
import { parseStretch } from './dates.ts'

/** A Wednesday. */
const now = new Date('2026-11-18T09:30:15.250Z')
const day = 'T00:00:00.000Z'

const stretches: readonly (readonly [text: string, start: string, end: string])[] = [
  ['2026-11-16', `2026-11-16${day}`, `2026-11-17${day}`],
  ['2026-02', `2026-02-01${day}`, `2026-03-01${day}`],
  ['2026', `2026-01-01${day}`, `2027-01-01${day}`],
  ['2026-11-16T13:00:00+01:00', '2026-11-16T12:00:00.000Z', '2026-11-16T12:00:00.000Z'],
  ['now', '2026-11-18T09:30:15.250Z', '2026-11-18T09:30:15.250Z'],
  ['today', `2026-11-18${day}`, `2026-11-19${day}`],
  ['Yesterday', `2026-11-17${day}`, `2026-11-18${day}`],
  ['this week', `2026-11-16${day}`, `2026-11-23${day}`],
  ['last week', `2026-11-09${day}`, `2026-11-16${day}`],
  ['this month', `2026-11-01${day}`, `2026-12-01${day}`],
  ['last month', `2026-10-01${day}`, `2026-11-01${day}`],
  ['this year', `2026-01-01${day}`, `2027-01-01${day}`],
  ['last year', `2025-01-01${day}`, `2026-01-01${day}`],
  ['last 24 hours', '2026-11-17T09:30:15.250Z', '2026-11-18T09:30:15.250Z'],
  ['last  7 days', '2026-11-11T09:30:15.250Z', '2026-11-18T09:30:15.250Z'],
  ['past 2 weeks', '2026-11-04T09:30:15.250Z', '2026-11-18T09:30:15.250Z'],
  ['last 3 months', '2026-08-18T09:30:15.250Z', '2026-11-18T09:30:15.250Z'],
  ['3 days ago', `2026-11-15${day}`, `2026-11-16${day}`],
  ['1 week ago', `2026-11-11${day}`, `2026-11-12${day}`],
  ['2 hours ago', '2026-11-18T07:30:15.250Z', '2026-11-18T07:30:15.250Z'],
]

for (const [text, start, end] of stretches)
  test(`"${text}" is from ${start} to ${end}`, () => {
    const includesEnd = start === end || end === now.toISOString()
    assert.deepEqual(parseStretch(text, now), { start, end, includesEnd })
  })

test('a month before the last of March is the last of February', () => {
  const { start } = parseStretch('last 1 month', new Date('2027-03-31T12:00:00Z'))
  assert.equal(start, '2027-02-28T12:00:00.000Z')
  assert.equal(parseStretch('last month', new Date('2027-03-31T12:00:00Z')).start, `2027-02-01${day}`)
})

test('a text that is not a time is refused with a near one and examples', () => {
  assert.throws(
    () => parseStretch('last wek', now),
    /"last wek" is not a time; "last week" is\. Write a date/,
  )
  for (const text of [
    '',
    'soon',
    '2026-13',
    '2026-02-30',
    'last 9999 years',
    '9999 months ago ago',
    '26-1-1',
  ])
    assert.throws(() => parseStretch(text, now), { name: 'ToolError' }, text)
})

test('every stretch begins before it ends, whenever it is reckoned from', () => {
  const units = fc.constantFrom('hour', 'day', 'week', 'month', 'year')
  const words = fc.oneof(
    fc.constantFrom('now', 'today', 'yesterday'),
    fc
      .tuple(fc.constantFrom('this', 'last'), fc.constantFrom('week', 'month', 'year'))
      .map((two) => two.join(' ')),
    fc.tuple(fc.integer({ min: 0, max: 500 }), units).map(([count, unit]) => `last ${count} ${unit}s`),
    fc.tuple(fc.integer({ min: 0, max: 500 }), units).map(([count, unit]) => `${count} ${unit} ago`),
  )
  const moments = fc.date({ min: new Date('1990-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(words, moments, (text, moment) => {
      const { start, end } = parseStretch(text, moment)
      const [from, to] = [parseInstant(start), parseInstant(end)]
      assert.ok(from !== null && to !== null && from <= to, `${start} ${end}`)
    }),
  )
})

test('a text that looks like a time is refused with what is wrong with it', () => {
  for (const [text, says] of [
    ['last 99999999 days', 'is not a time: it is before the year 0001. Write'],
    ['3000 years ago', 'is not a time: it is before the year 0001. Write'],
    ['2025-02-30', 'is not a time: there is no such day. Write'],
    ['2025-13', 'is not a time: there is no such month. Write'],
    ['2025-05-22T10:00+02:00', 'is not a time without seconds: write "2025-05-22T10:00:00+02:00". Write'],
    [
      '2025-05-22 10:00',
      'is not a time without seconds and a time zone: write "2025-05-22T10:00:00Z". Write',
    ],
    ['2025-05-22T25:00:00Z', 'is not a time: there is no such moment. Write'],
  ] as const)
    assert.throws(
      () => parseStretch(text, now),
      (error: Error) => error.message.startsWith(`"${text}" ${says}`),
      text,
    )
  assert.equal(parseStretch('last 10000 days', now).start, '1999-07-03T09:30:15.250Z')
})
