import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { drawIcon, icons } from './icon.ts'

test('the icon is a small PNG by value', () => {
  const [{ src, sizes } = { src: '', sizes: [''] }] = icons
  const [, data = ''] = /^data:image\/png;base64,(.+)$/.exec(src) ?? []
  assert.deepEqual(Buffer.from(data, 'base64'), drawIcon(4))
  assert.deepEqual(sizes, ['64x64'])
  // Revision 2026-07-28 repeats what a server says of itself in each answer.
  assert.ok(src.length < 400, `${src.length} characters`)
})

test('an icon has as many rows of pixels as its head says', () => {
  const icon = drawIcon(2)
  assert.deepEqual([icon.readUInt32BE(16), icon.readUInt32BE(20)], [32, 32])
  const at = icon.indexOf('IDAT')
  const pixels = inflateSync(icon.subarray(at + 4, at + 4 + icon.readUInt32BE(at - 4)))
  assert.equal(pixels.length, 32 * 33)
})
