import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canTrace, losePower } from '../../../test/support/store/power-loss.ts'
import { temporaryFolder } from '../../../test/support/store/store.ts'
import { open, thing } from '../../../test/support/records/things.ts'

const inFolder = temporaryFolder()
const skip = !canTrace && 'needs strace, which tells what is synced'

for (const [what, isNew] of [
  ['a new file that loses its power before its first checkpoint', true],
  ['a file that is followed once more and loses its power', false],
] as const)
  test(`${what} has all that its cursor says`, { skip }, async () => {
    const [path, rest] = [inFolder(`${isNew}.db`), inFolder(`${isNew}-rest.db`)]
    if (!isNew) await (await open(path, [thing({})]))[Symbol.asyncDispose]()
    await losePower(path, rest, { batches: 5, durability: 'usual' })
    const { cursor, records } = await stateOf(rest)
    assert.notEqual(cursor, null)
    assert.equal(records, Number(cursor))
  })

test('what was acknowledged survives a loss of power', { skip }, async () => {
  const [path, rest] = [inFolder('durable.db'), inFolder('durable-rest.db')]
  await losePower(path, rest, { batches: 5, durability: 'durable' })
  assert.deepEqual(await stateOf(rest), { cursor: '5', records: 5 })
})

test('a load that has ended survives a loss of power, although a reader holds up the checkpoint', {
  skip,
}, async () => {
  const [path, rest] = [inFolder('load.db'), inFolder('load-rest.db')]
  await (await open(path, [thing({})]))[Symbol.asyncDispose]()
  await losePower(path, rest, { batches: 5, durability: 'load' })
  assert.deepEqual(await stateOf(rest), { cursor: null, records: 5 })
})

async function stateOf(path: string): Promise<{ cursor: string | null; records: number }> {
  await using store = await open(path, [thing({})])
  const cursor = await store.metadata.readCursor('live')
  const [check] = await store.rows('pragma integrity_check')
  assert.deepEqual(check, { integrity_check: 'ok' })
  return { cursor, records: (await store.rows('select 1 from "org.example.thing"')).length }
}
