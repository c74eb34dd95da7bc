import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collections, libraryLexicons, libraryReferences } from '../support/records/lexicons.ts'
import { buildRecord, otherCid, refTo } from '../support/records/records.ts'
import { printKey } from './groups/group-fields.ts'
import type { Where } from './matches.ts'
import type { SortField } from './order.ts'
import { type AggregateArguments, createReference, type Reference } from './reference.ts'
import type { Json } from './shapes.ts'
import type { PlainRecord } from './world.ts'

const { book, person, publisher, review } = collections

function referenceOver(records: readonly PlainRecord[]): Reference {
  return createReference(libraryLexicons, libraryReferences, records)
}

/** Books named by their record keys. */
function books(values: Readonly<Record<string, Json>>): Promise<PlainRecord[]> {
  return Promise.all(
    Object.entries(values).map(([rkey, value]) =>
      buildRecord(book, { rkey, value: { title: rkey, ...value } }),
    ),
  )
}

function keysOf(records: readonly PlainRecord[]): string {
  return records.map((record) => record.rkey).join(' ')
}

/** The record keys of the books that match. */
async function found(values: Readonly<Record<string, Json>>, where: Where): Promise<string> {
  return keysOf(referenceOver(await books(values)).sorted(book, { where, sortBy: [{ field: 'rkey' }] }))
}

const notes = { a: { note: 'Café' }, b: { note: 'cafe\u0301 100%' }, c: { note: '' }, d: {} }

test('contains folds case and accents, and takes wildcards as they are', async () => {
  assert.equal(await found(notes, { note: { contains: 'CAFÉ' } }), 'a b')
  assert.equal(await found(notes, { note: { contains: '0%' } }), 'b')
  assert.equal(await found(notes, { note: { contains: '_' } }), '')
  assert.equal(await found(notes, { note: { startsWith: 'af' } }), '')
})

test('a needle that folds to nothing matches every present value', async () => {
  assert.equal(await found(notes, { note: { contains: '\u0301' } }), 'a b c')
  assert.equal(await found(notes, { note: { startsWith: '' } }), 'a b c')
})

test('a missing value satisfies isNull alone; NOT is the plain negation', async () => {
  assert.equal(await found(notes, { note: { ne: '' } }), 'a b')
  assert.equal(await found(notes, { NOT: { note: { eq: '' } } }), 'a b d')
  assert.equal(await found(notes, { note: { notIn: [] } }), 'a b c')
  assert.equal(await found(notes, { note: { isNull: true } }), 'd')
  assert.equal(
    await found({ a: { shelf: null }, b: {}, c: { shelf: 'x' } }, { shelf: { isNull: true } }),
    'a b',
  )
})

test('empty conditions: {} and AND hold, OR and in do not', async () => {
  assert.equal(await found(notes, {}), 'a b c d')
  assert.equal(await found(notes, { note: {} }), 'a b c d')
  assert.equal(await found(notes, { AND: [] }), 'a b c d')
  assert.equal(await found(notes, { OR: [] }), '')
  assert.equal(await found(notes, { note: { in: [] } }), '')
})

test('integers compare as numbers, strings by code point', async () => {
  assert.equal(await found({ a: { pages: 10 }, b: { pages: 4 } }, { pages: { gt: 4 } }), 'a')
  assert.equal(await found({ a: { note: '\ufffd' }, b: { note: '😀' } }, { note: { gt: '\ufffd' } }), 'b')
})

test('instants are compared in microseconds, whatever their offset', async () => {
  const values = {
    a: { publishedAt: '2026-11-16T00:00:00.0000009Z' },
    b: { publishedAt: '2026-11-16T01:00:00+01:00' },
    c: { publishedAt: '2026-11-15T23:59:59.999999Z' },
  }
  assert.equal(await found(values, { publishedAt: { eq: '2026-11-16' } }), 'a b')
  assert.equal(await found(values, { publishedAt: { lt: '2026-11-16T00:00:00Z' } }), 'c')
})

test('array operators on missing, empty and repeating arrays', async () => {
  const values = { a: { tags: ['x', 'x', 'y'] }, b: { tags: [] }, c: {} }
  assert.equal(await found(values, { tags: { has: 'x' } }), 'a')
  assert.equal(await found(values, { tags: { hasAny: [] } }), '')
  assert.equal(await found(values, { tags: { hasAll: [] } }), 'a b')
  assert.equal(await found(values, { tags: { hasAll: ['y', 'x'] } }), 'a')
  assert.equal(await found(values, { tags: { isNull: true } }), 'c')
  assert.equal(await found(values, { NOT: { tags: { has: 'x' } } }), 'b c')
})

test('some holds when one element meets all of it', async () => {
  const values = {
    a: {
      credits: [
        { name: 'A', share: 1 },
        { name: 'B', share: 2 },
      ],
    },
    b: { credits: [] },
    c: {},
  }
  assert.equal(await found(values, { credits: { some: { name: { eq: 'A' }, share: { eq: 1 } } } }), 'a')
  assert.equal(await found(values, { credits: { some: { name: { eq: 'A' }, share: { eq: 2 } } } }), '')
  assert.equal(await found(values, { credits: { some: {} } }), 'a')
})

test('a condition inside a missing object is false, its negation too', async () => {
  const values = { a: { imprint: { city: 'Bonn' } }, b: { imprint: {} }, c: {} }
  assert.equal(await found(values, { imprint: { NOT: { city: { eq: 'Bonn' } } } }), 'b')
  assert.equal(await found(values, { NOT: { imprint: { city: { eq: 'Bonn' } } } }), 'b c')
  assert.equal(await found(values, { imprint: { AND: [] } }), 'a b')
  assert.equal(await found(values, { imprint: {} }), 'a b c')
  assert.equal(await found(values, { imprint: { isNull: true } }), 'c')
})

/** Books by their author's fate: current, stale, of another collection, not indexed, missing. */
async function library(): Promise<{ reference: Reference; records: PlainRecord[]; ann: PlainRecord }> {
  const house = await buildRecord(publisher, { rkey: 'house', value: { name: 'House', country: 'MX' } })
  const ann = await buildRecord(person, { rkey: 'ann', value: { name: 'Ann', employer: refTo(house) } })
  const records = [
    house,
    ann,
    ...(await books({
      current: { author: refTo(ann), tags: ['x', 'y', 'x'], pages: 10, mention: refTo(house) },
      stale: { author: { uri: ann.uri, cid: otherCid }, tags: ['y'], pages: 4 },
      wrong: { author: refTo(house), tags: [], related: [refTo(house)] },
      gone: { author: { uri: 'at://did:plc:gone/org.example.library.person/x', cid: otherCid }, pages: -1 },
      missing: {},
    })),
  ]
  return { reference: referenceOver(records), records, ann }
}

test('conditions on a reference, and on the record behind it', async () => {
  const { reference, ann } = await library()
  const where = (author: Where) =>
    keysOf(reference.sorted(book, { where: { author }, sortBy: [{ field: 'rkey' }] }))
  assert.equal(where({ isNull: true }), 'missing')
  assert.equal(where({ isIndexed: true }), 'current stale wrong')
  assert.equal(where({ isIndexed: false }), 'gone')
  assert.equal(where({ isCurrent: true }), 'current wrong')
  assert.equal(where({ isCurrent: false }), 'stale')
  assert.equal(where({ uri: { ne: ann.uri } }), 'gone wrong')
  assert.equal(where({ name: { eq: 'Ann' } }), 'current stale')
  assert.equal(where({ NOT: { name: { eq: 'Bob' } } }), 'current stale')
  assert.equal(where({ AND: [] }), 'current stale')
  assert.equal(where({ OR: [{ isNull: true }, { isCurrent: true }] }), 'current')
  assert.equal(where({}), 'current gone missing stale wrong')
  assert.equal(where({ employer: { country: { eq: 'MX' } } }), 'current stale')
})

test('without one declared target AND, OR and NOT are plain logic about the reference', async () => {
  const { reference } = await library()
  const where = (mention: Where) =>
    keysOf(reference.sorted(book, { where: { mention }, sortBy: [{ field: 'rkey' }] }))
  assert.equal(where({ NOT: { isIndexed: true } }), 'gone missing stale wrong')
  assert.equal(where({ OR: [{ isNull: true }, { isIndexed: true }] }), 'current gone missing stale wrong')
})

test('reverse conditions and reverse lists', async () => {
  const { reference, ann } = await library()
  const people = (where: Where) => keysOf(reference.sorted(person, { where }))
  assert.equal(people({ orgExampleLibraryBookViaAuthor: { some: { pages: { gt: 4 } } } }), 'ann')
  assert.equal(people({ orgExampleLibraryBookViaAuthor: { none: { pages: { gt: 10 } } } }), 'ann')
  assert.equal(people({ orgExampleLibraryBookViaAuthor: { none: {} } }), '')
  const held = reference
    .referredBy(person)
    .find((each) => each.viaField === 'orgExampleLibraryBookViaAuthor')!
  const { facets, ...listed } = reference.reverse(ann, held, { sortBy: [{ field: 'pages' }], first: 1 })
  assert.deepEqual(
    { ...listed, records: keysOf(listed.records) },
    { records: 'stale', totalCount: 2, hasNextPage: true, hasPreviousPage: false },
  )
  const all = listed.totalCount
  assert.deepEqual(facets({ fields: ['collection'] }), [
    { field: 'collection', values: [{ value: book, count: all }], missing: 0, cut: false },
  ])
  const fields = reference.referredBy(review).map((each) => each.viaField)
  assert.deepEqual(fields, ['orgExampleLibraryBookViaMention', 'orgExampleLibraryBookViaAbout'])
})

test('facets count values, each element of an array once, and ignore their own conditions if asked', async () => {
  const reference = referenceOver(
    await books({
      a: { language: 'en', tags: ['x', 'y', 'x'] },
      b: { language: 'fr', tags: ['y'] },
      c: { language: 'de', tags: [] },
      d: {},
    }),
  )
  const where = { language: { in: ['en', 'fr'] }, tags: { has: 'x' } }
  const facets = (given: Where, ignoreOwn: boolean) =>
    reference.list(book, { where: given }).facets({ fields: ['language', 'tags'], limit: 1, ignoreOwn })
  const facet = (field: string, value: string, count: number, missing: number, cut: boolean) => ({
    field,
    values: [{ value, count }],
    missing,
    cut,
  })
  assert.deepEqual(facets({}, false), [facet('language', 'de', 1, 1, true), facet('tags', 'y', 2, 2, true)])
  assert.deepEqual(facets(where, false), [
    facet('language', 'en', 1, 0, false),
    facet('tags', 'x', 1, 0, true),
  ])
  assert.deepEqual(facets(where, true), [
    facet('language', 'en', 1, 0, false),
    facet('tags', 'y', 2, 0, true),
  ])
  assert.deepEqual(facets({ AND: [where] }, true), facets(where, false))
})

test('missing values sort first, ties by rkey then did in the direction of the last field', async () => {
  const at = (did: string, rkey: string, pages?: number) =>
    buildRecord(book, { did, rkey, value: { title: 't', ...(pages !== undefined && { pages }) } })
  const records = await Promise.all([
    at('did:plc:b', 'x', 4),
    at('did:plc:a', 'x', 4),
    at('did:plc:a', 'b', 4),
    at('did:plc:a', 'z', 10),
    at('did:plc:a', 'm'),
  ])
  const sorted = (sortBy: readonly SortField[]) =>
    referenceOver(records)
      .sorted(book, { sortBy })
      .map(({ rkey, did }) => rkey + did.slice(-1))
      .join(' ')
  assert.equal(sorted([{ field: 'pages' }]), 'ma ba xa xb za')
  assert.equal(sorted([{ field: 'pages', direction: 'DESC' }]), 'za xb xa ba ma')
  assert.equal(
    sorted([
      { field: 'pages', direction: 'DESC' },
      { field: 'inPrint', direction: 'ASC' },
    ]),
    'za ba xa xb ma',
  )
  assert.equal(sorted([]), 'za xb xa ma ba')
})

test('pages say truly what lies before and after them', async () => {
  const reference = referenceOver(await books({ a: {}, b: {}, c: {} }))
  const uri = (rkey: string) => reference.records.find((record) => record.rkey === rkey)!.uri
  const page = (given: Parameters<Reference['list']>[1]) => {
    const { records, hasPreviousPage, hasNextPage } = reference.list(book, {
      sortBy: [{ field: 'rkey' }],
      ...given,
    })
    return `${hasPreviousPage ? '<' : ''}${keysOf(records)}${hasNextPage ? '>' : ''}`
  }
  assert.equal(page({ first: 2 }), 'a b>')
  assert.equal(page({ first: 2, after: uri('b') }), '<c')
  assert.equal(page({ last: 1 }), '<c')
  assert.equal(page({ last: 5, before: uri('c') }), 'a b>')
  assert.equal(page({ first: 0 }), '>')
})

test('groups, their order and their keys', async () => {
  const { reference } = await library()
  const groups = (given: AggregateArguments) => {
    const { groups, groupCount, count } = reference.aggregate(book, given)
    const fields = (given.groupBy ?? []).map(
      (name) => reference.groupFields(book).find((field) => field.name === name)!,
    )
    const printed = groups.map((group) =>
      [...group.keys.map((key, index) => printKey(fields[index]!, key)), group.members.length].join(':'),
    )
    return `${count} ${groupCount} | ${printed.join(' ')}`
  }
  assert.equal(groups({ groupBy: ['tags'] }), '5 3 | :3 y:2 x:1')
  assert.equal(groups({ groupBy: ['tags'], orderBy: 'COUNT_ASC', minCount: 2, limit: 1 }), '5 3 | y:2')
  assert.equal(groups({ groupBy: ['tags'], orderBy: 'KEY_DESC' }), '5 3 | y:2 x:1 :3')
  assert.equal(groups({ groupBy: ['author_name'] }), '5 2 | :3 Ann:2')
  assert.equal(groups({ groupBy: ['author_employer_country'] }), '5 2 | :3 MX:2')
  assert.equal(
    groups({ groupBy: ['author_name'], rankBy: { measure: 'AVG', field: 'pages', direction: 'DESC' } }),
    '5 2 | Ann:2 :3',
  )
  assert.equal(
    groups({ groupBy: ['tags'], rankBy: { measure: 'MAX', field: 'pages', direction: 'ASC' } }),
    '5 3 | :3 x:1 y:2',
  )
  assert.equal(groups({ groupBy: ['indexedAt'] }), '5 1 | 2026-01-01T00:00:00.000Z:5')
  assert.equal(groups({ groupBy: [] }), '5 0 | ')
})

test('buckets begin on UTC hours, days, Mondays, months, quarters and years', async () => {
  const reference = referenceOver(
    await books({
      a: { publishedAt: '2026-11-15T23:30:00.5-01:00' },
      b: { publishedAt: '1969-12-31T23:59:59.9Z' },
      c: {},
    }),
  )
  const keys = (bucket: string) => {
    const field = reference.groupFields(book).find(({ name }) => name === `publishedAt_${bucket}`)!
    return reference
      .aggregate(book, { groupBy: [field.name], orderBy: 'KEY_ASC' })
      .groups.map(({ keys }) => printKey(field, keys[0]))
  }
  assert.deepEqual(keys('hour'), [null, '1969-12-31T23:00:00Z', '2026-11-16T00:00:00Z'])
  assert.deepEqual(keys('day'), [null, '1969-12-31', '2026-11-16'])
  assert.deepEqual(keys('week'), [null, '1969-12-29', '2026-11-16'])
  assert.deepEqual(keys('month'), [null, '1969-12-01', '2026-11-01'])
  assert.deepEqual(keys('quarter'), [null, '1969-10-01', '2026-10-01'])
  assert.deepEqual(keys('year'), [null, '1969-01-01', '2026-01-01'])
  assert.deepEqual(keys('hourOfDay'), [null, 0, 23])
  assert.deepEqual(keys('weekday'), [null, 1, 3])
})

test('measures look at present values only', async () => {
  const { reference } = await library()
  const { members } = reference.aggregate(book, {})
  assert.deepEqual(reference.total(members, 'pages'), { sum: 13n, count: 3n })
  assert.equal(reference.extreme(members, 'pages', 'MIN'), -1)
  assert.equal(reference.extreme(members, 'serial', 'MAX'), undefined)
  assert.equal(reference.countDistinct(book, members, 'tags'), 2)
  assert.equal(reference.countDistinct(book, members, 'author'), 3)
  assert.equal(reference.countDistinct(book, members, 'author_name'), 1)
})
