/**
 * A random corpus of a lexicon set: values by the kinds of fields, references of every outcome,
 * several repositories with the same record keys, equal times of indexing.
 */
import fc from 'fast-check'
import {
  createShapes,
  type Field,
  type Json,
  type Kind,
  type References,
  type Shapes,
} from '../../reference/shapes.ts'
import type { stringFormats } from '../../../src/schema/model/string-formats.ts'
import { parseInstant } from '../../reference/values.ts'
import type { PlainRecord } from '../../reference/dataset.ts'
import { buildRecord, otherCid } from '../records/records.ts'
import { datetimes, integers, texts } from './values/scalars.ts'
import { urls } from './values/urls.ts'

export interface Corpus {
  readonly lexicons: readonly Json[]
  readonly references: References
  readonly records: readonly PlainRecord[]
}

const dids = [
  'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa',
  'did:plc:zzzzzzzzzzzzzzzzzzzzzzzz',
  'did:plc:ewvi7nxzyoun6zhxrhs64oiz',
  'did:web:news.example-site.org',
  'did:web:a-b.example.com',
]
const rkeys = ['self', 'a', 'A', 'b-1', 'b.1', '~x', '_', 'x:y', '3kabc2222222a', '3kabc2222222b', '10', '9']
/** Lines may lack a revision. It follows from other draws, so that a seed draws the same values as ever. */
const revs = [undefined, '3kaaaaaaaaa22', '3kbbbbbbbbb2z', '2222222222222']
const instants = [
  '2026-11-16T13:00:00Z',
  '2026-11-16T13:00:00Z',
  '2026-11-16T13:00:00.000001Z',
  '2026-11-15T23:59:59.999999Z',
  '2020-01-01T00:00:00Z',
  '1969-12-31T23:59:59.5Z',
  '2021-01-03T12:00:00Z',
  '2026-11-16T13:59:59.123Z',
  '2026-10-25T00:30:00Z',
  '2011-12-30T09:59:59.999999Z',
].map(parseInstant)

/** A record before its references are known. */
export interface Recipe {
  readonly collection: string
  readonly did: string
  readonly rkey: string
  readonly rev: string | undefined
  readonly indexedAt: bigint
  readonly value: Json
}

/** Collections in the order of writing: a reference can only be current when it points backwards. */
export function recipes(
  lexicons: readonly Json[],
  references: References,
  sizes: Record<string, number>,
): fc.Arbitrary<Recipe[]> {
  const shapes = createShapes(lexicons, references)
  const perCollection = Object.entries(sizes).map(([collection, size]) =>
    fc.uniqueArray(recipe(shapes, collection), {
      minLength: size,
      maxLength: size,
      selector: ({ did, rkey }) => `${did}/${rkey}`,
      size: 'max',
    }),
  )
  return fc.tuple(...perCollection).map((lists) => lists.flat())
}

function recipe(shapes: Shapes, collection: string): fc.Arbitrary<Recipe> {
  const shape = shapes.get(collection)
  if (shape === undefined) throw new Error(`There is no collection ${collection}.`)
  return fc
    .record({
      collection: fc.constant(collection),
      did: fc.constantFrom(...dids),
      rkey: fc.constantFrom(...rkeys),
      indexedAt: fc.constantFrom(...instants),
      value: objects(shape.fields, shape.required, 3),
    })
    .map((drawn) => ({
      ...drawn,
      rev: revs[(drawn.rkey.length + instants.indexOf(drawn.indexedAt)) % revs.length],
    }))
}

function objects(fields: readonly Field[], required: readonly string[], depth: number): fc.Arbitrary<Json> {
  const pairs = fields.map((field) => {
    const value = values(field.kind, depth)
    if (required.includes(field.property)) return value.map((present) => [field.property, present] as const)
    return fc
      .oneof(
        { weight: 3, arbitrary: value },
        { weight: 1, arbitrary: fc.constant(undefined) },
        { weight: field.nullable ? 1 : 0, arbitrary: fc.constant(null) },
      )
      .map((given) => [field.property, given] as const)
  })
  return fc
    .tuple(...pairs)
    .map((given) => Object.fromEntries(given.filter(([, value]) => value !== undefined)))
}

function values(kind: Kind, depth: number): fc.Arbitrary<Json> {
  switch (kind.kind) {
    case 'string':
      return strings(kind.lexicon)
    case 'integer':
      return integers(
        kind.lexicon.minimum ?? -Number.MAX_SAFE_INTEGER,
        kind.lexicon.maximum ?? Number.MAX_SAFE_INTEGER,
      )
    case 'boolean':
      return fc.boolean()
    case 'datetime':
      return datetimes
    case 'reference':
      return fc
        .record({
          outcome: fc.constantFrom(...outcomes),
          pick: fc.nat(1000),
          link: fc.constant(kind.link),
          targets: fc.constant(kind.targets),
        })
        .map((slot) => ({ $slot: slot }))
    case 'object':
      return depth === 0 ? fc.constant({}) : objects(kind.fields(), kind.required, depth - 1)
    case 'array':
      return depth === 0 ? fc.constant([]) : repeating(values(kind.of, depth - 1))
    case 'blob':
      return fc.constantFrom(
        { $type: 'blob', ref: { $link: imageCid }, mimeType: 'image/png', size: 1234 },
        { cid: imageCid, mimeType: 'image/jpeg' },
      )
    case 'bytes':
      return fc.constantFrom({ $bytes: '' }, { $bytes: 'AQID' }, { $bytes: '/+8' })
    case 'cidLink':
      return fc.constantFrom({ $link: imageCid }, { $link: otherCid })
    case 'unknown':
      return fc.constantFrom({}, { $type: 'x.y.z', deep: { list: [1, 'ß', null, true] } })
    case 'union':
      return fc.constantFrom(
        { $type: 'org.example.library.book#paperback', grams: 300 },
        { $type: 'org.example.library.book#recording', minutes: -1 },
        { $type: 'com.atproto.repo.strongRef', uri: 'at://did:plc:nobody/a.b.c/x', cid: otherCid },
        { $type: 'org.example.unheard.of', any: ['thing', 1] },
      )
  }
}

const imageCid = 'bafkreifjjcie6lypi6ny7amxnfftagclbuxndqonfipmb64f2km2devei4'

/** Those that pages do not show as plain texts. */
type ShownFormat = {
  [Name in keyof typeof stringFormats]: (typeof stringFormats)[Name]['page'] extends 'text' ? never : Name
}[keyof typeof stringFormats]

const formatted: Readonly<Record<ShownFormat, fc.Arbitrary<string>>> = {
  did: fc.constantFrom(...dids),
  language: fc.constantFrom('en', 'es', 'de', 'zh', 'ja', 'pt-BR', 'zh-Hant-TW'),
  uri: urls,
}

function strings(lexicon: Json): fc.Arbitrary<string> {
  if (lexicon.format in formatted) return formatted[lexicon.format as ShownFormat]
  if (lexicon.enum !== undefined) return fc.constantFrom<string>(...lexicon.enum)
  if (lexicon.minLength === 2) return fc.constantFrom('MX', 'DE', 'FR', 'mx', 'ß')
  const free = texts(lexicon.maxLength ?? 2000, lexicon.maxGraphemes ?? 500)
  // Known values are no closed set: now and then a record has another one.
  if (lexicon.knownValues === undefined) return free
  const isLong = lexicon.maxLength > 2000
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<string>(...lexicon.knownValues) },
    { weight: 1, arbitrary: free },
    { weight: isLong ? 1 : 0, arbitrary: fc.constantFrom(...longValues) },
  )
}

/** Of 1,000 bytes, and of more. */
const longValues = ['y'.repeat(1000), 'z'.repeat(1001), 'é'.repeat(501), `Z${'z'.repeat(1999)}`]

/** Arrays that repeat an element now and then. */
function repeating(element: fc.Arbitrary<Json>): fc.Arbitrary<Json[]> {
  return fc.tuple(fc.array(element, { maxLength: 3 }), fc.boolean()).map(([list, repeat]) => {
    const [head] = list
    return repeat && head !== undefined ? [...list, head] : list
  })
}

/** `current` and `stale` find their record; the others do not, each in its own way. */
const outcomes = [
  'current',
  'current',
  'current',
  'current',
  'stale',
  'stale',
  'missing',
  'wrong',
  'handle',
  'foreign',
  'repository',
] as const

interface Slot {
  readonly outcome: (typeof outcomes)[number]
  readonly pick: number
  readonly link: 'strongRef' | 'atUri'
  readonly targets: readonly string[] | null
}

/** Fills in the references, in order, so that a later record may pin an earlier one's CID. */
export async function assemble(
  lexicons: readonly Json[],
  references: References,
  drawn: readonly Recipe[],
): Promise<Corpus> {
  const addresses = drawn.map(({ collection, did, rkey }) => ({
    collection,
    uri: `at://${did}/${collection}/${rkey}`,
  }))
  const records: PlainRecord[] = []
  for (const { collection, value, ...where } of drawn) {
    const cids = new Map(records.map((record) => [record.uri, record.cid]))
    records.push(
      await buildRecord(collection, {
        ...where,
        value: fill(value, (slot) => linkFor(slot, addresses, cids)),
      }),
    )
  }
  return { lexicons, references, records }
}

function fill(value: Json, resolve: (slot: Slot) => Json): Json {
  if (Array.isArray(value)) return value.map((element) => fill(element, resolve))
  if (typeof value !== 'object' || value === null) return value
  if (value.$slot !== undefined) return resolve(value.$slot)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, resolve)]))
}

function linkFor(
  slot: Slot,
  addresses: readonly { collection: string; uri: string }[],
  cids: ReadonlyMap<string, string>,
): Json {
  const declared = addresses.filter(({ collection }) => slot.targets?.includes(collection) ?? true)
  const others = addresses.filter(
    ({ collection }) => slot.targets !== null && !slot.targets.includes(collection),
  )
  const pool = slot.outcome === 'wrong' || declared.length === 0 ? others : declared
  const { collection, uri: found } = (pool.length === 0 ? addresses : pool)[
    slot.pick % (pool.length || addresses.length)
  ] ?? {
    collection: 'a.b.c',
    uri: 'at://did:plc:nobody/a.b.c/x',
  }
  const uri = {
    current: found,
    stale: found,
    wrong: found,
    missing: `at://did:plc:gone/${collection}/${slot.pick % 3}`,
    handle: `at://handle.example.com/${collection}/self`,
    foreign: `at://${dids[0]}/app.example.unknown/self`,
    repository: `at://${dids[slot.pick % dids.length]}`,
  }[slot.outcome]
  if (slot.link === 'atUri') return uri
  return { uri, cid: slot.outcome === 'current' ? (cids.get(uri) ?? otherCid) : otherCid }
}
