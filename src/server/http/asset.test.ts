import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { buildSchema } from 'graphql'
import { addSchemaRoute, schemaPath } from './app.ts'
import { createAsset, createTextAsset } from './asset.ts'

test('an asset is compressed once for all who ask for it', async () => {
  const asset = createAsset('text/plain', Buffer.from('text '.repeat(1_000)))
  assert.equal(await asset.zipped(), await asset.zipped())
})

test('a text is hashed and compressed again only when it has changed', () => {
  const assetOf = createTextAsset('text/plain')
  const asset = assetOf('a')
  assert.equal(assetOf('a'), asset)
  assert.equal(assetOf('b').plain.toString(), 'b')
})

test('all who ask for the schema are sent the same bytes', async () => {
  const app = fastify()
  const sent: unknown[] = []
  app.addHook('onSend', async (_request, _reply, payload) => void sent.push(payload))
  addSchemaRoute(app, buildSchema('type Query { hello: String }'))
  for (const encoding of ['identity', 'gzip'])
    for (let time = 0; time < 2; time += 1)
      await app.inject({ url: schemaPath, headers: { 'accept-encoding': encoding } })
  await app.close()
  assert.equal(sent.length, 4)
  assert.ok(Buffer.isBuffer(sent[0]) && Buffer.isBuffer(sent[2]))
  assert.equal(sent[0], sent[1])
  assert.equal(sent[2], sent[3])
})
