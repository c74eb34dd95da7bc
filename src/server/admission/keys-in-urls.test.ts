import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../../errors.ts'
import { createKey } from '../../util/api-key.ts'
import { assertNoKeyInUrl } from './authentication.ts'

const path = '/api/graphql'
const key = createKey()
const escape = (text: string): string => text.replaceAll(/./gs, (one) => `%${hex(one)}`)
const hex = (one: string): string => one.charCodeAt(0).toString(16).padStart(2, '0')

function assertRefused(url: string): void {
  assert.throws(
    () => assertNoKeyInUrl(url),
    (error) =>
      error instanceof ServiceError &&
      error.code === 'BAD_REQUEST' &&
      /Send it as the header X-API-Key, and have .+ replaced now\.$/.test(error.message) &&
      !error.message.includes('lgk_'),
    url.slice(0, 200),
  )
}

test('keys in URLs are refused, by their names and by their looks', () => {
  for (const name of ['api_key', 'apikey', 'key', 'x-api-key', 'apiKey', 'API-KEY', 'X_Api_Key', '%6bey'])
    for (const url of [`${path}?${name}=anything`, `${path}?a=b&${name}`, `/?${escape(name)}=`])
      assertRefused(url)
  for (const place of ['?token=', '?query=%7B__typename%7D&variables=%20', '?', '/', '#', '?a=1&', '?a=%22'])
    assertRefused(`${path}${place}${key}`)
})

test('however they are encoded', () => {
  const json = (text: string): string => text.replaceAll(/./gs, (one) => `\\u00${hex(one)}`)
  const braces = (text: string): string => text.replaceAll(/./gs, (one) => `\\u{${hex(one)}}`)
  const encodings = [
    escape,
    (text: string) => escape(text).toUpperCase(),
    (text: string) => escape(escape(escape(text))),
    (text: string) => text.replace('_', `%${'25'.repeat(2_000)}5f`),
    (text: string) => encodeURIComponent(JSON.stringify({ a: text }).replace(text, json(text))),
    (text: string) => encodeURIComponent(`{ a(b: "${braces(text)}") }`),
    (text: string) => text.replace('_', '%5Cu005f'),
  ]
  for (const encode of encodings) assertRefused(`${path}?variables=${encode(key)}`)
})

test('what is no key is let through', () => {
  for (const url of [
    path,
    '/healthz',
    `${path}?query=%7B%20key%20apiKey%20%7D&operationName=key&keys=x&extensions=%7B%7D`,
    `${path}?query=${encodeURIComponent('{ a(b: "x&key=1") }')}`,
    `${path}?query=${key.slice(0, -1)}`,
    `${path}?query=${'%25'.repeat(5_000)}`,
    `${path}?query=%`,
  ])
    assertNoKeyInUrl(url)
})
