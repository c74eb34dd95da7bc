import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectionScenes, sendSlowly, slowSenders, startImpatient } from './connections.ts'

for (const sender of slowSenders) {
  test(`slow senders, ${sender.name}: ${sender.code ?? 'hung up on'}`, async () => {
    await using server = await startImpatient()
    assert.equal(await sendSlowly(server.port, sender), sender.code)
    assert.equal((await server.post({ query: '{ hello }' })).status, 200)
    assert.deepEqual(server.log, [])
  })
}

for (const { name, play } of connectionScenes) test(`connections: ${name}`, play)
