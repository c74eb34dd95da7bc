import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FakeConnection, startFakeServer } from '../../../test/network/fake-server.ts'
import { until } from '../../../test/support/until.ts'
import { openStream } from './stream.ts'

test('a stream tells who it is, and how it stands at every turn', async () => {
  await using given = await open()
  given.server.refuseNext(1)
  const reading = given.read()
  await until(() => given.server.connections.length >= 1)
  given.server.connections[0]!.close(1013, 'Later\n\u001b[31m\u202e')
  await until(() => given.server.connections.length >= 2)
  given.server.disconnect()
  await until(() => given.states.length >= 7)
  assert.deepEqual(given.states, [
    'connecting',
    'unavailable: The connection failed: Unexpected server response: 503.',
    'live',
    'unavailable: The server closed the connection with code 1013: Later\uFFFD\uFFFD[31m\uFFFD.',
    'live',
    'unavailable: The server closed the connection with code 1006.',
    'live',
  ])
  assert.deepEqual(new Set(given.agents), new Set(['lexigraph']))
  given.stop.abort()
  await reading
})

test('a close that says that all is done is no end', async () => {
  await using given = await open()
  const reading = given.read()
  for (const code of [1000, 1002, 1008]) {
    const before = given.server.connections.length
    await until(() => given.server.connections.at(-1)?.open === true)
    given.server.connections.at(-1)!.close(code, '')
    await until(() => given.server.connections.length > before)
  }
  given.stop.abort()
  await reading
})

test('text and bytes come as they were sent, no UTF-8 and far too large ones too, in their order', async () => {
  await using given = await open(async (connection) => {
    await connection.send('one')
    await connection.send(Uint8Array.of(2))
    await connection.send('')
    await connection.send(Uint8Array.of(0x61, 0xff, 0x62), false)
    await connection.send('x'.repeat(40_000_000))
    await connection.send(new Uint8Array(40_000_000))
    await connection.send('last')
  })
  const reading = given.read()
  await until(() => given.messages.at(-1) === 'last')
  given.stop.abort()
  await reading
  assert.deepEqual(
    given.messages.map((message) => (message.length > 10 ? message.length : message)),
    ['one', new Uint8Array([2]), '', 'a\uFFFDb', 40_000_000, 40_000_000, 'last'],
  )
  assert.deepEqual(given.states, ['connecting', 'live'])
})

test('an abort ends it without an error, before, between and in connections', async () => {
  const aborted = await open()
  aborted.stop.abort(new Error('Enough.'))
  await aborted.read()
  await aborted[Symbol.asyncDispose]()
  assert.equal(aborted.server.connections.length, 0)
  // The port is closed by now.
  const states: string[] = []
  const stop = new AbortController()
  const context = { onState: (state: string) => void states.push(state), signal: stop.signal }
  const reading = Array.fromAsync(openStream(() => new URL(`ws://${aborted.server.host}`), context))
  await until(() => states.includes('unavailable'))
  const attempts = states.length
  stop.abort()
  assert.deepEqual(await reading, [])
  // Had it waited for its next attempt, that would have failed too.
  assert.equal(states.length, attempts)
})

test('an address that cannot be told is our own fault', async () => {
  const context = { onState: () => {}, signal: new AbortController().signal }
  const stream = openStream(() => {
    throw new Error('No cursor.')
  }, context)
  await assert.rejects(stream.next(), /No cursor/)
})

async function open(serve: (connection: FakeConnection) => Promise<void> = async () => {}) {
  const agents: (string | undefined)[] = []
  const states: string[] = []
  const messages: (string | Uint8Array)[] = []
  const stop = new AbortController()
  const server = await startFakeServer({
    respond: (_request, response) => void response.end(),
    refuse: (_url, { headers }) => {
      agents.push(headers['user-agent'])
      return null
    },
    serve,
  })
  const onState = (state: string, detail: string | null): void =>
    void states.push(detail === null ? state : `${state}: ${detail}`)
  return {
    server,
    states,
    agents,
    messages,
    stop,
    read: async () => {
      const context = { onState, signal: stop.signal }
      for await (const message of openStream(() => new URL(`ws://${server.host}/`), context))
        messages.push(message)
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await server[Symbol.asyncDispose]()
    },
  }
}
