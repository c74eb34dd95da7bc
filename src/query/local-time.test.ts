/** Groups by local time on days and hours that clocks skip, repeat or cut short. */
import assert from 'node:assert/strict'
import { onEveryDatabase as test } from '../../test/support/store/databases.ts'
import type { Engine } from '../../test/support/store/postgres.ts'
import { openTestService, type TestService } from '../../test/support/service/service.ts'
import { recordLexicon } from '../../test/support/store/store.ts'

const nsid = 'org.example.photo'
const lexicon = recordLexicon(nsid, { takenAt: { type: 'string', format: 'datetime' } })

async function openPhotos(database: Engine, ...times: readonly string[]): Promise<TestService> {
  const records = times.map((takenAt, index) => ({
    uri: `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/${nsid}/${index}`,
    indexedAt: '2026-01-01T00:00:00Z',
    value: { $type: nsid, takenAt },
  }))
  return openTestService({ lexicons: [lexicon], records, database })
}

/** Labels and counts, in order of time. */
async function groups(service: TestService, bucket: string, given: string): Promise<string[]> {
  const name = `takenAt_${bucket}`
  const { all } = await service.data(
    `{ all: orgExamplePhotoAggregate(groupBy: [${name}], orderBy: KEY_ASC, ${given}) { groups { ${name} count } } }`,
  )
  return all.groups.map((group: Record<string, unknown>) => `${group[name]} ${group['count']}`)
}

test('a day of 25 hours has each of them, and one of 23 hours has none between 02:00 and 03:00', async (database) => {
  await using service = await openPhotos(
    database,
    '2026-10-24T22:00:00Z',
    '2026-10-25T00:30:00Z',
    '2026-10-25T01:30:00Z',
    '2026-10-25T22:59:59.999999Z',
    '2026-03-29T00:59:59Z',
    '2026-03-29T01:00:00Z',
  )
  assert.deepEqual(await groups(service, 'day', 'timeZone: "Europe/Berlin"'), [
    '2026-03-29T00:00:00+01:00 2',
    '2026-10-25T00:00:00+02:00 4',
  ])
  assert.deepEqual(await groups(service, 'hour', 'timeZone: "Europe/Berlin"'), [
    '2026-03-29T01:00:00+01:00 1',
    '2026-03-29T03:00:00+02:00 1',
    '2026-10-25T00:00:00+02:00 1',
    '2026-10-25T02:00:00+02:00 1',
    '2026-10-25T02:00:00+01:00 1',
    '2026-10-25T23:00:00+01:00 1',
  ])
})

test('clocks of Lord Howe change by half an hour', async (database) => {
  await using service = await openPhotos(
    database,
    '2026-04-04T14:45:00Z',
    '2026-04-04T15:10:00Z',
    '2026-04-04T15:40:00Z',
    '2026-10-03T15:20:00Z',
    '2026-10-03T15:40:00Z',
  )
  assert.deepEqual(await groups(service, 'hour', 'timeZone: "Australia/Lord_Howe"'), [
    '2026-04-05T01:00:00+11:00 1',
    // The half hour from 01:30 occurs again, and with it the rest of an hour.
    '2026-04-05T01:30:00+10:30 1',
    '2026-04-05T02:00:00+10:30 1',
    '2026-10-04T01:00:00+10:30 1',
    '2026-10-04T02:30:00+11:00 1',
  ])
})

test('Apia left a day out, and the week that would begin with it begins with the next', async (database) => {
  await using service = await openPhotos(database, '2011-12-30T09:59:59Z', '2011-12-30T10:00:00Z')
  const given = 'timeZone: "Pacific/Apia"'
  assert.deepEqual(await groups(service, 'day', given), [
    '2011-12-29T00:00:00-10:00 1',
    '2011-12-31T00:00:00+14:00 1',
  ])
  assert.deepEqual(await groups(service, 'week', `${given}, weekStart: FRIDAY`), [
    '2011-12-23T00:00:00-10:00 1',
    '2011-12-31T00:00:00+14:00 1',
  ])
  assert.deepEqual(await groups(service, 'weekday', given), ['4 1', '6 1'])
})

test('a day may begin at 01:00, and a day that clocks returned to is one', async (database) => {
  await using service = await openPhotos(database, '2018-11-04T03:00:00Z', '2018-11-05T01:00:00Z')
  assert.deepEqual(await groups(service, 'day', 'timeZone: "America/Sao_Paulo"'), [
    '2018-11-04T01:00:00-02:00 2',
  ])
  // At 00:01, clocks went back to 23:01 of the day before.
  await using back = await openPhotos(
    database,
    '2006-10-29T02:30:30Z',
    '2006-10-29T02:31:00Z',
    '2006-10-29T03:30:00Z',
  )
  assert.deepEqual(await groups(back, 'day', 'timeZone: "America/St_Johns"'), [
    '2006-10-28T00:00:00-02:30 1',
    '2006-10-29T00:00:00-02:30 2',
  ])
  assert.deepEqual(await groups(back, 'hour', 'timeZone: "America/St_Johns"'), [
    '2006-10-29T00:00:00-02:30 1',
    '2006-10-28T23:01:00-03:30 1',
    '2006-10-29T00:00:00-03:30 1',
  ])
})

test('an offset with seconds is written in minutes, and the moment is exact', async (database) => {
  await using service = await openPhotos(database, '1960-01-01T12:00:00Z')
  const given = 'timeZone: "Africa/Monrovia"'
  // Midnight at -00:44:30 is 00:44:30 in UTC.
  assert.deepEqual(await groups(service, 'day', given), ['1960-01-01T00:00:30-00:44 1'])
  assert.deepEqual(await groups(service, 'hour', given), ['1960-01-01T11:00:30-00:44 1'])
})

test('weeks begin on any day, and no bucket before the year 1', async (database) => {
  await using service = await openPhotos(database, '2026-11-15T12:00:00Z', '0001-01-02T00:00:00Z')
  assert.deepEqual(await groups(service, 'week', 'weekStart: SUNDAY'), ['0001-01-01 1', '2026-11-15 1'])
  assert.deepEqual(await groups(service, 'week', 'weekStart: MONDAY'), ['0001-01-01 1', '2026-11-09 1'])
  assert.deepEqual(await groups(service, 'week', 'weekStart: SUNDAY, timeZone: "Asia/Tokyo"'), [
    '0001-01-01T00:00:00+00:00 1',
    '2026-11-15T00:00:00+09:00 1',
  ])
})

test('a series without gaps has 25 hours on a long day, and leaves out a day that clocks left out', async (database) => {
  await using service = await openPhotos(database, '2026-10-25T01:30:00Z')
  const bounds = (from: string, to: string) => `fill: true, where: {takenAt: {gte: "${from}", lt: "${to}"}}`
  const day = bounds('2026-10-25T00:00:00+02:00', '2026-10-26T00:00:00+01:00')
  const hours = await groups(service, 'hour', `timeZone: "Europe/Berlin", ${day}`)
  assert.equal(hours.length, 25)
  assert.deepEqual(hours.slice(1, 5), [
    '2026-10-25T01:00:00+02:00 0',
    '2026-10-25T02:00:00+02:00 0',
    '2026-10-25T02:00:00+01:00 1',
    '2026-10-25T03:00:00+01:00 0',
  ])
  const days = bounds('2011-12-29T00:00:00-10:00', '2012-01-01T00:00:00+14:00')
  assert.deepEqual(await groups(service, 'day', `timeZone: "Pacific/Apia", ${days}`), [
    '2011-12-29T00:00:00-10:00 0',
    '2011-12-31T00:00:00+14:00 0',
  ])
  assert.deepEqual(await groups(service, 'quarter', bounds('2025-12-31', '2026-07-01T00:00:00.000001Z')), [
    '2025-10-01 0',
    '2026-01-01 0',
    '2026-04-01 0',
    '2026-07-01 0',
  ])
})

test('what cannot be filled is refused with what to write', async (database) => {
  await using service = await openPhotos(database)
  const refused = async (given: string): Promise<string> => {
    const { code, message } = await service.refusal(
      `{ orgExamplePhotoAggregate(fill: true, ${given}) { groups { count } } }`,
    )
    assert.equal(code, 'BAD_USER_INPUT')
    return message
  }
  const byDay = 'groupBy: [takenAt_day]'
  assert.match(await refused('groupBy: []'), /write one in `groupBy`/)
  assert.match(await refused('groupBy: [takenAt_day, did]'), /adds groups of one field/)
  assert.match(await refused('groupBy: [did]'), /needs a time bucket in `groupBy`.*or a `denominator`/)
  assert.match(await refused('groupBy: [takenAt_weekday]'), /needs a time bucket/)
  assert.match(
    await refused(byDay),
    /needs both bounds of takenAt in `where`: the first moment is missing.*`gte`/,
  )
  assert.match(
    await refused(
      `${byDay}, where: {takenAt: {gte: "2026-01-01"}, OR: [{takenAt: {lt: "2026-02-01"}}, {did: {eq: "x"}}]}`,
    ),
    /the last moment is missing.*`lt`/,
  )
  assert.match(
    await refused(`${byDay}, where: {takenAt: {gte: "2020-01-01", lt: "2026-01-01"}}`),
    /at most 1000 groups, and there are more days/,
  )
  assert.match(await refused(`${byDay}, significant: {against: {}}`), /exclude each other/)
})

test('unknown zones are refused with the nearest name', async (database) => {
  await using service = await openPhotos(database)
  const refused = async (zone: string): Promise<string> => {
    const { code, message } = await service.refusal(
      `{ orgExamplePhotoAggregate(timeZone: ${JSON.stringify(zone)}) { count } }`,
    )
    assert.equal(code, 'BAD_USER_INPUT')
    return message
  }
  assert.match(await refused('Europe/Berln'), /"Europe\/Berln"\. Did you mean Europe\/Berlin\?/)
  assert.match(await refused('+01:00'), /names no time zone: "\+01:00"\. Write a name of the IANA time zone/)
})
