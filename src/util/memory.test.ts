import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LRUCache } from 'lru-cache'
import { atMost } from './memory.ts'

test('a cache has room for so many entries, and none in advance', () => {
  const cache = new LRUCache<number, string>(atMost(2))
  for (const key of [1, 2, 3]) cache.set(key, 'x')
  assert.deepEqual([...cache.keys()], [3, 2])
  // What `max` says is allocated at once.
  assert.equal(cache.max, 0)
})
