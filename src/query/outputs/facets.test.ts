import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutOwn } from './facets.ts'

const en = { language: { eq: 'en' } }

test('all conditions on the own field are left out, and those on other fields stay', () => {
  assert.deepEqual(withoutOwn({ ...en, tags: { has: 'a' } }, ['language'], false), { tags: { has: 'a' } })
  assert.deepEqual(withoutOwn({ tags: { isNull: false, hasAny: ['a'] } }, ['tags'], false), {})
})

test('a where without conditions on the own field is the same object', () => {
  for (const where of [{ tags: { has: 'a' } }, {}, null, undefined])
    assert.equal(withoutOwn(where, ['language'], false), where)
})

test('conditions inside AND, OR and NOT stay', () => {
  const logic = { AND: [en], OR: [en], NOT: en }
  assert.equal(withoutOwn(logic, ['language'], false), logic)
  assert.deepEqual(withoutOwn({ ...logic, ...en }, ['language'], false), logic)
  const behind = { source: { AND: [{ country: { eq: 'US' } }] } }
  assert.equal(withoutOwn(behind, ['source', 'country'], false), behind)
})

test('behind references only the member of the own field is left out', () => {
  const source = { country: { eq: 'US' }, language: { eq: 'en' }, uri: { eq: 'at://a' } }
  assert.deepEqual(withoutOwn({ source, ...en }, ['source', 'language'], false), {
    source: { country: { eq: 'US' }, uri: { eq: 'at://a' } },
    ...en,
  })
  const image = { isNull: false, credit: { eq: 'a' } }
  assert.deepEqual(withoutOwn({ image }, ['image', 'credit'], false), { image: { isNull: false } })
})

test('a condition on a record that has no member left is left out itself', () => {
  const where = { article: { source: { country: { eq: 'US' } } } }
  assert.deepEqual(withoutOwn(where, ['article', 'source', 'country'], false), {})
})

test('of a reference, the conditions on the record behind it stay', () => {
  const own = { uri: { eq: 'at://a' }, isNull: false, isIndexed: true, isCurrent: true }
  assert.deepEqual(withoutOwn({ source: { ...own, country: { eq: 'US' } } }, ['source'], true), {
    source: { country: { eq: 'US' } },
  })
  assert.deepEqual(withoutOwn({ source: own }, ['source'], true), {})
  const behind = { source: { country: { eq: 'US' } } }
  assert.equal(withoutOwn(behind, ['source'], true), behind)
})
