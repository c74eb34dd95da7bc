/** Times as people write them, and which moments meet a condition on them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FieldType } from '../schema/model/model.ts'
import { operatorsOn } from '../schema/model/where-operators.ts'
import { seed } from '../../test/support/rounds.ts'
import { parseInstant } from '../util/instant.ts'
import { AskError } from './ask-error.ts'
import { arrayCondition, scalarCondition } from './conditions.ts'
import { parseStretch, printStretch, type Stretch } from './dates.ts'
import { allOf } from './where.ts'

/** A Wednesday. */
const now = new Date('2026-11-18T09:30:15.250Z')
const day = 'T00:00:00.000Z'

const stretches: readonly (readonly [text: string, start: string, end: string])[] = [
  ['2026-11-16', `2026-11-16${day}`, `2026-11-17${day}`],
  ['2026-02', `2026-02-01${day}`, `2026-03-01${day}`],
  ['2026', `2026-01-01${day}`, `2027-01-01${day}`],
  ...['9999', '9999-12', '9999-12-31'].map(
    (text) => [text, `${(text + '-01-01').slice(0, 10)}${day}`, '9999-12-31T23:59:59.999999Z'] as const,
  ),
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
  ['previous week', `2026-11-09${day}`, `2026-11-16${day}`],
  ['past week', '2026-11-11T09:30:15.250Z', '2026-11-18T09:30:15.250Z'],
  ['In the past month', '2026-10-18T09:30:15.250Z', '2026-11-18T09:30:15.250Z'],
  ['past quarter', '2026-08-18T09:30:15.250Z', '2026-11-18T09:30:15.250Z'],
  ['the past_year', '2025-11-18T09:30:15.250Z', '2026-11-18T09:30:15.250Z'],
  ['past day', '2026-11-17T09:30:15.250Z', '2026-11-18T09:30:15.250Z'],
  ['last day', '2026-11-17T09:30:15.250Z', '2026-11-18T09:30:15.250Z'],
  ['previous day', `2026-11-17${day}`, `2026-11-18${day}`],
  ['last hour', '2026-11-18T08:30:15.250Z', '2026-11-18T09:30:15.250Z'],
  ['this hour', '2026-11-18T09:00:00.000Z', '2026-11-18T10:00:00.000Z'],
  ['16 May 2026', `2026-05-16${day}`, `2026-05-17${day}`],
  ['Jan 5, 2026', `2026-01-05${day}`, `2026-01-06${day}`],
  ['December 2025', `2025-12-01${day}`, `2026-01-01${day}`],
  ['the current quarter', `2026-10-01${day}`, `2027-01-01${day}`],
  ['last quarter', `2026-07-01${day}`, `2026-10-01${day}`],
  ['last 90 minutes', '2026-11-18T08:00:15.250Z', '2026-11-18T09:30:15.250Z'],
  ['the last two weeks', '2026-11-04T09:30:15.250Z', '2026-11-18T09:30:15.250Z'],
  ['tomorrow', `2026-11-19${day}`, `2026-11-20${day}`],
  ['a week ago', `2026-11-11${day}`, `2026-11-12${day}`],
  ['an hour ago', '2026-11-18T08:30:15.250Z', '2026-11-18T08:30:15.250Z'],
  ['previous month', `2026-10-01${day}`, `2026-11-01${day}`],
  ['2025 years ago', `0001-11-18${day}`, `0001-11-19${day}`],
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
    const includesEnd = start === end || end === now.toISOString() || end.endsWith('999999Z')
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
    '2026 years ago',
    '26-1-1',
    'past weeks',
    'past days',
    '31 Feb 2026',
    '5 May 5 2026',
  ])
    assert.throws(() => parseStretch(text, now), { name: 'AskError' }, text)
})

test('a text that is not a time is refused with one that means the same', () => {
  const meanings: Readonly<Record<string, string>> = {
    '7d': 'last 7 days',
    'now-24h': 'last 24 hours',
    'last 1 mo': 'last 1 month',
    '30 min before': '30 minutes ago',
    '3 weeks': 'last 3 weeks',
    yestreday: 'yesterday',
    'past moth': 'past month',
    'last moth': 'last month',
    'last 3 hrs': 'last 3 hours',
    '7 dasy': 'last 7 days',
  }
  for (const [text, meant] of Object.entries(meanings)) {
    assert.throws(
      () => parseStretch(text, now),
      new RegExp(` is not a time; "${meant}" is\\. Write a date`),
      text,
    )
    assert.doesNotThrow(() => parseStretch(meant, now), meant)
  }
  for (const text of [
    'Monday',
    'last Monday',
    '2 Mondays ago',
    'Monday 2026-10-05',
    'november',
    'this december',
    '16 May',
    '5 dec',
    '2026-11-16 9 am',
    'in 3 days',
    '3 days from now',
    'now+24h',
    'next Monday',
    'someday',
    'tonight',
    'last decade',
    'past decade',
    '2 decades',
    'recently',
    'market',
    'the noon',
  ])
    assert.throws(() => parseStretch(text, now), /is not a time\. Write a date such as "2026-11-16"/, text)
})

test('a stretch is told by its days, or to the second', () => {
  const told = (text: string) => printStretch(parseStretch(text, now))
  assert.equal(told('yesterday'), '2026-11-17')
  assert.equal(told('last week'), '2026-11-09 to 2026-11-15')
  assert.equal(told('past day'), '2026-11-17T09:30:15Z to 2026-11-18T09:30:15Z')
  assert.equal(told('2 hours ago'), '2026-11-18T07:30:15Z')
  assert.equal(told('this hour'), '2026-11-18T09:00:00Z to 2026-11-18T09:59:59Z')
})

const units = fc.constantFrom('minute', 'hour', 'day', 'week', 'month', 'year')
const anyTime = fc.oneof(
  fc.constantFrom(
    'now',
    'today',
    'yesterday',
    '2026-11-16',
    '2024-02',
    '2026',
    '2026-11-18T09:30:00.5+01:00',
  ),
  fc
    .tuple(fc.constantFrom('this', 'last'), fc.constantFrom('week', 'month', 'year'))
    .map((two) => two.join(' ')),
  fc.tuple(fc.integer({ min: 0, max: 500 }), units).map(([count, unit]) => `last ${count} ${unit}s`),
  fc.tuple(fc.integer({ min: 0, max: 500 }), units).map(([count, unit]) => `${count} ${unit} ago`),
)
const anyNow = fc.date({ min: new Date('1990-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })

test('every stretch begins before it ends, whenever it is reckoned from', () => {
  fc.assert(
    fc.property(anyTime, anyNow, (text, moment) => {
      const { start, end } = parseStretch(text, moment)
      const [from, to] = [parseInstant(start), parseInstant(end)]
      assert.ok(from !== null && to !== null && from <= to, `${start} ${end}`)
    }),
    { seed },
  )
})

const isBefore = (at: number, { start }: Stretch) => at < Date.parse(start)
const isAfter = (at: number, { end, includesEnd }: Stretch) =>
  includesEnd ? at > Date.parse(end) : at >= Date.parse(end)
/** Whether a moment meets a condition on the whole of a day, a month or another stretch, or on an instant. */
const meanings: Readonly<Record<string, (at: number, stretch: Stretch) => boolean>> = {
  eq: (at, stretch) => !isBefore(at, stretch) && !isAfter(at, stretch),
  gt: isAfter,
  gte: (at, stretch) => !isBefore(at, stretch),
  lt: isBefore,
  lte: (at, stretch) => !isAfter(at, stretch),
  ne: (at, { start }) => at !== Date.parse(start),
  in: (at, { start }) => at === Date.parse(start),
  notIn: (at, { start }) => at !== Date.parse(start),
}
const ofInstants = ['ne', 'in', 'notIn']
const operators = operatorsOn('datetime')
  .map(([name]) => name)
  .filter((name) => name !== 'isNull')
const time: FieldType = { kind: 'datetime' }

/** As GraphQL reads it: all operators have to hold. */
function meets(at: number, condition: object): boolean {
  return Object.entries(condition).every(([name, given]) => {
    const found = [given].flat().map((text) => meanings[name]?.(at, parseStretch(String(text), new Date())))
    return name === 'notIn' ? found.every(Boolean) : found.some(Boolean)
  })
}

test('every operator on a time means the whole of a day, a month or another stretch', () => {
  assert.deepEqual(
    operators.filter((name) => meanings[name] === undefined),
    [],
    'The meaning of each operator is written here.',
  )
  const bounds = fc.tuple(fc.constantFrom('start', 'end'), fc.integer({ min: -2, max: 2 }))
  fc.assert(
    fc.property(
      fc.constantFrom('plain', ...operators),
      anyTime,
      anyNow,
      bounds,
      (name, text, moment, [bound, off]) => {
        const stretch = parseStretch(text, moment)
        const value = name === 'in' || name === 'notIn' ? [text] : text
        const condition = () =>
          scalarCondition('time', time, name === 'plain' ? value : { [name]: value }, { now: () => moment })
        if (stretch.start !== stretch.end && ofInstants.includes(name))
          return assert.throws(condition, AskError)
        const at = Date.parse(stretch[bound === 'start' ? 'start' : 'end']) + off
        const expected = meanings[name === 'plain' ? 'eq' : name]?.(at, stretch)
        assert.equal(
          meets(at, condition()),
          expected,
          `${new Date(at).toISOString()} ${JSON.stringify(condition())}`,
        )
      },
    ),
    { seed, numRuns: 2_000 },
  )
})

test('after a day is from the next one on, and after the last days is after now', () => {
  const after = (text: string) => scalarCondition('time', time, { gt: text }, { now: () => now })
  assert.deepEqual(after('2026-11-16'), { gte: `2026-11-17${day}` })
  assert.deepEqual(after('2026-11'), { gte: `2026-12-01${day}` })
  assert.deepEqual(after('last 7 days'), { gt: now.toISOString() })
  assert.deepEqual(after('2026-11-16T12:00:00Z'), { gt: '2026-11-16T12:00:00.000Z' })
})

test('two bounds of a time hold together, and the same bound twice is refused', () => {
  const between = (bounds: object) => scalarCondition('time', time, bounds, { now: () => now })
  assert.deepEqual(between({ gt: '2026-10', lte: '2026-11-16' }), {
    gte: `2026-11-01${day}`,
    lt: `2026-11-17${day}`,
  })
  assert.throws(() => between({ gt: '2026-10', gte: '2026-11-05' }), /set the same bound of "time"/)
  assert.throws(() => between({ eq: '2026-10', lt: '2026-11' }), /set the same bound of "time"/)
})

test('integers are those that the field may have', () => {
  const condition = (bits: 32 | 53, value: unknown) =>
    scalarCondition('n', { kind: 'integer', bits, values: null }, value, { now: () => now })
  const most = { 32: 2 ** 31 - 1, 53: Number.MAX_SAFE_INTEGER } as const
  for (const bits of [32, 53] as const)
    for (const sign of [1, -1]) {
      assert.deepEqual(condition(bits, sign * most[bits]), { eq: sign * most[bits] })
      assert.throws(() => condition(bits, sign * (most[bits] + 1)), /is an integer, and/)
    }
  assert.deepEqual(condition(32, ['-7', 7, 7]), { in: [-7, 7] })
  for (const value of ['7.5', 7.5, '', '0x10', true, null])
    assert.throws(() => condition(32, value), AskError)
})

test('null under one of several operators is a missing value', () => {
  const condition = (value: unknown) =>
    scalarCondition('n', { kind: 'integer', bits: 32, values: null }, value, { now: () => now })
  assert.deepEqual(condition({ ne: null, gt: 5 }), { isNull: false, gt: 5 })
  assert.deepEqual(condition({ eq: null, lt: 7 }), { isNull: true, lt: 7 })
  assert.throws(() => condition({ gt: null }), AskError)
})

test('conditions on lists are those of the operators on arrays', () => {
  const text = { kind: 'string', format: null, freeText: false } as FieldType
  const condition = (value: unknown) => arrayCondition('tags', text, value, { now: () => now })
  const cases: readonly (readonly [value: unknown, condition: object])[] = [
    ['a', { has: 'a' }],
    [['a', 'b'], { hasAny: ['a', 'b'] }],
    [{ has: 'a' }, { has: 'a' }],
    [{ eq: 'a' }, { has: 'a' }],
    [{ in: ['a', 'b'] }, { hasAny: ['a', 'b'] }],
    [
      { hasAny: ['a'], hasAll: ['b', 'c'] },
      { hasAny: ['a'], hasAll: ['b', 'c'] },
    ],
    [{ isNull: false }, { isNull: false }],
  ]
  for (const [value, expected] of cases) assert.deepEqual(condition(value), expected)
  const known = cases.flatMap(([, expected]) => Object.keys(expected))
  for (const [name] of operatorsOn('array')) assert.ok(known.includes(name), name)
  for (const value of [{ ne: 'a' }, { hasAny: 'a' }, { isNull: 'yes' }, null])
    assert.throws(() => condition(value), AskError)
})

test('conditions hold together, whichever of them have the same path', () => {
  assert.deepEqual(allOf([{ a: { gte: 1 } }, { a: { lt: 2 } }, { b: { eq: 1 } }]), {
    a: { gte: 1, lt: 2 },
    b: { eq: 1 },
  })
  assert.deepEqual(allOf([{ a: { gte: 1 } }, { a: { gte: 2 } }, { a: { gte: 3 } }]), {
    a: { gte: 1 },
    AND: [{ a: { gte: 2 } }, { a: { gte: 3 } }],
  })
  const some = (name: string) => ({ r: { some: { [name]: { eq: 1 } } } })
  const none = (name: string) => ({ r: { none: { [name]: { eq: 1 } } } })
  assert.deepEqual(allOf([some('a'), some('b')]), { r: { some: { a: { eq: 1 }, b: { eq: 1 } } } })
  assert.deepEqual(allOf([none('a'), none('b')]), { ...none('a'), AND: [none('b')] })
  assert.deepEqual(allOf([{ OR: [1] }, { OR: [2] }]), { OR: [1], AND: [{ OR: [2] }] })
  const not = (name: string) => ({ NOT: { [name]: { isNull: false } } })
  assert.deepEqual(allOf([not('a'), not('b'), not('c')]), { ...not('a'), AND: [not('b'), not('c')] })
  assert.deepEqual(allOf([{ r: { some: { OR: [1] } } }, { r: { some: { OR: [2] } } }]), {
    r: { some: { OR: [1], AND: [{ OR: [2] }] } },
  })
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
