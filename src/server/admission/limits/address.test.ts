import assert from 'node:assert/strict'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import fastify from 'fastify'
import { isLoopback, networkOf, parseTrustedProxies } from './address.ts'

test('an address of IPv4 is counted as it is, however it is written', () => {
  const prefixes = ['', '::ffff:', '::', '::ffff:0:', '64:ff9b::']
  const written = ['192.0.2.7', '[::c000:207]', '0:0:0:0:0:ffff:c000:207', '192.0.2.7:54321']
  for (const address of [...prefixes.map((prefix) => `${prefix}192.0.2.7`), ...written])
    assert.equal(networkOf(address), '192.0.2.7', address)
  for (const address of ['::1', '::', '1::192.0.2.7']) assert.match(networkOf(address), /::\/64$/)
})

test('a host is local that no other machine can name', () => {
  for (const host of ['localhost', '::1', '127.0.0.9', '::7f00:1', '::ffff:127.0.0.1'])
    assert.ok(isLoopback(host), host)
  for (const host of ['', '0.0.0.0', '::', '127.evil.example', 'localhost.evil.example', '::ffff:10.0.0.1'])
    assert.ok(!isLoopback(host), host)
})

test('all addresses of a network of 64 bits are one caller', () => {
  const addresses = [
    '2001:db8:0:7::1',
    '2001:0DB8:0000:0007:ffff:ffff:ffff:ffff',
    '2001:db8:0:7::',
    '[2001:db8:0:7::1]:54321',
    '[2001:db8:0:7::1]',
    '2001:db8:0:7::192.0.2.7',
  ]
  for (const address of addresses) assert.equal(networkOf(address), '2001:db8:0:7::/64', address)
  assert.equal(networkOf('2001:db8:0:8::1'), '2001:db8:0:8::/64')
})

test('a zone is no part of an address', () => {
  assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64')
})

test('a socket file is local, and what is no address is all one caller', () => {
  assert.equal(networkOf(undefined), 'local')
  assert.equal(networkOf(''), 'local')
  for (const nonsense of [
    'unknown',
    '_hidden',
    '1.2.3',
    '0x7f.1',
    '2130706433',
    '1.2.3.4.5',
    '::1::',
    '[',
    '[]:1',
    'a'.repeat(9_000),
  ])
    assert.equal(networkOf(nonsense), 'unknown', nonsense)
})

test('trusted proxies are addresses, networks and names of groups', () => {
  assert.deepEqual(
    parseTrustedProxies(' 10.0.0.7, 10.0.0.0/8 ,fd00::/8,::1,loopback,linklocal,uniquelocal,'),
    ['10.0.0.7', '10.0.0.0/8', 'fd00::/8', '::1', 'loopback', 'linklocal', 'uniquelocal'],
  )
})

test('each trusted proxy that is none is a sentence', () => {
  assert.throws(() => parseTrustedProxies('10.0.0.0/33, proxy.example, ::/0'), {
    message: [
      '--trusted-proxies: "10.0.0.0/33" is no network; after the slash comes a number from 1 to 32.',
      '--trusted-proxies: "proxy.example" is no address; write one such as 10.0.0.7, a network such as 10.0.0.0/8 or fd00::/8, or loopback, linklocal, uniquelocal.',
      '--trusted-proxies: "::/0" is no network; after the slash comes a number from 1 to 128.',
    ].join('\n'),
  })
  assert.throws(() => parseTrustedProxies(' , '), {
    message: '--trusted-proxies names nobody; leave it out to believe nobody.',
  })
  for (const wrong of [
    '10.1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    'true',
    '*',
    'fe80::1%eth0',
  ])
    assert.throws(() => parseTrustedProxies(wrong), /^Error: --trusted-proxies: /, wrong)
})

const forwarded: readonly (readonly [what: string, trusted: string | null, ...headers: string[]])[] = [
  ['without a trusted proxy nobody is believed about an address', null, '192.0.2.7'],
  ['a proxy that is not trusted is not believed', '10.0.0.0/8', '192.0.2.7'],
  ['a trusted proxy is believed', 'loopback', '192.0.2.7'],
  ['what the caller wrote before a proxy does not count', 'loopback', '198.51.100.1, 192.0.2.7'],
  ['nor if it looks trusted', 'loopback', '127.0.0.1, 192.0.2.7'],
  ['nor in a header of its own', 'loopback', '198.51.100.1', '192.0.2.7'],
  [
    'of several trusted proxies in a row, the last that is not trusted is the caller',
    'loopback,10.0.0.0/8',
    '198.51.100.1, 192.0.2.7, 10.0.0.3, 10.0.0.2',
  ],
]
for (const [what, trusted, ...headers] of forwarded)
  test(what, async () => {
    const expected = trusted?.startsWith('loopback') ? '192.0.2.7' : '127.0.0.1'
    assert.equal(await seenAs(trusted, headers), expected)
  })

test('nonsense from a trusted proxy is one caller, and breaks nothing', async () => {
  for (const nonsense of ['', ' , ,', 'unknown', '1.2.3.4.5', '\'"><script>', 'for=192.0.2.7'])
    assert.match(await seenAs('loopback', [nonsense]), /^(unknown|127\.0\.0\.1|local)$/, nonsense)
})

/** What a caller is counted as that sends these as X-Forwarded-For, by a server that trusts these proxies. */
async function seenAs(trusted: string | null, headers: readonly string[]): Promise<string> {
  const app = fastify({ trustProxy: trusted === null ? false : parseTrustedProxies(trusted) })
  app.get('/', (request) => ({ network: networkOf(request.ip) }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(`GET / HTTP/1.0\r\n${headers.map((header) => `X-Forwarded-For: ${header}\r\n`).join('')}\r\n`)
  const answer = Buffer.concat(await socket.toArray()).toString()
  await app.close()
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).network
}
