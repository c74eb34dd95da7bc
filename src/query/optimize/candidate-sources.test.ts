/** Which sources of candidates are used, and what is asked to choose them, by statistics that are made up. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWatchedEngine } from '../../../test/support/service/watched-engine.ts'

const list = 'orgExampleLibraryBook'
const million = { rows: () => 1_000_000 }
/** What FTS5 is asked for, or null if its index is not used. */
const matchOf = (values: readonly unknown[]): unknown =>
  values.find((value) => typeof value === 'string' && value.startsWith('"')) ?? null

test('a text is looked up by its rarest trigram, and by the two rarest if none is rare', async () => {
  const records: Readonly<Record<string, number>> = { abc: 9_000, bcd: 700, cde: 800, xyz: 499, zab: 600 }
  await using service = await openWatchedEngine({
    ...million,
    trigram: (_, trigram) => records[trigram] ?? 5_000,
  })
  const matchFor = async (needle: string): Promise<unknown> => {
    const query = `{ ${list}(where: {title: {contains: "${needle}"}}) { totalCount } }`
    return matchOf((await service.engine.explain({ query })).values)
  }
  assert.equal(await matchFor('abcde'), '"bcd" AND "cde"')
  assert.equal(await matchFor('xyzabc'), '"xyz"')
})

test('a short needle is looked up where few trigrams begin with it, and in order where merging them is cheap', async () => {
  let found = { terms: 400, records: 10 }
  await using service = await openWatchedEngine({ ...million, prefix: () => found })
  const isLookedUp = async (terms: number, records: number, fields: string): Promise<boolean> => {
    found = { terms, records }
    const { sql } = await service.engine.explain({
      query: `{ ${list}(where: {title: {contains: "ab"}}) { ${fields} } }`,
    })
    return /match/.test(sql ?? '')
  }
  for (const fields of ['totalCount', 'nodes { uri }']) {
    assert.equal(await isLookedUp(400, 10, fields), true)
    assert.equal(await isLookedUp(401, 10, fields), false)
  }
  // A scan in the order of ids finds its records sooner than 400 lists are merged, and later than four.
  assert.equal(await isLookedUp(400, 10_000, 'nodes { uri }'), false)
  assert.equal(await isLookedUp(4, 900_000, 'nodes { uri }'), true)
})

test('URIs are looked up without counting, and stored statistics are asked before records are counted', async () => {
  await using service = await openWatchedEngine({
    ...million,
    trigram: () => 5_000,
    countUpTo: (_, limit) => limit,
  })
  const asked = async (where: string): Promise<readonly string[]> => {
    service.work.statistics.splice(0)
    await service.engine.explain({ query: `{ ${list}(where: ${where}) { totalCount } }` })
    return service.work.statistics
  }
  const uri = 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/org.example.library.book/a'
  assert.deepEqual(await asked(`{OR: [{uri: {eq: "${uri}"}}, {uri: {eq: "${uri}b"}}]}`), [])
  assert.deepEqual(await asked('{AND: [{author: {country: {eq: "FR"}}}, {title: {contains: "abc"}}]}'), [
    'trigram',
    'countUpTo',
  ])
})

test('a condition with more than a hundred values is not looked up', async () => {
  await using service = await openWatchedEngine({ ...million, countUpTo: () => 1 })
  const sqlFor = async (count: number): Promise<string> => {
    const countries = Array.from({ length: count }, (_, n) => `"${n}"`).join()
    const query = `{ ${list}(where: {author: {country: {in: [${countries}]}}}) { totalCount } }`
    return (await service.engine.explain({ query })).sql ?? ''
  }
  assert.match(await sqlFor(40), /indexed by "org.example.library.book\/.author/)
  assert.doesNotMatch(await sqlFor(101), /indexed by "org.example.library.book\/.author/)
})

test('of a search that is ranked, the terms that all records have are not looked for, and those that most have only with it', async () => {
  await using service = await openWatchedEngine({
    ...million,
    word: (_, word) => (word === 'the' ? 100_000 : 10),
  })
  const asked = async (search: string): Promise<readonly unknown[]> => {
    const query = `{ ${list}(search: "${search}", sortBy: [{field: RELEVANCE}]) { nodes { uri } } }`
    return (await service.engine.explain({ query })).values
  }
  const values = await asked('storm the')
  // The records are found, and each term is counted.
  for (const word of ['"storm"', '"the"']) assert.equal(values.filter((value) => value === word).length, 1)
  assert.ok(values.includes('"storm~2"'))
  assert.ok(values.includes('("storm" AND "the") AND "the~2"'))
  assert.ok(!values.includes('"the~2"'))
})

test('words that many records have are looked up for each record, and those of few once for all', async () => {
  await using service = await openWatchedEngine({
    ...million,
    word: (_, word) => (word === 'the' ? 500_000 : 4_000),
    countUpTo: () => 10,
  })
  const sqlFor = async (word: string): Promise<string> => {
    const query = `{ ${list}(search: "${word}", where: {shelf: {eq: "x"}}) { nodes { uri } } }`
    return (await service.engine.explain({ query })).sql ?? ''
  }
  const eachTime = /exists \(select 1 from [^()]* where [^()]* match \? and rowid = /
  assert.match(await sqlFor('the'), eachTime)
  assert.doesNotMatch(await sqlFor('storm'), eachTime)
})
