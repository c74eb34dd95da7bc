import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearest } from './nearest.ts'

test('the nearest candidate is suggested, whatever its case', () => {
  assert.equal(nearest('langauge', ['title', 'language', 'languages']), 'language')
  assert.equal(nearest('ORDERBY', ['sortBy', 'orderBy']), 'orderBy')
})

test('an exact match comes before a near one', () => {
  assert.equal(nearest('a.b.c', ['a.b.d', 'a.b.c']), 'a.b.c')
})

test('up to two fifths of a word may be wrong', () => {
  assert.equal(nearest('abcdefghij', ['abcdefxxxx']), 'abcdefxxxx')
  assert.equal(nearest('abcdefghij', ['abcdexxxxx']), null)
})

test('nothing is suggested when nothing is near', () => {
  assert.equal(nearest('title', ['publishedAt', 'x']), null)
  assert.equal(nearest('', ['a']), null)
  assert.equal(nearest('title', []), null)
})
