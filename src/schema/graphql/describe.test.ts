import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describe } from './describe.ts'

test('a description begins with the words of the lexicon, then says what it demands', () => {
  assert.equal(
    describe(
      {
        type: 'string',
        description: ' How it ends. ',
        minLength: 1,
        maxLength: 640,
        maxGraphemes: 64,
        knownValues: ['good', 'bad'],
        default: 'good',
      },
      true,
    ),
    'How it ends. Required by the lexicon. At least 1 and at most 640 bytes. At most 64 graphemes. Known values: good, bad. Default: "good".',
  )
})

test('ranges, units and formats are spelt out', () => {
  assert.equal(describe({ type: 'integer', minimum: -100, maximum: 100 }, false), 'From -100 to 100.')
  assert.equal(describe({ type: 'integer', minimum: 0 }, false), 'At least 0.')
  assert.equal(describe({ type: 'integer', maximum: 9 }, false), 'At most 9.')
  assert.equal(describe({ type: 'string', minLength: 2, maxLength: 2 }, false), 'Exactly 2 bytes.')
  assert.equal(describe({ type: 'array', maxLength: 5 }, false), 'At most 5 elements.')
  assert.equal(describe({ type: 'string', format: 'datetime' }, false), 'Format: datetime.')
  assert.equal(describe({ type: 'string', enum: ['a', 'b'] }, false), 'One of: a, b.')
  assert.equal(describe({ type: 'boolean', const: true }, false), 'Always true.')
  assert.equal(
    describe({ type: 'blob', accept: ['image/*'], maxSize: 1000 }, false),
    'Media types: image/*. At most 1000 bytes.',
  )
})

test('where the lexicon says nothing, nothing is said', () => {
  assert.equal(describe({ type: 'string' }, false), '')
})
