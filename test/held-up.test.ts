/** What is short on a server that something holds up, such as a lock: nobody waits longer than they may, or want. */
import assert from 'node:assert/strict'
import pg from 'pg'
import type { Answered } from '../src/server/admission/request-context.ts'
import type { Json } from './reference/shapes.ts'
import { someCaller } from './support/service/callers.ts'
import { onPostgres } from './support/store/databases.ts'
import { unchargedLimits } from './support/service/engine.ts'
import { type HttpServer, startServer } from './support/server/http-server.ts'
import { note, noteLexicons, spot, uriOf } from './support/records/notes.ts'
import { freshDatabase } from './support/store/postgres.ts'
import { openTestService, type TestService } from './support/service/service.ts'
import { until } from './support/until.ts'

/** Every connection of the pool, and some that wait for one. */
const many = 13
const known = '{ orgExampleNote(first: 5) { nodes { text } } }'
const limitOfHurried = 1_200
/** May take long. */
const searching = '{ orgExampleNote(where: {text: {eq: "a"}}) { nodes { text } } }'

onPostgres('past its time a request is told so in the words of its tier', async () => {
  await using held = await openHeld({ seconds: 1 })
  await using _lock = await held.lock()
  for (const query of [known, searching]) {
    const response = await held.server.post({ query })
    assert.equal(response.status, 504)
    const [error] = ((await response.json()) as Json).errors
    assert.equal(error.extensions.code, 'TIMEOUT')
    assert.equal(error.extensions.limit, 1)
    assert.match(error.message, /longer than the 1 s that the tier "public" has/)
  }
  assert.deepEqual(
    held.answered.map(({ outcome }) => outcome),
    ['TIMEOUT', 'TIMEOUT'],
  )
})

onPostgres('who hangs up leaves nothing behind, and all connections can be used', async () => {
  await using held = await openHeld({ seconds: 3_600 })
  {
    await using lock = await held.lock()
    const late = new AbortController()
    const body = JSON.stringify({ query: known })
    const headers = { 'content-type': 'application/json' }
    let asked = 0
    const ask = async (): Promise<unknown> => {
      asked += 1
      const { status } = await fetch(`${held.server.url}/api/graphql`, {
        method: 'POST',
        headers,
        body,
        signal: late.signal,
      })
      // That there was no connection in five seconds, on a machine that makes them so slowly.
      return status === 503 ? ask() : status
    }
    const all = Array.from({ length: many }, () => ask().catch(() => 'gone'))
    await until(async () => (await lock.waiting()) === 10 && held.asked() === asked)
    late.abort()
    assert.deepEqual(new Set(await Promise.all(all)), new Set(['gone']))
    await until(() => held.answered.length === held.asked())
    // The server would not have ended them by itself for an hour.
    await until(async () => (await lock.waiting()) === 0)
  }
  const answers = await Promise.all(Array.from({ length: many }, () => held.server.post({ query: known })))
  for (const answer of answers)
    assert.deepEqual(((await answer.json()) as Json).data.orgExampleNote.nodes, [{ text: 'a' }])
})

onPostgres('what a signal says is the answer', async () => {
  await using held = await openHeld({})
  await using lock = await held.lock()
  const late = new AbortController()
  let over = 0
  const answer = held.service.engine.execute(
    { query: known },
    {
      ...unchargedLimits,
      startLong: () => assert.fail('It took a turn.'),
      startShort: () => ({ signal: late.signal, [Symbol.dispose]: () => void (over += 1) }),
    },
  )
  await until(async () => (await lock.waiting()) === 1)
  assert.equal(over, 0)
  const reason = new Error('given up')
  late.abort(reason)
  const given = await answer
  assert.ok(given.kind === 'errors')
  assert.equal(given.cause, reason)
  assert.equal(over, 1)
  await until(async () => (await lock.waiting()) === 0)
})

onPostgres('what cannot end in time is rejected at once, and costs no more than the request', async () => {
  await using held = await openHeld({ seconds: 3_600 })
  await using lock = await held.lock()
  const late = new AbortController()
  const headers = { 'content-type': 'application/json' }
  // All connections that may take long are busy.
  const others = Array.from({ length: 5 }, (_, caller) =>
    fetch(`${held.server.url}/api/graphql`, {
      method: 'POST',
      headers: { ...headers, 'x-api-key': `other ${caller}` },
      body: JSON.stringify({ query: searching }),
      signal: late.signal,
    }).catch(() => 'gone'),
  )
  await until(async () => (await lock.waiting()) === 5)
  const ask = () => held.server.post({ query: searching }, { 'x-api-key': 'hurried' })
  // Nobody knows yet how long they take; a second later this is known.
  let computed = 0
  const response = await until(async () => {
    const answer = await ask()
    if (answer.status === 503) return answer
    assert.equal(answer.status, 504)
    computed += 1
    return null
  })
  assert.ok(Number(response.headers.get('retry-after')) >= 1)
  const [error] = ((await response.json()) as Json).errors
  assert.equal(error.extensions.code, 'UNAVAILABLE')
  assert.match(error.message, /^The service is busy with operations that take long/)
  const rejected = held.answered.find(({ limit }) => limit === 'overload')
  assert.equal(rejected?.outcome, 'UNAVAILABLE')
  const spent = limitOfHurried - Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1])
  const price = rejected?.report?.points ?? 0
  assert.ok(price > 1, `The price is ${price}.`)
  assert.equal(spent, computed * price + 1, 'of the last only the request counts')
  late.abort()
  await Promise.all(others)
})

interface Held extends AsyncDisposable {
  readonly service: TestService
  readonly server: HttpServer
  /** How many requests have come. */
  readonly asked: () => number
  readonly answered: readonly Answered[]
  readonly lock: () => Promise<Lock>
}

/** Nobody reads the notes while it lasts. */
interface Lock extends AsyncDisposable {
  /** How many of the server's processes wait for it. */
  readonly waiting: () => Promise<number>
}

/** A service with one note, which was read already. */
async function openHeld(tier: { readonly seconds?: number }): Promise<Held> {
  const database = await freshDatabase()
  const service = await openTestService({
    lexicons: noteLexicons,
    records: [{ uri: uriOf(spot('a')), value: { $type: note, text: 'a' } }],
    database: new URL(database.url),
  })
  await service.data(known)
  assert.equal(service.opened.lastKind(), 'short')
  let asked = 0
  const answered: Answered[] = []
  const server = await startServer({
    engine: service.engine,
    authenticate: (key) =>
      key === 'hurried'
        ? someCaller({ id: key, pointsPerMinute: limitOfHurried, pointsPerQuery: 1_000, seconds: 1 })
        : someCaller({
            id: String(key),
            pointsPerMinute: null,
            pointsPerQuery: 1_000,
            concurrent: 1,
            ...tier,
          }),
    observer: { asked: () => void (asked += 1), answered: (one) => void answered.push(one) },
  })
  return {
    service,
    server,
    asked: () => asked,
    answered,
    lock: () => lockNotes(database.url),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

async function lockNotes(url: string): Promise<Lock> {
  const client = new pg.Client(url)
  // The server may end it with its database.
  client.on('error', () => undefined)
  await client.connect()
  await client.query(`begin; lock table lexigraph_records."org.example.note" in access exclusive mode`)
  return {
    async waiting() {
      const { rows } = await client.query(
        `select count(distinct pid)::int as n from pg_locks
         where not granted and database = (select oid from pg_database where datname = current_database())`,
      )
      return Number(rows[0]?.n)
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}
