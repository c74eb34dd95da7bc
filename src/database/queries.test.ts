import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEveryDatabase } from '../../test/support/store/databases.ts'
import { echo, endless, watchReaders } from '../../test/support/store/long-statements.ts'
import { apply, noteLexicons, openNotes, put, spot } from '../../test/support/records/notes.ts'
import type { Engine } from '../../test/support/store/postgres.ts'
import { emptyDatabases } from '../../test/support/store/store.ts'
import { understand } from '../../test/support/records/understand.ts'
import { patience, until } from '../../test/support/until.ts'
import { ServiceError } from '../errors.ts'
import { errorAnswer } from '../query/execute/error-answer.ts'
import type { ReadDatabase, ReadTerms, StoredAnswer } from './database.ts'
import { openReadDatabase } from './open.ts'
import { defaultQueryOptions } from './postgres/read/servers.ts'

const newDatabase = emptyDatabases()
const never = new AbortController().signal
const largest = '9223372036854775807'

onEveryDatabase('a statement that may take long answers like any other', async (engine) => {
  await using reader = await openReader(engine)
  const { version, body } = await reader.read.readAnswer(echo(engine, 'Grüße'), long())
  assert.deepEqual([version, Buffer.from(body).toString()], [7, 'Grüße'])
})

onEveryDatabase('a statement past its time fails, and short ones answer meanwhile', async (engine) => {
  await using reader = await openReader(engine)
  const { read } = reader
  const late = new AbortController()
  const outcome = failure(read.readAnswer(endless(engine), long(late.signal)))
  await reader.underWay(1)
  let answered = 0
  for (; answered < 100; answered += 1)
    assert.equal(text(await read.readAnswer(echo(engine, 'short'), { kind: 'short' })), 'short')
  await reader.underWay(1)
  const reason = new Error('too late')
  late.abort(reason)
  assert.equal(await outcome, reason)
  assert.equal(text(await read.readAnswer(echo(engine, 'next'), long())), 'next')
  await reader.underWay(0)
})

onEveryDatabase('the status does not wait for what callers ask', async (engine) => {
  await using reader = await openReader(engine)
  const late = new AbortController()
  const outcome = failure(reader.read.readAnswer(endless(engine), long(late.signal)))
  await reader.underWay(1)
  const { collections } = await reader.read.readStatus()
  assert.deepEqual(
    collections.map(({ records }) => records),
    [0, 1],
  )
  assert.equal(typeof collections[1]?.newestIndexedAt, 'bigint')
  late.abort()
  await outcome
})

onEveryDatabase(
  'a caller that gives up before or while waiting gets the reason, and is passed over',
  async (engine) => {
    await using reader = await openReader(engine)
    const { read } = reader
    const late = new AbortController()
    const first = failure(read.readAnswer(endless(engine), long(late.signal)))
    await reader.underWay(1)
    const impatient = new AbortController()
    const waiting = failure(read.readAnswer(endless(engine), long(impatient.signal)))
    const next = read.readAnswer(echo(engine, 'next'), long())
    const reason = new Error('hung up')
    impatient.abort(reason)
    assert.equal(await waiting, reason)
    assert.equal(await failure(read.readAnswer(endless(engine), long(AbortSignal.abort(reason)))), reason)
    await reader.underWay(1)
    late.abort()
    await first
    assert.equal(text(await next), 'next')
  },
)

onEveryDatabase('callers take turns', async (engine) => {
  await using reader = await openReader(engine)
  const { read } = reader
  const late = new AbortController()
  const first = failure(read.readAnswer(endless(engine), long(late.signal)))
  await reader.underWay(1)
  const order: string[] = []
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(async (name) => {
    order.push(text(await read.readAnswer(echo(engine, name), long(never, name.slice(0, 1)))))
  })
  late.abort()
  await Promise.all([first, ...all])
  // Afterwards the order depends on what each took.
  assert.deepEqual(order.slice(0, 3), ['a1', 'b1', 'c1'])
  assert.equal(order.length, 6)
})

onEveryDatabase('what a statement fails of is the same wherever it runs', async (engine) => {
  await using reader = await openReader(engine)
  const { read } = reader
  const overflow =
    engine === 'sqlite'
      ? `select sum(n) from (select ${largest} as n union all select 1)`
      : `select ${largest} + 1`
  for (const terms of [{ kind: 'short' }, long()] as const) {
    const codes: string[] = []
    for (const broken of ['select sum_out_of_range()', overflow, 'select no_such_function()']) {
      codes.push(errorAnswer(await failure(read.readAnswer({ text: broken, values: [] }, terms))).code)
    }
    assert.deepEqual(codes, ['BAD_USER_INPUT', 'BAD_USER_INPUT', 'INTERNAL'])
    assert.equal(text(await read.readAnswer(echo(engine, 'well'), terms)), 'well')
  }
})

onEveryDatabase('closing fails what is under way and what waits', async (engine) => {
  await using reader = await openReader(engine)
  const all = [1, 2, 3].map(() => failure(reader.read.readAnswer(endless(engine), long())))
  await reader.underWay(1)
  await reader.close()
  for (const one of all) {
    const error = await one
    assert.ok(error instanceof ServiceError && error.code === 'UNAVAILABLE', String(error))
  }
  await reader.underWay(0)
})

onEveryDatabase('giving up again and again leaves nothing behind', async (engine) => {
  const unhandled: unknown[] = []
  const note = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', note)
  await using reader = await openReader(engine)
  const { read } = reader
  for (let round = 0; round < 8; round += 1) {
    const late = new AbortController()
    const all = [1, 2, 3].map(() => failure(read.readAnswer(endless(engine), long(late.signal))))
    // Also before anything runs.
    if (round % 2 === 0) await reader.underWay(1)
    late.abort(new Error('enough'))
    for (const one of all) assert.equal((await one)?.message, 'enough')
  }
  assert.equal(text(await read.readAnswer(echo(engine, 'still here'), long())), 'still here')
  await reader.underWay(0)
  process.off('unhandledRejection', note)
  assert.deepEqual(unhandled, [])
})

test('what is in memory is read here, where a statement that has begun cannot be ended', async () => {
  await using store = await openNotes(':memory:')
  const { read } = store.database
  assert.equal(text(await read.readAnswer(echo('sqlite', 'here'), long())), 'here')
  const reason = new Error('gone')
  assert.equal(
    await failure(read.readAnswer(echo('sqlite', 'here'), long(AbortSignal.abort(reason)))),
    reason,
  )
})

interface TestReader extends AsyncDisposable {
  readonly read: ReadDatabase
  /** Resolves when so many endless statements run, wherever that is. */
  readonly underWay: (count: number) => Promise<unknown>
  /** Before its end, when it is done by itself. */
  readonly close: () => Promise<void>
}

/** Of a database with one note, that runs one statement at a time which may take long. */
async function openReader(engine: Engine): Promise<TestReader> {
  const url = await newDatabase(engine)
  const store = await openNotes(url)
  await apply(store, put(store, spot('a'), 0))
  const { fingerprint } = understand(noteLexicons, {}).set
  const read = await openReadDatabase(url, {
    fingerprint,
    now: () => 1_770_000_000_000_000n,
    reading: { ...defaultQueryOptions, poolSize: 2, statementTimeout: patience },
  })
  const readers = watchReaders()
  const count = async (): Promise<number> => {
    if (engine === 'sqlite') return readers.busy().length
    const running = `select count(*) as n from pg_stat_activity
      where datname = current_database() and state = 'active' and query like '%1000000000000%' and pid <> pg_backend_pid()`
    const [row] = await store.rows(running)
    return Number(row?.n)
  }
  let closed: Promise<void> | null = null
  const close = (): Promise<void> => {
    closed ??= Promise.resolve(read[Symbol.asyncDispose]())
    return closed
  }
  return {
    read,
    close,
    underWay: (expected) => until(async () => (await count()) === expected),
    async [Symbol.asyncDispose]() {
      await close()
      await store[Symbol.asyncDispose]()
    },
  }
}

function long(signal = never, caller = 'somebody'): ReadTerms {
  return { kind: 'long', signal, caller, cost: 1, deadline: Number.POSITIVE_INFINITY }
}

function text({ body }: StoredAnswer): string {
  return Buffer.from(body).toString()
}

/** What a query fails with. */
function failure(query: Promise<unknown>): Promise<Error | undefined> {
  return query.then(
    () => undefined,
    (error: Error) => error,
  )
}
