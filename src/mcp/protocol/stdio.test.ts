/** Lines of standard input that are not messages, among messages. */
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { AskError } from '../../ask/ask-error.ts'
import { newsParts } from '../../../test/mcp/agent-server.ts'
import { mostMessageBytes } from './message.ts'
import { createAgentServers } from './server.ts'
import { serveOnStdio } from './stdio.ts'

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }

test('a line that is not a message is answered by a JSON-RPC error, and the next one as usual', async () => {
  await using server = await start()
  server.write(`${JSON.stringify(initialize)}\n`)
  assert.equal((await server.next()).result.protocolVersion, '2025-11-25')
  const cases: readonly (readonly [string | Buffer, number, number | string | null, RegExp])[] = [
    ['no message', -32700, null, /Invalid JSON/],
    [Buffer.from([0x22, 0xff, 0x22]), -32700, null, /not valid UTF-8/],
    [`[${JSON.stringify(ping)}]`, -32600, null, /Batches are not taken/],
    ['['.repeat(300), -32600, null, /nests 300 levels/],
    ['x'.repeat(mostMessageBytes + 1), -32600, null, /over the limit of 262144 bytes/],
    ['{"hello":1}', -32600, null, /not a JSON-RPC/],
    ['{"jsonrpc":"1.0","id":"a","method":"ping"}', -32600, 'a', /not a JSON-RPC/],
    ['{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', -32600, 7, /not a JSON-RPC/],
  ]
  for (const [line, code, id, message] of cases) {
    server.write(line)
    server.write('\r\n')
    const answer = await server.next()
    assert.deepEqual([answer.id, answer.error?.code], [id, code], String(line).slice(0, 80))
    assert.match(answer.error.message, message)
    server.write(`\n  \n${JSON.stringify(ping)}\r\n`)
    assert.deepEqual(await server.next(), { jsonrpc: '2.0', id: 2, result: {} })
  }
})

test('answers of a client are never answered, and a message may come in pieces', async () => {
  await using server = await start()
  server.write('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"No."}}\n{"result":1}\n')
  const text = `${JSON.stringify(initialize)}\n`
  for (const byte of Buffer.from(text)) server.write(Buffer.from([byte]))
  assert.equal((await server.next()).id, 1)
})

test('the server ends with its input', async () => {
  const server = await start()
  server.write(JSON.stringify(initialize))
  await server[Symbol.asyncDispose]()
})

test('calls under way are answered after the input has ended, unless they are cancelled', async () => {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()]
  let calls = 0
  const server = await start(() => {
    calls += 1
    if (calls === 2) asked.resolve()
    return answered.promise
  })
  server.write(`${JSON.stringify(initialize)}\n`)
  await server.next()
  for (const id of ['cancelled', 'answered']) {
    const params = { name: 'run_graphql', arguments: { query: '{ __typename }' } }
    server.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`)
  }
  const params = { requestId: 'cancelled' }
  server.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params })}\n`)
  await asked.promise
  const ended = server[Symbol.asyncDispose]()
  let hasEnded = false
  void ended.then(() => (hasEnded = true))
  // A server that does not wait has ended by then.
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate)
  assert.equal(hasEnded, false)
  answered.reject(new AskError('No answer.'))
  const answer = await server.next()
  assert.deepEqual([answer.id, answer.result.content[0].text], ['answered', 'No answer.'])
  await ended
})

async function start(ask: () => Promise<never> = () => assert.fail('Nothing is asked.')) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const endpoint = { ask }
  const servers = createAgentServers({ ...(await newsParts()), endpoint })
  const served = serveOnStdio(servers, { input, output }, new AbortController().signal, () => undefined)
  const lines = readLines(output)
  return {
    write: (bytes: string | Buffer) => void input.write(bytes),
    next: async () => JSON.parse((await lines.next()).value as string),
    async [Symbol.asyncDispose]() {
      input.end()
      await served
    },
  }
}

async function* readLines(stream: PassThrough): AsyncGenerator<string> {
  let text = ''
  for await (const piece of stream) {
    text += String(piece)
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    yield* lines
  }
}
