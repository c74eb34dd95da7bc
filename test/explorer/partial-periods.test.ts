/** Which periods of charts are not complete, because the records of most days begin or end in them, or there are too many; and shares of few records. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../../demo/random.ts'
import { plainRecord } from '../golden/corpora.ts'
import { createReference } from '../reference/reference.ts'
import { cidOf } from '../support/records/records.ts'
import { seed } from '../support/rounds.ts'
import { modelOf } from '../support/service/agents.ts'
import { openTestService } from '../support/service/service.ts'
import { pagesOver } from './pages.ts'
import { lexicons } from './random-records.ts'

test(`periods in which the records begin or end are named, seed ${seed}`, async () => {
  const random = createRandom(seed).fraction
  const day = 86_400_000
  for (const every of [1, 1, 1, 5]) {
    const first = Date.parse('2022-01-01') + Math.floor(random() * 400) * day
    const count = 20 + Math.floor(random() * 60)
    const records = await Promise.all(
      Array.from({ length: count }, async (_, at) => {
        const publishedAt = new Date(first + at * every * day + Math.floor(random() * day)).toISOString()
        const value = { $type: 'org.example.report', title: 'storm', publishedAt }
        const uri = `at://did:plc:${'a'.repeat(24)}/org.example.report/r${at}`
        return plainRecord({ uri, indexedAt: '2026-01-01T00:00:00Z', value, cid: await cidOf(value) })
      }),
    )
    await using service = await openTestService({ lexicons, records })
    const pages = pagesOver(
      { service, reference: createReference(lexicons, {}, records) },
      modelOf(lexicons, {}),
    )
    for (const per of ['day', 'week', 'month', 'year']) {
      const { rows, description } = await pages.figure(`/c/org.example.report?per=${per}`)
      const ends = [rows[0], rows.at(-1)].map((row) => {
        const bounds = new URLSearchParams(row?.[0]?.href?.split('?')[1])
        const [from, to] = ['publishedAt', 'publishedAt.to'].map((name) => Date.parse(bounds.get(name) ?? ''))
        return { label: row?.[0]?.text, from: from ?? 0, end: (to ?? 0) + day }
      })
      const last = first + (count - 1) * every * day + day
      const missed = ends.filter(({ from, end }) => Math.max(first - from, end - last) > (end - from) / 10)
      const named = /Not complete: (.*?)\.(?: |$)/.exec(description)?.[1]
      const labels = [...new Set(missed.map(({ label }) => label))]
      assert.equal(
        named,
        every > 1 || labels.length === 0 ? undefined : labels.join(', '),
        `${per} ${description}`,
      )
    }
  }
})

test('a last day of many records ends with the latest of them', async () => {
  for (const [last, said] of [
    [22, /Lowest: .*\)\.$/],
    [12, /Not complete: Jan 3, 2024\.$/],
  ] as const) {
    const times = [24, 24, last].flatMap((hours, date) =>
      Array.from({ length: 60 }, (_, at) => Date.UTC(2024, 0, date + 1, 0, hours * at)),
    )
    const records = await Promise.all(
      times.map(async (time, at) => {
        const value = {
          $type: 'org.example.report',
          title: 'calm',
          publishedAt: new Date(time).toISOString(),
        }
        const uri = `at://did:plc:${'a'.repeat(24)}/org.example.report/r${at}`
        return plainRecord({ uri, indexedAt: '2026-01-01T00:00:00Z', value, cid: await cidOf(value) })
      }),
    )
    await using service = await openTestService({ lexicons, records })
    const reference = createReference(lexicons, {}, records)
    const { figure } = pagesOver({ service, reference }, modelOf(lexicons, {}))
    assert.match((await figure('/c/org.example.report?per=day')).description, said)
  }
})

test('a sentence names the highest of all periods that a chart shows, and the period that it is about', async () => {
  const hours = [0, 500].flatMap((hour) => Array.from({ length: 60 }, (_, at) => ({ hour, at })))
  const records = await Promise.all(
    hours.map(async ({ hour, at }) => {
      const publishedAt = new Date(Date.UTC(2024, 0, 1, hour, at)).toISOString()
      const title = at < (hour === 0 ? 30 : 10) ? 'storm' : 'calm'
      const value = { $type: 'org.example.report', title, publishedAt }
      const uri = `at://did:plc:${'a'.repeat(24)}/org.example.report/r${hour}-${at}`
      return plainRecord({ uri, indexedAt: '2026-01-01T00:00:00Z', value, cid: await cidOf(value) })
    }),
  )
  await using service = await openTestService({ lexicons, records })
  const { figure, page } = pagesOver(
    { service, reference: createReference(lexicons, {}, records) },
    modelOf(lexicons, {}),
  )
  const said = async (per: string) =>
    (await page(`/c/org.example.report/topic?q=storm&per=${per}`)).texts('.findings').join()
  assert.match(await said('day'), /of all records \(40 of 120\), most on Jan 1, 2024: 50%/)
  assert.match(
    await said('day&publishedAt.from=2024-01-10'),
    /of all records within this period \(10 of 60\)/,
  )
  assert.doesNotMatch(await said('hour'), /, most/)
  for (const [per, start] of [
    ['day', /^Highest: /],
    ['hour', /^Of what is shown: Highest: /],
  ] as const)
    assert.match((await figure(`/c/org.example.report?per=${per}`)).description, start)
})

type Day = { readonly records: number; readonly storms: number }

/** The chart of a topic by day, from the first of January. */
async function figureOf(days: readonly Day[], indexedAt: string) {
  const records = await Promise.all(
    days.flatMap(({ records, storms }, date) =>
      Array.from({ length: records }, async (_, at) => {
        const publishedAt = new Date(Date.UTC(2024, 0, date + 1, 0, at)).toISOString()
        const value = { $type: 'org.example.report', title: at < storms ? 'storm' : 'calm', publishedAt }
        const uri = `at://did:plc:${'a'.repeat(24)}/org.example.report/r${date}-${at}`
        return plainRecord({ uri, indexedAt, value, cid: await cidOf(value) })
      }),
    ),
  )
  await using service = await openTestService({ lexicons, records })
  const { figure } = pagesOver(
    { service, reference: createReference(lexicons, {}, records) },
    modelOf(lexicons, {}),
  )
  return await figure('/c/org.example.report/topic?q=storm&per=day')
}

/** The shares of a topic by day, as its chart says them. */
async function sharesOf(days: readonly Day[]) {
  const { rows } = await figureOf(days, '2026-01-01T00:00:00Z')
  return rows.map((cells) => cells[1]?.text)
}

test('the day in which the index ends is not complete, though some records have a later time', async () => {
  const day = { records: 60, storms: 30 }
  const { description } = await figureOf([day, day, day, { records: 1, storms: 0 }], '2024-01-03T20:00:00Z')
  assert.match(description, /Not complete: (?:.* and )?Jan 3, 2024/)
})

test('a share of few records is marked, though it is not the highest', async () => {
  const days = [
    { records: 60, storms: 30 },
    { records: 10, storms: 2 },
    { records: 60, storms: 15 },
  ]
  assert.deepEqual(await sharesOf(days), ['50%', '20%*', '25%'])
})

test('shares of few matches are marked where no share has more', async () => {
  const days = [
    { records: 60, storms: 3 },
    { records: 60, storms: 0 },
    { records: 80, storms: 2 },
  ]
  assert.deepEqual(await sharesOf(days), ['5%*', '0%', '2.5%*'])
})

test('where no day has fifty records, all shares are marked, also the highest in words', async () => {
  const days = [
    { records: 3, storms: 1 },
    { records: 3, storms: 0 },
    { records: 40, storms: 10 },
  ]
  const { rows, description } = await figureOf(days, '2026-01-01T00:00:00Z')
  assert.deepEqual(
    rows.map((cells) => cells[1]?.text),
    ['33%*', '0%*', '25%*'],
  )
  assert.match(description, /Highest: 25%\* \(Jan 3, 2024\)\. Lowest: 0%\* \(Jan 2, 2024\)/)
})
