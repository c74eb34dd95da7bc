import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAllowedPicture } from './pictures.ts'

test('only whole addresses of allowed hosts are shown as pictures', () => {
  const hosts = ['img.example', '*.cdn.example']
  for (const [address, isAllowed] of [
    ['https://img.example/a.png', true],
    ['https://a.cdn.example/a.png', true],
    ['https://other.example/a.png', false],
    ['http://img.example/a.png', false],
    ['https:img.example/a.png', false],
    ['https:/img.example/a.png', false],
    ['//img.example/a.png', false],
    ['img.example/a.png', false],
  ] as const)
    assert.equal(isAllowedPicture(address, hosts), isAllowed, address)
})
