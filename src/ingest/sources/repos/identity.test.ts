import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import dns from 'node:dns/promises'
import { once } from 'node:events'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { unicastLookup } from '@atproto-labs/fetch-node'
import { P256Keypair, Secp256k1Keypair } from '@atproto/crypto'
import { type Directory, startDirectory } from '../../../../test/support/network/directory.ts'
import { refuse, startRepoHost } from '../../../../test/support/network/repo-host.ts'
import { patience } from '../../../../test/support/until.ts'
import { createIdentity, IdentityError } from './identity.ts'

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const minute = 60_000
const key = (await Secp256k1Keypair.create()).did()

test('an account is what its DID document says', async () => {
  const key = (await P256Keypair.create()).did()
  await using given = await open({ did, key, handle: 'Alice.test', pds: 'https://pds.test:8443/' })
  assert.deepEqual(await given.identity.account(did), {
    did,
    signingKey: key,
    pds: 'https://pds.test:8443',
    handle: 'Alice.test',
  })
})

test('a document may lack everything but its DID, or have a key that is none', async () => {
  await using given = await open()
  given.directory.documents.set(did, { id: did })
  assert.deepEqual(await given.identity.account(did), { did, signingKey: null, pds: null, handle: null })
  const other = 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb'
  given.directory.add({ did: other, key: 'did:key:zQ3shNoKey' })
  assert.equal((await given.identity.account(other)).signingKey, null)
})

test('requests within an hour share one lookup', async () => {
  await using given = await open({ did, key })
  await Promise.all(Array.from({ length: 20 }, () => given.identity.account(did)))
  given.pass(59 * minute)
  await given.identity.account(did)
  assert.equal(given.directory.asked.length, 1)
  given.pass(minute)
  await given.identity.account(did)
  assert.equal(given.directory.asked.length, 2)
})

test('news of an account are asked for at most once a minute', async () => {
  await using given = await open({ did, key })
  const { account, forget } = given.identity
  await account(did)
  await account(did, { fresh: true })
  assert.equal(given.directory.asked.length, 2)
  await account(did, { fresh: true })
  forget(did)
  await account(did)
  assert.equal(given.directory.asked.length, 2)
  given.pass(minute)
  forget(did)
  await account(did)
  await account(did, { fresh: true })
  assert.equal(given.directory.asked.length, 3)
})

test('a failure is remembered for a minute', async () => {
  await using given = await open()
  await assert.rejects(given.identity.account(did), IdentityError)
  await assert.rejects(given.identity.account(did), IdentityError)
  assert.equal(given.directory.asked.length, 1)
  given.directory.add({ did, key })
  given.pass(minute)
  assert.equal((await given.identity.account(did)).did, did)
})

test('while the directory is away, what it said before holds, but not as news', async () => {
  await using given = await open({ did, key })
  const before = await given.identity.account(did)
  given.directory.documents.set(did, 503)
  await assert.rejects(given.identity.account(did, { fresh: true }), IdentityError)
  assert.deepEqual(await given.identity.account(did), before)
  given.pass(60 * minute)
  assert.deepEqual(await given.identity.account(did), before)
  given.pass(minute)
  given.directory.documents.set(did, 410)
  await assert.rejects(given.identity.account(did), IdentityError)
})

test('a failure says whether it may pass', async () => {
  const answers: readonly (readonly [answer: object | string | number, passing: boolean, message: RegExp])[] =
    [
      [404, false, /^There is no DID document of did:plc:a+\.$/],
      [410, false, /could not be fetched: Gone\.$/],
      [429, true, /Too Many Requests/],
      [500, true, /Internal Server Error/],
      ['<html>', true, /could not be fetched: /],
      [{ id: 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb' }, false, /Poorly formatted DID Document/],
      [{ id: did, service: 7 }, false, /Poorly formatted DID Document/],
      ['null', false, /no DID document/],
    ]
  for (const [answer, passing, message] of answers) {
    await using given = await open()
    given.directory.documents.set(did, answer)
    await fails(given.identity.account(did), passing, message)
  }
  await using nobody = await open()
  await nobody.directory[Symbol.asyncDispose]()
  await fails(nobody.identity.account(did), true, /ECONNREFUSED/)
})

test('what is no DID, or one of a method that does not exist here, stays so', async () => {
  await using given = await open()
  const final = [
    'alice.test',
    'did:key:zQ3sh',
    'did:web:example.org:path',
    'did:web:%',
    'did:plc',
    '../x',
    'did:web:a b',
  ]
  for (const text of final) await fails(given.identity.account(text), false, /DID|did/)
  assert.deepEqual(given.directory.asked, [])
})

test('a domain is an account too', async () => {
  await using given = await open()
  const web = `did:web:localhost%3A${new URL(given.directory.url).port}`
  given.directory.documents.set('.well-known/did.json', { id: web })
  assert.equal((await given.identity.account(web)).did, web)
  given.directory.documents.set('.well-known/did.json', 500)
  given.pass(60 * minute)
  assert.equal((await given.identity.account(web)).did, web)
})

test('a handle holds when both directions agree', async () => {
  await using service = await startRepoHost()
  for (const [handle, leadsTo] of Object.entries({
    'alice.test': did,
    'odd.test': 'nobody',
    'bob.test': 'did:plc:b',
  }))
    service.handles.set(handle, leadsTo)
  await using given = await open({ did, key, handle: 'ALICE.test' }, service.url)
  const { resolveHandle, verifiedHandle } = given.identity
  assert.equal(await verifiedHandle(did), 'alice.test')
  assert.deepEqual(
    [await resolveHandle('Alice.Test'), await resolveHandle('odd.test'), await resolveHandle('none.test')],
    [did, null, null],
  )
  for (const handle of ['bob.test', 'none.test', 'handle.invalid', 'no handle', '127.0.0.1', 'localhost']) {
    given.directory.add({ did, key, handle })
    given.pass(minute)
    assert.equal(await verifiedHandle(did), null, handle)
  }
  const asked = service.asked.map((request) => request.split('handle=')[1]?.split('.')[0]).toSorted()
  assert.deepEqual(asked, ['alice', 'alice', 'bob', 'none', 'none', 'odd'])
})

test('a handle is not taken away because a service is away', async () => {
  await using service = await startRepoHost()
  service.faults.push((response) => refuse(response, 503, 'Away'))
  await using given = await open({ did, key, handle: 'alice.test' }, service.url)
  await fails(
    given.identity.verifiedHandle(did),
    true,
    /alice\.test could not be looked up at .*: it answered with status 503\.$/,
  )
  given.directory.documents.set(did, 503)
  given.pass(minute)
  await fails(given.identity.verifiedHandle(did), true, /could not be fetched/)
  given.directory.documents.set(did, 404)
  given.pass(minute)
  assert.equal(await given.identity.verifiedHandle(did), null)
})

test('a domain that does not answer is told from one that has no such handle', async (context) => {
  const txt = new Map<string, string | number>()
  await using names = await startNameServer(txt)
  const servers = dns.getServers()
  dns.setServers([names.address])
  context.after(() => dns.setServers(servers))
  let site: () => Promise<Response> = () => Promise.reject(new TypeError('fetch failed'))
  const { fetch } = globalThis
  context.mock.method(globalThis, 'fetch', (url: string | URL | Request, init?: RequestInit) =>
    String(url).startsWith('https://alice.test/') ? site() : fetch(url, init),
  )
  await using given = await open({ did, key: (await P256Keypair.create()).did(), handle: 'alice.test' })
  const { resolveHandle, verifiedHandle } = given.identity
  const answers = (status: number, body: string) => async () => new Response(body, { status })
  const down = (code: string) => () =>
    Promise.reject(new TypeError('fetch failed', { cause: new Error(`getaddrinfo ${code} alice.test`) }))
  const noSuchName = 3
  const outage = 2

  txt.set('_atproto.alice.test', `did=${did}`)
  assert.equal(await resolveHandle('alice.test'), did)
  for (const record of [noSuchName, 'another record']) {
    txt.set('_atproto.alice.test', record)
    for (const [says, found] of [
      [answers(200, `${did}\n`), did],
      [answers(200, '<html>'), null],
      [answers(404, ''), null],
      [down('ENOTFOUND'), null],
    ] as const) {
      site = says
      assert.equal(await resolveHandle('alice.test'), found)
    }
    for (const says of [answers(503, ''), down('ECONNREFUSED'), down('EAI_AGAIN')]) {
      site = says
      await fails(resolveHandle('alice.test'), true, /alice\.test could not be looked up at its domain: /)
    }
  }
  txt.set('_atproto.alice.test', outage)
  site = answers(404, '')
  await fails(verifiedHandle(did), true, /at its domain: .*ESERVFAIL/)
  site = answers(200, did)
  assert.equal(await resolveHandle('alice.test'), did)
})

test('on the public network no private address is reached', async () => {
  await using given = await open()
  const { port } = new URL(given.directory.url)
  const { account, fetch } = createIdentity({ plcUrl: 'https://plc.directory', handleResolver: null })
  const addresses = ['127.0.0.1', '%5B%3A%3A1%5D', '%5B%3A%3A7f00%3A1%5D', '%5B%3A%3Affff%3A7f00%3A1%5D']
  for (const host of ['localhost', ...addresses]) {
    await assert.rejects(account(`did:web:${host}%3A${port}`), IdentityError)
    await assert.rejects(fetch(`http://${decodeURIComponent(host)}:${port}/`))
    await assert.rejects(
      fetch(`https://${decodeURIComponent(host)}:${port}/`),
      host === 'localhost' ? /fetch failed/ : /Invalid hostname/,
    )
  }
  assert.deepEqual(given.directory.asked, [])
  // The names of these addresses are their own.
  for (const address of ['::127.0.0.1', '::10.0.0.1', '::ffff:127.0.0.1', '64:ff9b::127.0.0.1'])
    await assert.rejects(promisify(unicastLookup)(address, { family: 6 }), /non-unicast/, address)
  const answer = await given.identity.fetch(given.directory.url)
  assert.equal(answer.status, 404)
})

async function open(account?: Parameters<Directory['add']>[0], handleResolver: string | null = null) {
  const directory = await startDirectory(...(account === undefined ? [] : [account]))
  let now = 1_000
  return {
    directory,
    identity: createIdentity(
      { plcUrl: directory.url, handleResolver, timeoutMs: patience },
      { now: () => now },
    ),
    pass: (time: number) => {
      now += time
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

async function fails(promise: Promise<unknown>, passing: boolean, message: RegExp): Promise<void> {
  await assert.rejects(promise, (error: unknown) => {
    assert.ok(error instanceof IdentityError)
    assert.match(error.message, message)
    assert.equal(error.shouldRetry(), passing, error.message)
    return true
  })
}

/** A server of names: texts by name, or the code of a failure (https://www.rfc-editor.org/rfc/rfc1035#section-4.1.1). */
async function startNameServer(texts: ReadonlyMap<string, string | number>) {
  const socket = createSocket('udp4')
  socket.on('message', (query, { address, port }) => {
    const labels: string[] = []
    let end = 12
    for (let length = query[end] ?? 0; length > 0; length = query[end] ?? 0) {
      labels.push(query.toString('latin1', end + 1, end + 1 + length))
      end += 1 + length
    }
    const text = texts.get(labels.join('.').toLowerCase()) ?? 3
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(0x8180 | (typeof text === 'number' ? text : 0), 2)
    header.set([0, 1, 0, typeof text === 'number' ? 0 : 1, 0, 0, 0, 0], 4)
    const parts = [header, query.subarray(12, end + 5)]
    // The name asked for, TXT, IN, not to be remembered.
    if (typeof text === 'string')
      parts.push(
        Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, 0, text.length + 1, text.length]),
        Buffer.from(text),
      )
    socket.send(Buffer.concat(parts), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  }
}
