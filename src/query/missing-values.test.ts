/** `isNull`, and other conditions that say no more than that: constants where nothing can be missing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../test/reference/shapes.ts'
import { onEveryDatabase } from '../../test/support/store/databases.ts'
import { createPlanner } from '../../test/support/store/plans.ts'
import { openTestService } from '../../test/support/service/service.ts'
import { recordLexicon } from '../../test/support/store/store.ts'
import type { Condition } from './plan/conditions.ts'

const text = { type: 'string', maxGraphemes: 3000, maxLength: 30000 }
const size = { type: 'integer' }
const lexicon = recordLexicon(
  'org.example.parcel',
  {
    title: text,
    note: text,
    size,
    sentAt: { type: 'string', format: 'datetime' },
    kind: { type: 'string', maxLength: 5000, knownValues: ['letter'] },
    lost: text,
    box: { type: 'ref', ref: '#box' },
    tags: { type: 'array', items: { type: 'string', maxLength: 64 } },
  },
  {
    record: {
      required: ['title', 'size', 'sentAt', 'kind', 'box', 'tags', 'lost'],
      nullable: ['lost'],
    },
    defs: { box: { type: 'object', required: ['height'], properties: { height: size, width: size } } },
  },
)

const alwaysTrue: Condition = { kind: 'all', of: [] }
const nothing: Condition = { kind: 'any', of: [] }
const plan = createPlanner([lexicon])

function planned(where: Json): Condition {
  const query =
    'query ($where: OrgExampleParcelWhereInput) { orgExampleParcel(where: $where) { nodes { uri } } }'
  const output = plan(query, { where }).roots[0]?.output
  if (output?.kind !== 'list') throw new Error('This is no list.')
  return output.list.where
}

test('what every record has is never missing, and nothing is read to know it', () => {
  const system = ['uri', 'cid', 'did', 'rkey', 'collection', 'indexedAt', 'changedAt']
  for (const field of [...system, 'title', 'size', 'sentAt', 'box', 'tags']) {
    assert.deepEqual(planned({ [field]: { isNull: true } }), nothing, field)
    assert.deepEqual(planned({ [field]: { isNull: false } }), alwaysTrue, field)
    assert.deepEqual(planned({ NOT: { [field]: { isNull: true } } }), alwaysTrue, field)
    assert.deepEqual(planned({ OR: [{ size: { gt: 1 } }, { [field]: { isNull: false } }] }), alwaysTrue)
    assert.deepEqual(planned({ size: { gt: 1 }, AND: [{ [field]: { isNull: true } }] }), nothing)
  }
  assert.deepEqual(planned({ box: { height: { isNull: false } } }), alwaysTrue)
  for (const field of [...system.slice(0, 5), 'title']) {
    assert.deepEqual(planned({ [field]: { notIn: [] } }), alwaysTrue, field)
    assert.deepEqual(planned({ [field]: { contains: '' } }), alwaysTrue, field)
    assert.deepEqual(planned({ [field]: { in: [] } }), nothing, field)
  }
})

test('what may be null, or too long for its index, is looked at', () => {
  for (const where of [{ note: {} }, { lost: {} }, { kind: {} }, { box: { width: {} } }]) {
    const [[field, inner]] = Object.entries(where) as [[string, Json]]
    const asked =
      field === 'box' ? { box: { width: { isNull: true } } } : { [field]: { ...inner, isNull: true } }
    assert.equal(planned(asked).kind, 'missing', field)
  }
})

onEveryDatabase('whether a text is missing is told without its record where it can be', async (database) => {
  const line = (key: string, value: Json) => ({
    uri: `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/org.example.parcel/${key}`,
    value: {
      $type: 'org.example.parcel',
      title: key,
      size: 1,
      sentAt: '2026-01-01T00:00:00Z',
      kind: 'letter',
      lost: null,
      box: { height: 1 },
      tags: [],
      ...value,
    },
  })
  const notes = { short: 'Short', long: 'Long '.repeat(300), empty: '' }
  await using service = await openTestService({
    lexicons: [lexicon],
    records: [line('none', {}), ...Object.entries(notes).map(([key, note]) => line(key, { note }))],
    database,
  })
  const found = async (where: Json): Promise<string> => {
    const query = `query ($where: OrgExampleParcelWhereInput) {
      list: orgExampleParcel(where: $where, sortBy: [{field: rkey}]) { nodes { rkey } } }`
    const { list } = await service.data(query, { where })
    return list.nodes.map(({ rkey }: { rkey: string }) => rkey).join(' ')
  }
  assert.equal(await found({ note: { isNull: true } }), 'none')
  assert.equal(await found({ note: { isNull: false } }), 'empty long short')
  assert.equal(await found({ note: { contains: '' } }), 'empty long short')
  assert.equal(await found({ NOT: { note: { isNull: false } } }), 'none')
  assert.equal(await found({ note: { isNull: false, contains: 'LONG' } }), 'long')
  assert.equal(await found({ lost: { isNull: true }, title: { notIn: [] } }), 'empty long none short')
  const { sql } = await service.engine.explain({
    query: '{ orgExampleParcel(where: {note: {isNull: true}}) { nodes { rkey } } }',
  })
  assert.match(sql ?? '', /"\.note:folded" is null/)
})
