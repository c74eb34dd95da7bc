import assert from 'node:assert/strict'
import { onEveryDatabase } from '../../test/support/store/databases.ts'
import { buildRecord } from '../../test/support/records/records.ts'
import { openTestService, sharedService } from '../../test/support/service/service.ts'
import { recordLexicon } from '../../test/support/store/store.ts'

const nsid = 'org.example.word'
const lexicon = recordLexicon(nsid, {
  day: { type: 'integer', minimum: 0, maximum: 100 },
  note: { type: 'string' },
  words: { type: 'array', items: { type: 'string' } },
})

/** In how many of the 200 records of the window, and of the 800 others, each word occurs. */
const occurrences: Readonly<Record<string, readonly [window: number, others: number]>> = {
  the: [184, 720],
  flood: [12, 3],
  verdict: [40, 60],
  quokka: [5, 0],
  weather: [20, 80],
  harvest: [10, 60],
}

/** The first records of the window, and of the others, have the word. */
function wordRecords() {
  return Promise.all(
    Array.from({ length: 1_000 }, (_, n) => {
      const [side, number] = n < 200 ? [0, n] : [1, n - 200]
      const words = Object.entries(occurrences).flatMap(([word, counts]) =>
        number < (counts[side] ?? 0) ? [word] : [],
      )
      // A tenth of the others has no day.
      const day = n < 200 ? { day: 50 } : n % 10 === 0 ? {} : { day: n % 50 }
      return buildRecord(nsid, { rkey: `r${n}`, value: { ...day, words } })
    }),
  )
}

const open = sharedService(async () => ({ lexicons: [lexicon], records: await wordRecords() }))

const compared = (args: string, fields: string): string =>
  `{ orgExampleWordAggregate(groupBy: [words], where: {day: {gte: 50}}, ${args}) { ${fields} } }`
const significance = 'groups { words count significance { share againstCount againstShare score } }'

function group(words: string, count: number, of: readonly [number, number, number, number]) {
  const [share, againstCount, againstShare, score] = of
  return { words, count, significance: { share, againstCount, againstShare, score } }
}

onEveryDatabase('scores are those of a plain computation, the most unusual group first', async (database) => {
  const service = await open(database)
  const { orgExampleWordAggregate: found } = await service.data(
    compared('significant: {against: {}}', `count groupCount ${significance}`),
  )
  // Computed by hand from the formula in docs/unusual.md.
  assert.deepEqual(found, {
    count: 200,
    groupCount: 4,
    groups: [
      group('verdict', 40, [0.2, 60, 0.075, 3.29]),
      group('flood', 12, [0.06, 3, 0.00375, 3.287]),
      group('quokka', 5, [0.025, 0, 0, 2.364]),
      group('the', 184, [0.92, 720, 0.9, 1.663]),
    ],
  })
})

onEveryDatabase('nothing is significant where shares cannot differ', async (database) => {
  const service = await open(database)
  for (const args of [
    // One group of all records, no background, no foreground, and a foreground of all records.
    'groupBy: [collection], where: {day: {gte: 50}}, significant: {against: {}, minCount: 1}',
    'groupBy: [words], where: {day: {gte: 50}}, significant: {against: {OR: []}, minCount: 1}',
    'groupBy: [words], where: {day: {gte: 50}}, significant: {against: {day: {gte: 50}}, minCount: 1}',
    'groupBy: [words], where: {OR: []}, significant: {against: {}, minCount: 1}',
    'groupBy: [words], significant: {against: {}, minCount: 1}',
  ])
    assert.deepEqual(
      await service.data(`{ orgExampleWordAggregate(${args}) { groupCount groups { words: count } } }`),
      { orgExampleWordAggregate: { groupCount: 0, groups: [] } },
      args,
    )
})

onEveryDatabase('the background is the same, however it is read', async (database) => {
  const service = await open(database)
  const answer = async (against: string, statement: RegExp) => {
    const data = await service.data(
      compared(`significant: {against: ${against}, minCount: 1}`, `groupCount ${significance}`),
    )
    assert.match(service.opened.lastStatement(), statement, against)
    return data
  }
  const elements = /from "org\.example\.word\/words" group by value/
  const rows = /^(?!.*group by value)/s
  // Missing days are not under a bound, and `not` of it holds for them.
  const bounded = await answer('{day: {gte: 3}}', elements)
  assert.deepEqual(await answer('{NOT: {OR: [{day: {lt: 3}}, {day: {isNull: true}}]}}', rows), bounded)
  const between = await answer('{day: {gte: 3, lte: 49}}', elements)
  assert.deepEqual(await answer('{NOT: {NOT: {day: {gte: 3, lte: 49}}}}', rows), between)
  assert.deepEqual(await answer('{}', elements), await answer('{NOT: {OR: []}}', elements))
  // Too many others to read: more than a third of the records.
  await answer('{day: {gte: 30}}', rows)
})

onEveryDatabase('records that all meet `against` are subtracted from all that do', async (database) => {
  const service = await open(database)
  const answer = async (against: string, statement: RegExp) => {
    const data = await service.data(
      `{ orgExampleWordAggregate(groupBy: [words], where: {words: {has: "verdict"}, day: {gte: 30}}, significant: {against: {${against}}, minCount: 1}) { groupCount ${significance} } }`,
    )
    assert.match(service.opened.lastStatement(), statement, against)
    return data
  }
  const subtracted = await answer('day: {gte: 30}', /^(?!.*is not true).*- n as against/s)
  const apart = await answer('day: {gte: 30}, NOT: {words: {has: "verdict"}}', /is not true/)
  assert.deepEqual(subtracted, apart)
  assert.match(JSON.stringify(subtracted), /"words":"verdict","count":/)
})

onEveryDatabase('explain shows how both sides are read', async (database) => {
  const service = await open(database)
  const explain = async (against: string) => {
    const query = compared(`significant: {against: ${against}}`, significance)
    return (await service.engine.explain({ query })).plan.join()
  }
  assert.match(await explain('{}'), /compared with records without conditions, .* from elements in/)
  assert.match(
    await explain('{note: {eq: "a"}}'),
    /compared with records where \(note eq and not day gte\), their groups from/,
  )
})

onEveryDatabase('a property called significance is a key under another name', async (database) => {
  const named = recordLexicon(nsid, { significance: { type: 'string', knownValues: ['high', 'low'] } })
  const records = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      buildRecord(nsid, {
        rkey: `${n < 10 ? 'a' : 'b'}${n}`,
        value: { significance: n < 9 ? 'high' : 'low' },
      }),
    ),
  )
  await using service = await openTestService({ lexicons: [named], records, database })
  const { orgExampleWordAggregate: found } = await service.data(
    '{ orgExampleWordAggregate(groupBy: [record_significance], where: {rkey: {startsWith: "a"}}, significant: {against: {}}) { groups { record_significance count significance { againstCount } } } }',
  )
  assert.deepEqual(found.groups, [
    { record_significance: 'high', count: 9, significance: { againstCount: 0 } },
  ])
})
