import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { tid } from '../../test/network/follow.ts'
import {
  firstTidOf,
  formatInstant,
  isInstantForm,
  MonotonicClock,
  parseInstant,
  parseRecordInstant,
  timeOfTid,
} from './instant.ts'

test('a datetime is microseconds since 1970', () => {
  assert.equal(parseInstant('1970-01-01T00:00:00Z'), 0n)
  assert.equal(parseInstant('1970-01-01T00:00:00.000001Z'), 1n)
  assert.equal(parseInstant('1969-12-31T23:59:59.999999Z'), -1n)
  assert.equal(parseInstant('2026-11-16T13:00:00+01:30'), 1_794_828_600_000_000n)
  assert.equal(parseInstant('2026-11-16t13:00:00z'), 1_794_834_000_000_000n)
  assert.equal(parseInstant('2026-11-16T13:00:00-00:00'), 1_794_834_000_000_000n)
})

test('a bare date is midnight UTC for a caller and nothing for a record', () => {
  assert.equal(parseInstant('2026-11-16'), 1_794_787_200_000_000n)
  assert.equal(parseInstant('0001-01-01'), parseInstant('0001-01-01T00:00:00Z'))
  assert.equal(parseRecordInstant('2026-11-16'), null)
})

test('digits finer than a microsecond are cut off, before 1970 too', () => {
  assert.equal(parseInstant('1970-01-01T00:00:00.0000019999999999999999999Z'), 1n)
  assert.equal(parseInstant('1969-12-31T23:59:59.9999989Z'), -2n)
})

test('the years 0001 to 9999 hold in UTC, whatever the offset', () => {
  assert.equal(formatInstant(parseInstant('0001-01-01T00:00:00Z')!), '0001-01-01T00:00:00.000Z')
  assert.equal(formatInstant(parseInstant('9999-12-31T23:59:59.999999Z')!), '9999-12-31T23:59:59.999999Z')
  assert.equal(parseInstant('0001-01-01T00:00:00+00:01'), null)
  assert.equal(parseInstant('9999-12-31T23:59:59-00:01'), null)
  assert.equal(parseInstant('0000-12-31T23:59:59-01:00'), null)
})

const impossible = [
  '',
  'now',
  '2026',
  '2026-11',
  '20261116',
  '1900-02-29',
  '2026-1-01',
  '+026-01-01',
  '0000-01-01',
  '2026-01-0x',
  '2026/01/01',
  '2026-11-16T',
  '2026-12-31T23:59:60Z',
  '2026-01-01T00:00Z',
  '2026-01-01T00:00:00',
  '2026-01-01 00:00:00Z',
  '2026-01-01T00:00:00.Z',
  '2026-01-01T00:00:00,5Z',
  '2026-01-01T00:00:00+0000',
  '2026-01-01T00:00:00+00',
  '2026-01-01T00:00:00ZZ',
  '2026-01-01T00:00:00Z ',
  ' 2026-01-01T00:00:00Z',
  '2026-01-01T00.00:00Z',
  '2026-01-01T-1:00:00Z',
  '12026-01-01T00:00:00Z',
  '２０２６-01-01T00:00:00Z',
  '2026-01-01T00:00:00.5',
]
for (const text of impossible) {
  test(`no instant: ${JSON.stringify(text)}`, () => assert.equal(parseInstant(text), null))
}

test('agrees with Date wherever Date can say it', () => {
  const millis = fc.integer({ min: Date.UTC(1, 0, 1) - 59_000_000_000_000, max: Date.UTC(9999, 11, 31) })
  fc.assert(
    fc.property(millis, (ms) => {
      const text = new Date(ms).toISOString()
      const expected = ms >= -62_135_596_800_000 ? BigInt(ms) * 1_000n : null
      assert.equal(parseInstant(text), expected)
      if (expected !== null) assert.equal(formatInstant(expected), text)
    }),
    { numRuns: 2_000 },
  )
})

test('agrees with Date on every combination of date, time and offset', () => {
  const two = fc.integer({ min: 0, max: 99 }).map((n) => String(n).padStart(2, '0'))
  const small = fc.integer({ min: 0, max: 32 }).map((n) => String(n).padStart(2, '0'))
  const offset = fc.oneof(
    fc.constant('Z'),
    fc.tuple(fc.constantFrom('+', '-'), small, two).map(([s, h, m]) => `${s}${h}:${m}`),
  )
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9_998 }),
      small,
      small,
      small,
      two,
      offset,
      (year, month, day, hour, minute, zone) => {
        const date = `${String(year).padStart(4, '0')}-${month}-${day}`
        const text = `${date}T${hour}:${minute}:07.25${zone}`
        // Date rolls 31 February over to March and takes hour 24, neither of which is an instant here.
        const exists = new Date(`${date}T00:00:00Z`)
        const ms = Date.parse(text)
        const isDate = !Number.isNaN(exists.getTime()) && exists.toISOString().startsWith(date)
        assert.equal(parseInstant(date) !== null, isDate, date)
        const real = !Number.isNaN(ms) && isDate && hour !== '24'
        assert.equal(parseInstant(text), real && ms >= -62_135_596_800_000 ? BigInt(ms) * 1_000n : null, text)
      },
    ),
    { numRuns: 5_000 },
  )
})

test('what is formatted parses to the same instant', () => {
  const range = fc.bigInt({ min: -62_135_596_800_000_000n, max: 253_402_300_799_999_999n })
  fc.assert(fc.property(range, (micros) => assert.equal(parseInstant(formatInstant(micros)), micros)))
})

test('a clock never repeats a moment, and follows what is stored unless that is far ahead', () => {
  let now = 10n
  const clock = new MonotonicClock(() => now)
  assert.deepEqual([clock.next(), clock.next()], [10n, 11n])
  clock.follow(50n)
  assert.deepEqual([clock.next(), clock.next()], [51n, 52n])
  clock.follow(now + 1_000_000n)
  assert.equal(clock.next(), 53n)
  now = 100n
  assert.deepEqual([clock.next(), clock.horizon], [1_000_011n, 1_000_100n])
  // A leap of this clock ends when it is set back, also if times were stored meanwhile; a small step back repeats none.
  now = 9_000_000n
  clock.follow(clock.next())
  now = 8_500_000n
  assert.equal(clock.next(), 9_000_001n)
  now = 2_000_000n
  assert.deepEqual([clock.next(), clock.next()], [2_000_000n, 2_000_001n])
})

test('the form of a datetime says nothing about its numbers', () => {
  for (const text of ['2026-13-45T99:00:00.1Z', '2026-01-01t00:00:00+99:99'])
    assert.ok(isInstantForm(text), text)
  for (const text of ['2026-01-01', '2026-01-01T00:00:00', '2026-01-01T00:00Z'])
    assert.ok(!isInstantForm(text), text)
})

test('a TID has its time in microseconds, whatever its last ten bits are', () => {
  assert.equal(timeOfTid('2222222222222'), 0n)
  assert.equal(new Date(Number(timeOfTid('3jzfcijpj2z2a') / 1_000n)).toISOString().slice(0, 10), '2023-06-30')
  for (const micros of [1, 1_700_000_000_000_000, 2_100_000_000_000_001]) {
    assert.equal(firstTidOf(BigInt(micros)), tid(micros))
    assert.equal(timeOfTid(tid(micros).slice(0, -2) + 'zz'), BigInt(micros))
  }
})
