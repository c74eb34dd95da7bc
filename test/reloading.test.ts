/** New connections are answered while workers restart one by one to load the lexicons of a rebuilt index. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { runProgram, type Service, startService } from './network/service.ts'
import { childrenOf, isAsleep, isStopped } from './support/processes.ts'
import { rounds } from './support/rounds.ts'
import { temporaryFolder } from './support/store/store.ts'
import { size, thing } from './support/records/things.ts'
import { patience, until } from './support/until.ts'

const inFolder = temporaryFolder()
const nothing = inFolder('nothing.jsonl')
writeFileSync(nothing, '')

test('while workers load other lexicons, one after the other, every new connection is answered', async () => {
  await using started = await serveTwo('again-and-again')
  const { service, rebuild } = started
  const before = childrenOf(service.pid)
  const end = new AbortController()
  const callers = Array.from({ length: rounds(3) }, async () => {
    while (!end.signal.aborted) await askHealth(service)
  })
  await rebuild()
  await until(() => {
    const workers = childrenOf(service.pid)
    return workers.length === 2 && workers.every((worker) => !before.includes(worker))
  })
  await service.query('{ orgExampleThing { nodes { text } } }')
  end.abort()
  await Promise.all(callers)
  await service.stop()
})

test('a connection that is on its way to a worker that stops is answered by another', async () => {
  await using started = await serveTwo('on-its-way')
  const { service, rebuild } = started
  const agents = Array.from({ length: 4 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  let hangUps = 0
  for (const agent of agents) {
    await askHealth(service, agent)
    const [socket] = Object.values(agent.freeSockets).flat()
    socket?.once('close', () => (hangUps += 1))
  }
  // The primary tells this worker to stop first. While both are suspended, new connections wait for the primary.
  const [first] = childrenOf(service.pid).toSorted((a, b) => a - b) as [number]
  process.kill(first, 'SIGSTOP')
  await until(() => isStopped(first))
  await rebuild()
  await service.said(/the service loads them again\.\n/)
  await until(() => isAsleep(service.pid))
  process.kill(service.pid, 'SIGSTOP')
  await until(() => isStopped(service.pid))
  const { hostname, port } = new URL(service.url)
  let answers = 0
  for (let request = 0; request < 4; request++) {
    const socket = connect(Number(port), hostname)
    socket.write(`GET /healthz HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`)
    socket.on('data', (data) => (answers += Number(data.includes('HTTP/1.1 200 OK'))))
    await once(socket, 'connect')
  }
  process.kill(first, 'SIGCONT')
  await until(() => hangUps > 0)
  process.kill(service.pid, 'SIGCONT')
  await until(() => answers === 4)
  for (const agent of agents) agent.destroy()
  await service.stop()
})

/** Two workers, and what changes their lexicons and rebuilds the index for these in another process. */
async function serveTwo(name: string) {
  const lexicons = inFolder(name)
  mkdirSync(lexicons)
  const write = (properties: object): void =>
    writeFileSync(join(lexicons, 'thing.json'), JSON.stringify(thing(properties)))
  const database = ['--database', inFolder(`${name}.db`), '--lexicons', lexicons]
  const load = async (): Promise<void> => {
    const { status, stderr } = await runProgram(['import', nothing, ...database])
    assert.equal(status, 0, stderr)
  }
  write(size)
  await load()
  const service = await startService(['serve', '--workers', '2', '--request-log', 'none', ...database])
  const rebuild = (): Promise<void> => {
    write({ ...size, text: { type: 'string' } })
    return load()
  }
  return { service, rebuild, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

/** On a connection of its own without an agent. Fails when it is refused, or not answered for a while. */
async function askHealth({ url }: Service, agent: Agent | false = false): Promise<void> {
  const request = get(`${url}/healthz`, { agent, signal: AbortSignal.timeout(patience) })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 200)
  await once(response.resume(), 'end')
}
