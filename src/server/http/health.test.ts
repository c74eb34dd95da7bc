import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IndexStatus } from '../../database/database.ts'
import { describePublicStatus } from './health.ts'

test('the public status contains only the fields that it names', () => {
  const collection = {
    name: 'org.example.thing',
    records: 1,
    newestIndexedAt: 1_000_000n,
    outcomes: { stored: 1 },
    rejections: 0,
    served: true,
  }
  const source = {
    name: 'tap:http://10.0.0.7:2480',
    publicName: 'main relay',
    state: 'live',
    detail: 'connect ECONNREFUSED 10.0.0.7:2480',
    cursor: '7',
    lastEventAt: null,
    lagSeconds: null,
    eventsPerSecond: 0,
  } as const
  const { detail: _, publicName: name, ...named } = source
  const told = { ...named, name }
  const status: IndexStatus = {
    collections: [collection],
    sources: [source],
    rejections: { 'invalid-record': 1 },
    keptRejections: {},
    repositories: { waiting: 2, failed: 0 },
    unfinishedPurges: 0,
  }
  const internal = { internal: 'for operators only' }
  const extended: IndexStatus = {
    ...status,
    ...internal,
    collections: [{ ...collection, ...internal }],
    sources: [{ ...source, ...internal }],
    repositories: { ...status.repositories, ...internal },
  }
  assert.deepEqual(describePublicStatus(extended), {
    ...status,
    collections: [{ ...collection, newestIndexedAt: '1970-01-01T00:00:01.000Z' }],
    sources: [told],
  })
})
