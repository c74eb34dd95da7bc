import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LexiconDoc, Lexicons } from '@atproto/lexicon'
import * as fc from 'fast-check'
import { rounds, seed } from '../../../test/support/rounds.ts'
import { createQuickCheck } from './quick-check.ts'
import { createShapeCheck } from './record-shape.ts'

const strings = {
  plain: {},
  short: { minLength: 2, maxLength: 4 },
  seen: { minGraphemes: 1, maxGraphemes: 3 },
  long: { minGraphemes: 2 },
  one: { const: 'a' },
  some: { enum: ['a', 'b'] },
  when: { format: 'datetime' },
  where: { format: 'uri' },
  record: { format: 'at-uri' },
  cid: { format: 'cid' },
  who: { format: 'did' },
  handle: { format: 'handle' },
  either: { format: 'at-identifier' },
  nsid: { format: 'nsid' },
  tid: { format: 'tid' },
  language: { format: 'language' },
  key: { format: 'record-key' },
}

const document = {
  lexicon: 1,
  id: 'a.b.c',
  defs: {
    main: {
      type: 'record',
      key: 'any',
      record: {
        type: 'object',
        required: ['must'],
        nullable: ['none'],
        properties: {
          must: { type: 'integer', minimum: 0, maximum: 3 },
          none: { type: 'boolean' },
          truth: { type: 'boolean', const: true },
          number: { type: 'integer', enum: [1, 2] },
          list: { type: 'array', minLength: 1, maxLength: 2, items: { type: 'ref', ref: '#part' } },
          any: { type: 'unknown' },
          open: { type: 'union', refs: ['#part'] },
          part: { type: 'ref', ref: '#part' },
          ...Object.fromEntries(
            Object.entries(strings).map(([name, rest]) => [name, { type: 'string', ...rest }]),
          ),
        },
      },
    },
    part: {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string', maxLength: 3 }, again: { type: 'ref', ref: '#part' } },
    },
  },
} as unknown as LexiconDoc

const set = { documents: [document] }
const quick = createQuickCheck(set, 'a.b.c')
const shape = createShapeCheck(set, 'a.b.c')
const official = new Lexicons([structuredClone(document)])

function isValid(value: unknown): boolean {
  return official.validate('a.b.c', value).success && shape(value) === null
}

const two = fc.integer({ min: 0, max: 61 }).map((n) => String(n).padStart(2, '0'))
const datetime = fc
  .tuple(fc.constantFrom('0000', '0001', '1900', '2000', '2023', '2024', '9999'), two, two, two, two, two)
  .chain(([year, month, day, hour, minute, second]) =>
    fc
      .constantFrom('Z', '.1Z', '.123456789Z', '.1234567890Z', '+00:00', '-00:00', '', 'z', '.Z')
      .map((end) => `${year}-${month}-${day}T${hour}:${minute}:${second}${end}`),
  )
const cid = 'bafyreiaz7ixnenxfmtkh7iczrn5g25kgbtw5xofnbgzsdmxagy3htyrfva'
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 5 }),
  datetime,
  fc.constantFrom('a', 'b', 'en', 'pt-BR', 'de-Latn-DE', 'EN', 'https://a.example/b', 'a.b.c', 'a.example'),
  fc.constantFrom('at://did:plc:abc/a.b.c/x', 'at://a.example', 'did:plc:abc', '3jzfcijpj2z2a', cid),
  fc
    .nat(58)
    .chain((at) =>
      fc.constantFrom(...'abehiz27018A').map((letter) => cid.slice(0, at) + letter + cid.slice(at + 1)),
    ),
)
const part = fc.letrec((tie) => ({
  part: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom({}, [], null, 'a'),
    fc.record({ a: text, again: tie('part') }, { requiredKeys: [] }),
  ),
})).part
const anything = fc.oneof(
  text,
  fc.constantFrom(null, true, false, 0, 1, 2, 4, -1, 0.5),
  fc.array(part, { maxLength: 3 }),
)
const members = document.defs['main'] as unknown as { record: { properties: object } }

test('what is surely valid is valid to the official validator and to the check of shapes', () => {
  const names = Object.keys(members.record.properties)
  const one = fc.tuple(fc.constantFrom(...names), fc.oneof(anything, text, part))
  let sure = 0
  fc.assert(
    fc.property(fc.array(one, { maxLength: 3 }), fc.constantFrom(undefined, 1, 4), (given, must) => {
      const value = { $type: 'a.b.c', ...(must !== undefined && { must }), ...Object.fromEntries(given) }
      if (!quick(value)) return
      sure += 1
      assert.ok(isValid(value), JSON.stringify(value))
    }),
    { seed, numRuns: rounds(5_000) },
  )
  assert.ok(sure > 100, `${sure} of them were sure`)
})

test('what records commonly hold is sure', () => {
  const common = {
    $type: 'a.b.c',
    must: 1,
    none: null,
    plain: 'Überall ☕',
    short: 'ab',
    seen: 'abc',
    when: '2026-11-16T13:00:00.000Z',
    where: 'https://a.example/b',
    record: 'at://did:plc:abc/a.b.c/x',
    cid,
    who: 'did:plc:abc',
    language: 'pt-BR',
    list: [{ a: 'x' }, { a: 'y', again: { a: 'z' } }],
    part: { a: 'x' },
    unheardOf: { any: ['thing'] },
  }
  assert.ok(isValid(common))
  assert.ok(quick(common))
})
