/** The SQL functions against the TypeScript they stand for. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../../../test/support/random/values/any-text.ts'
import { urls } from '../../../../test/support/random/values/urls.ts'
import pg from 'pg'
import { encodeCursor } from '../../../util/cursor.ts'
import { editDistance } from '../../../util/text/nearest.ts'
import { normalizeUrl } from '../../../util/text/normalize-url.ts'
import { foldText } from '../../../util/text/fold.ts'
import { formatInstant, parseRecordInstant } from '../../../util/instant.ts'
import { onUntimedPostgres } from '../../../../test/support/store/databases.ts'
import { databases, type FreshDatabase, freshDatabase } from '../../../../test/support/store/postgres.ts'
import { rounds, seed } from '../../../../test/support/rounds.ts'
import { raw } from '../../../sql/sql.ts'
import { postgresDialect } from '../dialect.ts'
import { createFunctions } from './functions.ts'

let client: pg.Client
let database: FreshDatabase

before(async () => {
  if (!databases.includes('postgres')) return
  database = await freshDatabase()
  client = new pg.Client(database.url)
  await client.connect()
  await client.query(createFunctions())
})
after(async () => {
  await client?.end()
  await database?.[Symbol.asyncDispose]()
})

async function same<T>(call: string, values: readonly T[], expected: (value: T) => unknown): Promise<void> {
  const { rows } = await client.query(
    `select ${call} as got from json_array_elements_text($1) with ordinality as e(value, n) order by n`,
    [JSON.stringify(values)],
  )
  assert.deepEqual(
    rows.map(({ got }) => got),
    values.map(expected),
    `TEST_SEED=${seed}`,
  )
}

function sample<T>(drawn: fc.Arbitrary<T>, few: number): T[] {
  return fc.sample(drawn, { seed, numRuns: rounds(few) })
}

/** What PostgreSQL can hold: no NUL, no lone surrogates. */
const texts = fc
  .string({ unit: anyCodePoint, maxLength: 20 })
  .map((text) => text.toWellFormed().replaceAll('\0', ''))
/** Letters, marks and scripts that folding is about; those that all versions of Unicode in use know. */
const letters = fc.string({
  unit: fc.constantFrom(...'aAÀàÉéÎÖßẞÆœİıŁΣσςΑά́̈がガｶﾞ한글ﬁ①ＡДдҐ़क़ਖ਼אָأِیـ’—‏´`᾽½⁄“ -_.'),
  maxLength: 20,
})

onUntimedPostgres('numbers are written as JavaScript writes them', async () => {
  const mean = fc
    .tuple(fc.maxSafeInteger(), fc.integer({ min: 1, max: 1e6 }))
    .map(([sum, count]) => sum / count)
  const small = fc.double({ min: -1, max: 1, noNaN: true }).filter((value) => !Object.is(value, -0))
  await same(
    postgresDialect.numberText(raw('value::float8')).sql,
    sample(fc.oneof(mean, small, mean.map(Math.trunc), fc.constantFrom(1e-4, 1e-6, 1e-7, 1e15, 9e15)), 500),
    JSON.stringify,
  )
})

onUntimedPostgres('the edits between two words are counted as editDistance counts them', async () => {
  const words = fc.string({ unit: fc.constantFrom(...'abcж'), maxLength: 7 })
  const pairs = sample(fc.tuple(words, words), 1000).map((pair) => pair.join(' '))
  await same("edit_distance(split_part(value, ' ', 1), split_part(value, ' ', 2))", pairs, (pair) => {
    const [from = '', to = ''] = pair.split(' ')
    return editDistance(from, to, 20, true)
  })
})

onUntimedPostgres('normalized_url normalizes as normalizeUrl does', async () => {
  const pieces = fc.constantFrom(
    'http',
    'HTTPS',
    '://',
    '/',
    '?',
    '#',
    '&',
    '=',
    '@',
    ':',
    '.',
    'www.',
    'utm_',
    'gclid',
    'K',
    '\u212a',
    'é',
    '\n',
    'a',
  )
  const built = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''))
  const addresses = built.map((text) => `https://${text}`)
  const given = [urls, addresses, built, texts].flatMap((each) => sample(each, 1_000))
  await same('normalized_url(value)', given, normalizeUrl)
})

onUntimedPostgres('fold folds as foldText does', async () => {
  await same('fold(value)', sample(fc.oneof(letters, letters, fc.string()), 2000), foldText)
  const basic = Array.from({ length: 0xd7ff }, (_, code) => String.fromCodePoint(code + 1))
  // Unicode grows: what this server does not yet know how to take apart is not compared.
  const { rows } = await client.query(
    'select value, normalize(value, nfkd) as apart from json_array_elements_text($1)',
    [JSON.stringify(basic)],
  )
  const known = rows.filter(({ value, apart }) => value.normalize('NFKD') === apart).map(({ value }) => value)
  assert.ok(known.length > basic.length - 200, `${basic.length - known.length} are unknown`)
  await same('fold(value)', known, foldText)
})

onUntimedPostgres('Latin letters fold as by the extension unaccent', async () => {
  await client.query('create extension unaccent')
  const latin = Array.from({ length: 0x10000 }, (_, code) => String.fromCodePoint(code)).filter(
    (letter) => /(?=\p{L})\p{sc=Latin}/u.test(letter) && letter.normalize('NFKD').toLowerCase() === letter,
  )
  await same('lower(unaccent(value))', latin, foldText)
})

onUntimedPostgres('instant reads datetimes as parseRecordInstant does', async () => {
  const two = fc.integer({ min: 0, max: 61 }).map((n) => String(n).padStart(2, '0'))
  const near = fc
    .tuple(
      fc.constantFrom('0000', '0001', '1900', '1969', '2000', '2023', '2024', '9999'),
      two,
      two,
      two,
      two,
      two,
    )
    .chain(([y, mo, d, h, mi, s]) =>
      fc
        .tuple(
          fc.constantFrom('T', 't', ' '),
          fc.constantFrom('', '.5', '.123456', '.1234567899', '.'),
          fc.constantFrom('Z', 'z', '+01:30', '-23:59', '+24:00', ''),
        )
        .map(([t, fraction, zone]) => `${y}-${mo}-${d}${t}${h}:${mi}:${s}${fraction}${zone}`),
    )
  const valid = fc
    .date({ noInvalidDate: true, min: new Date('0001-01-02'), max: new Date('9999-12-30') })
    .map((date) => date.toISOString())
  await same(
    'instant(value)::text',
    sample(fc.oneof(near, valid, texts), 3000),
    (text) => parseRecordInstant(text)?.toString() ?? null,
  )
})

onUntimedPostgres('instant_text writes instants as formatInstant does', async () => {
  const micros = sample(fc.bigInt({ min: -62_135_596_800_000_000n, max: 253_402_300_799_999_999n }), 2000)
  const whole = micros.map((value) => value - (value % 1000n))
  await same('instant_text(value::bigint)', [...micros, ...whole, 0n, -1n].map(String), (text) =>
    formatInstant(BigInt(text)),
  )
})

onUntimedPostgres('page_cursor seals as encodeCursor does', async () => {
  await same(`page_cursor('binding of ''it''', value)`, sample(texts, 500), (text) =>
    encodeCursor("binding of 'it'", text),
  )
})

onUntimedPostgres('short_grams has every sequence of one and two characters', async () => {
  await same('array_to_json(short_grams(value))::text', sample(texts, 500), (text) => {
    const all = [...text]
    return JSON.stringify([...all, ...all.slice(1).map((letter, index) => `${all[index]}${letter}`)])
  })
})
