/** `serve` in several processes: who answers, what becomes of callers when one dies, and what holds over all. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { runProgram, type Service, startProgram, startService } from './network/service.ts'
import type { Json } from './reference/shapes.ts'
import { onPostgres } from './support/store/databases.ts'
import { postgresUrl } from './support/store/postgres.ts'
import { childrenOf, hasEnded, isStopped, signalIfThere } from './support/processes.ts'
import { longTest, someForms } from './support/rounds.ts'
import { patience, until } from './support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'lexigraph-workers-'))
const database = join(folder, 'records.db')
const records = join(folder, 'records.jsonl')
const tiers = join(folder, 'tiers.json')
const generous = join(folder, 'generous.json')
const oneAtOnce = join(folder, 'one-at-once.json')
const pointsPerMinute = 60

before(async () => {
  const lines = Array.from(buildDemoCorpus(), (record) => `${JSON.stringify(record)}\n`)
  writeFileSync(records, lines.filter((_, index) => index % 3 === 0).join(''))
  // What a busy machine answers late is not ended before.
  const seconds = 600
  writeFileSync(tiers, JSON.stringify({ public: { pointsPerMinute, pointsPerQuery: 50, seconds } }))
  writeFileSync(generous, JSON.stringify({ public: { pointsPerMinute: 1_000_000_000, seconds } }))
  writeFileSync(
    oneAtOnce,
    JSON.stringify({ public: { pointsPerMinute: null, pointsPerQuery: 1_000, concurrent: 1, seconds } }),
  )
  await fill(database)
})
after(() => rmSync(folder, { recursive: true }))

/** For tests in a row that leave its workers alone; the last one ends it. */
let shared: Service

test('connections go to all workers in turn', async () => {
  shared = await serveTwo(database)
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(shared)))
  assert.equal(new Set(answers.map(({ worker }) => worker)).size, 2)
})

test('a signal that reaches the workers stops none of them', async () => {
  const workers = workersOf(shared)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    for (const worker of workers) process.kill(worker, signal)
  for (let request = 0; request < 20; request++) assert.equal((await ask(shared)).status, 200)
  assert.deepEqual(workersOf(shared), workers)
})

test('while the process above them hangs, workers answer on the connections that they have', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  await ask(shared, '{ __typename }', agent)
  process.kill(shared.pid, 'SIGSTOP')
  for (let request = 0; request < 3; request++)
    assert.equal((await ask(shared, '{ __typename }', agent)).status, 200)
  agent.destroy()
  process.kill(shared.pid, 'SIGCONT')
})

test('workers end when the process above them is killed', async () => {
  const workers = workersOf(shared)
  assert.equal(workers.length, 2)
  await shared.kill('SIGKILL')
  await until(() => workers.every(hasEnded))
})

test('workers that are killed are replaced, and callers of the others see nothing of it', async () => {
  await using service = await serveTwo(database, '--tiers', generous)
  const callers = await twoCallers(service)
  const [victim] = workersOf(service) as [number]
  process.kill(victim, 'SIGKILL')
  await service.said(/A worker ended by SIGKILL and is replaced\.\n/)
  const broken = await until(() => callers.find(({ failures }) => failures() > 0))
  const [other] = callers.filter((caller) => caller !== broken) as [Caller]
  const before = other.answers()
  await untilAnswered(service, ({ worker }) => worker !== other.worker)
  await until(() => other.answers() > before + 20)
  assert.equal(other.failures(), 0)
  for (const caller of callers) await caller.stop()

  // The last one that listens is killed while its successor starts, which has to listen at the same port.
  const [first, second] = workersOf(service) as [number, number]
  process.kill(first, 'SIGKILL')
  await until(() => workersOf(service).some((worker) => worker !== first && worker !== second))
  process.kill(second, 'SIGKILL')
  await service.said(/ended by SIGKILL[^]+ended by SIGKILL[^]+ended by SIGKILL/)
  await untilAnswered(service, ({ status }) => status === 200)
  await service.stop()
})

longTest('a worker that is killed while a connection is handed to it is replaced', {}, async () => {
  const env = { NODE_OPTIONS: `--import ${new URL('support/preloaded/read-late.ts', import.meta.url)}` }
  await using service = await startService(serveArgs(database), { env })
  const [victim] = workersOf(service) as [number]
  process.kill(victim, 'SIGSTOP')
  // It is given one of them and does not take it; the other worker answers the rest.
  let answers = 0
  const request = () => get(service.url, { agent: false }, () => answers++).on('error', () => {})
  const requests = Array.from({ length: 4 }, request)
  await until(() => answers === 3)
  process.kill(service.pid, 'SIGUSR2')
  await service.said(/Channels are read after the end of a worker\.\n/)
  process.kill(victim, 'SIGKILL')
  await service.said(/A worker ended by SIGKILL and is replaced\.\n/)
  for (const one of requests) one.destroy()
  await untilAnswered(service, ({ status }) => status === 200)
  await service.stop()
})

test('a request of a worker that is killed no longer counts as one that is worked on', async () => {
  await using service = await serveTwo(database, '--tiers', oneAtOnce)
  let texts = 0
  // Another one each time, whose statement takes long by what it looks at.
  const search = (timeout?: number) => {
    texts += 1
    const counts = Array.from({ length: 8 }, (_, n) => {
      const where = `{description: {contains: "q${texts}x${n}"}}`
      return `a${n}: techServiceNewsArticle(where: ${where}) { totalCount }`
    })
    return ask(service, `{ ${counts.join(' ')} }`, false, timeout)
  }
  // A worker starts a reader with its first search, and one that starts later would not be stopped.
  const searched = new Set<string>()
  await until(async () => {
    const { status, worker } = await search()
    return status === 200 && searched.add(worker).size === 2
  })
  const readers = workersOf(service).flatMap(childrenOf)
  const signalReaders = (signal: 'SIGSTOP' | 'SIGCONT'): void => {
    for (const reader of readers) signalIfThere(reader, signal)
  }
  // Of three at once one is refused, even where both workers count for themselves because the process above them was
  // held up, and another waits for a reader.
  const others = await until(async () => {
    signalReaders('SIGSTOP')
    await until(() => readers.every(isStopped))
    const three = [search(), search(), search()]
    const [first, index] = await Promise.race(
      three.map((one, at) => one.then((answer) => [answer, at] as const)),
    )
    if (first.status === 429) return { settled: Promise.allSettled(three.toSpliced(index, 1)) }
    signalReaders('SIGCONT')
    await Promise.all(three)
    return null
  })
  for (const worker of workersOf(service)) process.kill(worker, 'SIGKILL')
  assert.ok((await others.settled).some(({ status }) => status === 'rejected'))
  signalReaders('SIGCONT')
  // Repeated for the same reason as in `untilAnswered`.
  await until(async () => (await search(5_000).catch(() => null))?.status === 200)
  await service.stop()
})

longTest('workers that die early again and again end the service, after longer pauses', {}, async () => {
  const preloaded = new URL('support/preloaded/tell-pauses.ts', import.meta.url)
  await using service = await startService(serveArgs(database), {
    env: { NODE_OPTIONS: `--import ${preloaded}` },
  })
  let isOver = false
  // Not beyond the end, when another process may have its id.
  const killing = until(() => {
    if (!isOver) for (const worker of workersOf(service)) signalIfThere(worker, 'SIGKILL')
    return isOver
  })
  assert.equal(await service.ended, 1)
  isOver = true
  await killing
  assert.match(
    service.stderr(),
    /\n5 workers in a row ended soon after their start, the last by SIGKILL\.\n$/,
  )
  const pauses = Array.from(service.stderr().matchAll(/^Pause: (\d+) ms\.$/gm), ([, pause]) => Number(pause))
  assert.deepEqual(pauses.slice(-4), [200, 400, 800, 1_600])
})

longTest('what a tier has in a minute holds over all workers, to the point', {}, async () => {
  const { status, headers } = await until(async () => {
    await using service = await serveTwo(database, '--tiers', tiers)
    return await spendAll([service])
  })
  assert.equal(status, 429)
  assert.match(String(headers.ratelimit), /^"public";r=0;t=\d+$/)
  assert.equal(headers['ratelimit-policy'], `"public";q=${pointsPerMinute};w=60`)
  assert.match(String(headers['retry-after']), /^[1-9]\d?$/)
})

onPostgres('what a tier has in a minute holds over all nodes of a database, to the point', async () => {
  await until(async () => {
    const url = await postgresUrl()
    await using first = await startService([...serveArgs(url, someForms([1, 2]).at(-1)), '--tiers', tiers])
    await using second = await startService([...serveArgs(url, 1), '--tiers', tiers])
    return await spendAll([first, second])
  })
})

test('told to stop, workers answer what is in flight and lose no question of those who ask again and again', async () => {
  // With a terminal they are told more.
  for (const isTerminal of someForms([true, false])) {
    await using service = await serveTwo(database, '--tiers', generous)
    let answers = 0
    const asking = Array.from({ length: 6 }, async (_, index) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      for (;;) {
        const { status, headers, body } = await ask(service, index < 3 ? '{ __typename }' : searching, agent)
        assert.equal(status, 200, JSON.stringify(body))
        // The last answer says that it is the last.
        if (headers.connection === 'close') return
        answers += 1
      }
    })
    await until(() => answers > 60)
    const requests = [await begin(service), await begin(service), await begin(service)]
    // In a terminal, Ctrl+C is for all processes.
    if (isTerminal) for (const worker of workersOf(service)) process.kill(worker, 'SIGINT')
    process.kill(service.pid, 'SIGINT')
    await service.said(/Stopping: requests in flight are answered first/)
    for (const finish of requests) assert.match(await finish(), /HTTP\/1\.1 200 OK[^]+"__typename":"Query"/)
    await Promise.all(asking)
    assert.equal(await service.ended, 0)
    assert.doesNotMatch(service.stderr(), /replaced/)
  }
})

test('what keeps all workers from answering is told once', async () => {
  const args = ['serve', '--database', database, '--workers', '2', '--port', '0']
  for (const [wrong, exit, sentence] of [
    [
      ['--host', '192.0.2.1'],
      1,
      /^192\.0\.2\.1 is no address of this machine; --host takes one, such as 127\.0\.0\.1 or 0\.0\.0\.0\.\n$/,
    ],
    [['--trusted-proxies', 'x'], 2, /^--trusted-proxies: "x" is no address; [^\n]+\n$/],
  ] as const) {
    const { stderr, status } = await runProgram([...args, ...wrong])
    assert.equal(status, exit)
    assert.match(stderr, sentence)
  }
})

test('a signal while workers start ends the service', async () => {
  const args = ['serve', '--database', database, '--workers', '2', '--port', '0']
  await until(async () => {
    await using program = startProgram(args)
    await until(() => childrenOf(program.pid).length > 0)
    // What it has said by now is read first.
    await setImmediate()
    // They have started before this process came to look.
    if (/answers at/.test(program.stderr())) return false
    const status = await program.kill('SIGTERM')
    // They have started before the signal reached them.
    if (/answers at/.test(program.stderr())) return false
    assert.equal(status, 0)
    assert.doesNotMatch(program.stderr(), /replaced/)
    return true
  })
})

test('a database in memory is served by one process', async () => {
  await using service = await startService(['serve', '--database', 'sqlite::memory:', '--workers', '4'])
  assert.deepEqual(workersOf(service), [])
})

async function fill(url: string): Promise<void> {
  const { stderr, status } = await runProgram(['import', '--database', url, records])
  assert.equal(status, 0, stderr)
}

function serveTwo(url: string, ...more: readonly string[]): Promise<Service> {
  return startService([...serveArgs(url), ...more])
}

function serveArgs(url: string, workers = 2): readonly string[] {
  return ['serve', '--database', url, '--workers', `${workers}`, '--request-log', 'none']
}

function workersOf(service: Pick<Service, 'pid'>): readonly number[] {
  return childrenOf(service.pid)
}

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Json
  /** Something that tells workers apart. */
  readonly worker: string
}

/** Asks on new connections. Nobody answers one handed to a worker as it died: github.com/nodejs/node/issues/21746 */
async function untilAnswered(service: Service, isWanted: (answer: Answer) => boolean): Promise<void> {
  await until(() => ask(service, '{ __typename }', false, 5_000).then(isWanted, () => false))
}

/** On a connection of its own, unless there is an agent. Fails when nobody answers it for a while. */
async function ask(
  { url }: Service,
  query = '{ __typename }',
  agent: Agent | false = false,
  timeout = patience,
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeout)
  const request = get(`${url}/api/graphql?query=${encodeURIComponent(query)}`, { agent, signal })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const { statusCode: status = 0, headers } = response
  const worker = String(headers['x-request-id']).replace(/-[^-]+$/, '')
  return { status, headers, body: (await json(response)) as Json, worker }
}

type Caller = Awaited<ReturnType<typeof twoCallers>>[number]

/** Each asks one worker, again and again, until a connection fails. */
async function twoCallers(service: Service) {
  const start = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { worker } = await ask(service, '{ __typename }', agent)
    const stopped = new AbortController()
    let answers = 0
    let failures = 0
    const run = async (): Promise<void> => {
      while (!stopped.signal.aborted && failures === 0) {
        const answer = await ask(service, '{ __typename }', agent).catch(() => null)
        if (answer?.status === 200 && answer.worker === worker) answers += 1
        else failures += 1
      }
    }
    const running = run()
    const stop = (): Promise<void> => {
      stopped.abort()
      return running.finally(() => agent.destroy())
    }
    return { worker, answers: () => answers, failures: () => failures, stop }
  }
  const [first, second] = [await start(), await start()]
  assert.notEqual(first.worker, second.worker)
  return [first, second]
}

const searching = '{ techServiceNewsArticle(where: {title: {contains: "a"}}) { totalCount } }'
const queries = [
  '{ __typename }',
  '{ techServiceNewsArticle(first: 20) { nodes { uri } } }',
  '{ a: techServiceNewsArticle(first: 100) { nodes { uri title } } b: techServiceNewsArticle(first: 100) { nodes { uri title } } }',
]

/**
 * Spends all points that can be had, and resolves to the refusal that follows; null when they were more than there are.
 * On a machine that was held up they may be: a worker that waits a second for an answer about points counts for itself,
 * and when the minute is over there are new points. That they never are otherwise, `shared-limits.test.ts` holds.
 */
async function spendAll(services: readonly Service[]): Promise<Answer | null> {
  let spent = 0
  const spend = async (service: Service, query?: string): Promise<Answer> => {
    const answer = await ask(service, query)
    const { status, body } = answer
    if (status === 200) spent += body.extensions.cost
    else assert.equal(body.errors[0].extensions.code, 'RATE_LIMITED', JSON.stringify(body))
    return answer
  }
  const spendEach = (...asked: readonly string[]): Promise<readonly Answer[]> =>
    Promise.all(services.flatMap((service) => asked.map((query) => spend(service, query))))
  for (let wave = 0; wave < 5; wave++) await spendEach(...queries, ...queries)
  // What one holds for the caller, others are given soon after.
  await until(async () => {
    await spendEach('{ __typename }')
    return spent >= pointsPerMinute
  })
  const [refused] = await spendEach('{ __typename }')
  return spent === pointsPerMinute ? (refused ?? null) : null
}

/** Begins a request, and returns how to send the rest of it and to read the answer. */
async function begin({ url }: Service): Promise<() => Promise<string>> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const body = JSON.stringify({ query: '{ __typename }' })
  socket.write(
    `POST /api/graphql HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\n` +
      `content-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
  )
  let received = ''
  socket.setEncoding('utf8').on('data', (more: string) => (received += more))
  const ended = once(socket, 'close')
  // The server's "100 Continue" tells that the request has begun.
  await once(socket, 'data')
  return async () => {
    socket.write(body)
    await ended
    return received
  }
}
