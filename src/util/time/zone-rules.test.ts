import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findZone, findZoneRules, isUtc, nearestZones, type ZoneRules } from './zone-rules.ts'

const zone = (name: string): ZoneRules => {
  const found = findZone(name)
  assert.ok(found !== null)
  return found
}

const second = (text: string): number => Date.parse(text) / 1_000

/** Changes of the offset from one moment to another: when, and the new offset in minutes. */
function changes(name: string, from: string, to: string): string[] {
  return zone(name)
    .offsets.filter((step) => step.from >= second(from) && step.from < second(to))
    .map((step) => `${new Date(step.from * 1_000).toISOString().slice(0, 19)} ${step.value / 60}`)
}

/** When days of these dates begin: minutes after midnight, and the offset in minutes. */
function beginnings(name: string, ...dates: readonly string[]): string[] {
  const { days } = zone(name)
  return dates.map((date) => {
    const day = second(`${date}T00:00:00Z`) / 86_400
    const { after, offset } = days.findLast(({ from }) => from <= day)?.value ?? { after: NaN, offset: NaN }
    return `${after / 60} ${offset / 60}`
  })
}

test('offsets change at the second that the rules of the zone say', () => {
  assert.deepEqual(changes('Europe/Berlin', '2026-01-01', '2027-01-01'), [
    '2026-03-29T01:00:00 120',
    '2026-10-25T01:00:00 60',
  ])
  assert.deepEqual(changes('Australia/Lord_Howe', '2026-01-01', '2027-01-01'), [
    '2026-04-04T15:00:00 630',
    '2026-10-03T15:30:00 660',
  ])
  assert.deepEqual(changes('Africa/Casablanca', '2024-01-01', '2025-01-01'), [
    '2024-03-10T02:00:00 0',
    '2024-04-14T02:00:00 60',
  ])
  assert.deepEqual(changes('Africa/Monrovia', '1970-01-01', '1980-01-01'), ['1972-01-07T00:44:30 0'])
})

test('a day begins at midnight, unless clocks skipped it', () => {
  assert.deepEqual(beginnings('America/Sao_Paulo', '2018-11-03', '2018-11-04', '2018-11-05'), [
    '0 -180',
    '60 -120',
    '0 -120',
  ])
})

test('a day that was left out begins with the day after it', () => {
  assert.deepEqual(beginnings('Pacific/Apia', '2011-12-29', '2011-12-30', '2011-12-31'), [
    '0 -600',
    '1440 840',
    '0 840',
  ])
})

test('a day that clocks returned to begins at its first midnight', () => {
  assert.deepEqual(beginnings('America/St_Johns', '2006-10-28', '2006-10-29', '2006-10-30'), [
    '0 -150',
    '0 -150',
    '0 -210',
  ])
})

test('every zone has the offset that `Intl` gives, at every hour of a year', () => {
  for (const [name, ...years] of [
    ['Asia/Gaza', 1942, 2040],
    ['Africa/Cairo', 2004],
    ['America/Argentina/Tucuman', 2004],
    ['Antarctica/Troll', 2040],
  ] as const) {
    const { offsets } = zone(name)
    const format = new Intl.DateTimeFormat('sv', { timeZone: name, dateStyle: 'short', timeStyle: 'medium' })
    for (const year of years)
      for (let hour = 0; hour < 366 * 24; hour++) {
        const moment = Date.UTC(year, 0) / 1_000 + hour * 3_600
        const local = Date.parse(`${format.format(moment * 1_000).replace(' ', 'T')}Z`) / 1_000
        assert.equal(offsets.findLast(({ from }) => from <= moment)?.value, local - moment)
      }
  }
})

test('letter case does not matter, links lead to zones, and only UTC has no offset', () => {
  assert.equal(zone('EUROPE/berlin'), zone('Europe/Berlin'))
  assert.equal(zone('US/Eastern'), zone('America/New_York'))
  assert.ok(isUtc(zone('Etc/Zulu')))
  assert.ok(!isUtc(zone('Europe/London')))
})

test('the rules of a zone are found once, when they are asked for', () => {
  const rules = findZoneRules('Asia/Kathmandu')
  assert.ok(Object.values(Object.getOwnPropertyDescriptors(rules)).filter(({ get }) => get).length === 2)
  assert.equal(rules.offsets, rules.offsets)
  assert.equal(rules.days, rules.days)
})

test('offsets and unknown names are no zones, and the nearest names are found', () => {
  for (const name of ['', '+01:00', 'Europe/Berln', 'Mars/Phobos']) assert.equal(findZone(name), null)
  assert.deepEqual(nearestZones('Europe/Berln'), ['Europe/Berlin'])
  assert.deepEqual(nearestZones('new york'), ['America/New_York'])
  assert.deepEqual(nearestZones('Mars/Phobos'), [])
})
