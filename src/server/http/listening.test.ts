/** Listening at addresses and at names, of which some mean several addresses. */
import assert from 'node:assert/strict'
import dns, { type LookupAddress } from 'node:dns'
import { test } from 'node:test'
import fastify from 'fastify'
import { listenAt } from './listening.ts'

test('a name of two addresses is listened to at one', async (t) => {
  await using app = fastify()
  // As on machines where `localhost` is in the hosts file for IPv6 too.
  const both = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]
  type Callback = (error: null, addresses: readonly LookupAddress[]) => void
  const systems = dns.lookup
  t.mock.method(dns, 'lookup', (name: string, options: dns.LookupAllOptions, callback: Callback) =>
    options.all === true && name === 'localhost'
      ? setImmediate(callback, null, both)
      : Reflect.apply(systems, dns, [name, options, callback]),
  )
  await listenAt(app, { host: 'localhost', port: 0 })
  assert.equal(app.addresses().length, 1)
})

test('addresses and names are listened at', async () => {
  for (const [host, expected] of [
    ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['localhost', /^http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/],
  ] as const) {
    await using app = fastify()
    assert.match(await listenAt(app, { host, port: 0 }), expected)
  }
  await using app = fastify()
  await assert.rejects(listenAt(app, { host: 'nowhere.invalid', port: 0 }), { code: /ENOTFOUND|EAI_AGAIN/ })
})
