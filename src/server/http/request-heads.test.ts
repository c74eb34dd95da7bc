import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headProblem, responseType } from './request-heads.ts'

const head = (httpVersion: string, ...lines: readonly (readonly [name: string, value: string])[]) =>
  headProblem({
    httpVersion,
    rawHeaders: lines.flat(),
    headers: Object.fromEntries(lines.map(([name, value]) => [name.toLowerCase(), value])),
  })?.code

test('a head of HTTP/1.1 has one Host, an older one may have none', () => {
  assert.equal(head('1.1', ['Host', 'x'], ['X-Host', 'y']), undefined)
  assert.equal(head('1.1', ['x-a', 'host']), 'BAD_REQUEST')
  assert.equal(head('1.1', ['Host', 'x'], ['HOST', 'x']), 'BAD_REQUEST')
  assert.equal(head('1.0'), undefined)
  assert.equal(head('1.0', ['host', 'x'], ['host', 'x']), 'BAD_REQUEST')
})

test('HTTP/0.9 is not spoken', () => {
  assert.equal(head('0.9'), 'BAD_REQUEST')
})

test('bodies may come in chunks, but not compressed too', () => {
  const coded = (coding: string) => head('1.1', ['host', 'x'], ['transfer-encoding', coding])
  assert.equal(coded('chunked'), undefined)
  assert.equal(coded('Chunked'), undefined)
  assert.equal(coded('gzip, chunked'), 'UNSUPPORTED_MEDIA_TYPE')
  assert.equal(coded('gzip,CHUNKED'), 'UNSUPPORTED_MEDIA_TYPE')
})

test('what comes after the first 2,000 characters of Accept is not read', () => {
  const modern = 'application/graphql-response+json'
  const types = (count: number): string => `${'a/b,'.repeat(count)}${modern}`
  assert.equal(responseType(types(400)), modern)
  assert.equal(responseType(types(500)), 'application/json')
})
