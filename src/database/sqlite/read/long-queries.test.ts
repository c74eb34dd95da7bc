import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { getPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { echo, endless, watchReaders } from '../../../../test/support/store/long-statements.ts'
import { hasEnded, privateMemoryOf } from '../../../../test/support/processes.ts'
import { openNotes } from '../../../../test/support/records/notes.ts'
import { temporaryFolder } from '../../../../test/support/store/store.ts'
import { until } from '../../../../test/support/until.ts'
import { ServiceError } from '../../../errors.ts'
import { largestAnswer } from '../../refusals.ts'
import { LongQueries } from './long-queries.ts'
import type { PermitRequest } from '../../../util/async/fair-semaphore.ts'

const file = temporaryFolder()
const never = new AbortController().signal
const patient = request(never)

test('a process starts when there is something to do, with the priority of the one it reads for', async () => {
  const readers = watchReaders()
  await using queries = new LongQueries(await newFile('priority.db'), 2)
  assert.deepEqual(readers.all(), [])
  assert.equal(text(await queries.readAnswer(echo('sqlite', 'started'), patient)), 'started')
  assert.equal(readers.all().length, 1)
  await queries.readStatus(0n)
  const priorities = readers.all().map((pid) => getPriority(pid))
  assert.deepEqual(priorities, [getPriority(), getPriority()])
})

test('large answers are whole, and the process that reads them keeps none', async () => {
  const readers = watchReaders()
  await using queries = new LongQueries(await newFile('large.db'))
  let most = 0
  for (let n = 0; n < 100; n += 1) {
    const repeated = String.fromCharCode(97 + (n % 26))
    const statement = {
      text: `select 0 as version, cast(replace(hex(zeroblob(1000000)), '00', ?) as blob) as body`,
      values: [repeated],
    }
    const { body } = await queries.readAnswer(statement, patient)
    assert.ok(Buffer.from(body).equals(Buffer.alloc(1_000_000, repeated)), repeated)
    if (n % 10 === 9) most = Math.max(most, privateMemoryOf(onlyOne(readers.all())))
  }
  assert.ok(most < 80, `${most} MB`)
})

test('what a process has compiled is stored before it can be killed', async () => {
  const [path, folder] = [await newFile('compiled.db'), file('compile-cache')]
  const module = new URL('./long-queries.ts', import.meta.url).href
  const program = `
    import { globSync } from 'node:fs'
    import { LongQueries } from ${JSON.stringify(module)}
    const stored = () => globSync('**', { cwd: ${JSON.stringify(folder)}, withFileTypes: true }).filter((it) => it.isFile())
    const before = stored().length
    const queries = new LongQueries(${JSON.stringify(path)})
    const { signal } = new AbortController()
    await queries.readAnswer(${JSON.stringify(echo('sqlite', 'x'))}, { signal, caller: '', cost: 1, deadline: Infinity })
    console.log(before, stored().length)
    await queries[Symbol.asyncDispose]()`
  const env = { ...process.env, NODE_COMPILE_CACHE: folder }
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { env })
  const [before, after] = String(stdout).split(' ').map(Number)
  assert.equal(before, 0)
  assert.ok(Number(after) > 10, String(after))
})

test('as many statements run at a time as there are processes', async () => {
  const readers = watchReaders()
  await using queries = new LongQueries(await newFile('two.db'), 2)
  const late = new AbortController()
  const terms = request(late.signal)
  const all = [1, 2, 3].map(() => queries.readAnswer(endless('sqlite'), terms))
  await until(() => readers.busy().length === 2)
  assert.equal(readers.all().length, 2)
  late.abort(new Error('enough'))
  for (const one of all) await assert.rejects(one, /^Error: enough$/)
})

test('a plan is made while callers ask, and one that cannot be made ends nothing', async () => {
  const readers = watchReaders()
  await using queries = new LongQueries(await newFile('plan.db'))
  const late = new AbortController()
  const terms = request(late.signal)
  const outcome = queries.readAnswer(endless('sqlite'), terms).catch((error: unknown) => error)
  const busy = await until(() => readers.busy()[0])
  const statement = {
    text: 'select uri from base where id in (select id from base where did = ?)',
    values: ['x'],
  }
  const steps = await queries.explain(statement)
  assert.ok(steps.some((step) => /^S(CAN|EARCH) /.test(step)) && steps.length > 1, steps.join('\n'))
  await assert.rejects(queries.explain({ text: 'select missing', values: [] }), /no such column/)
  const [plan, { collections }] = await Promise.all([queries.explain(statement), queries.readStatus(0n)])
  assert.deepEqual(plan, steps)
  assert.equal(collections.length, 2)
  await until(() => String(readers.busy()) === String(busy))
  assert.equal(readers.all().length, 2)
  late.abort('over')
  assert.equal(await outcome, 'over')
})

test('a process that is killed by others is replaced, and what it was asked is asked again', async () => {
  const readers = watchReaders()
  await using queries = new LongQueries(await newFile('killed.db'))
  await queries.readAnswer(echo('sqlite', 'awake'), patient)
  const pid = onlyOne(readers.all())
  // So that it is asked and does not answer.
  process.kill(pid, 'SIGSTOP')
  const answer = queries.readAnswer(echo('sqlite', 'again'), patient)
  process.kill(pid, 'SIGKILL')
  assert.equal(text(await answer), 'again')
  process.kill(onlyOne(readers.all()), 'SIGKILL')
  await until(() => readers.all().length === 0)
  assert.equal(text(await queries.readAnswer(echo('sqlite', 'idle'), patient)), 'idle')
})

test('a statement that ends two processes is given up', async () => {
  const readers = watchReaders()
  await using queries = new LongQueries(await newFile('twice.db'))
  const answer = queries.readAnswer(endless('sqlite'), patient)
  const outcome = answer.catch((error: unknown) => error)
  for (const _ of [1, 2]) {
    const pid = await until(() => readers.busy()[0])
    process.kill(pid, 'SIGKILL')
    await until(() => !readers.all().includes(pid))
  }
  const error = await outcome
  assert.ok(error instanceof ServiceError, String(error))
  assert.equal(error.code, 'UNAVAILABLE')
  assert.deepEqual(error.details, { retryAfter: 1 })
  assert.match(String(error.cause), /^ProcessEndedError: .* ended with SIGKILL\.$/)
  assert.equal(text(await queries.readAnswer(echo('sqlite', 'well'), patient)), 'well')
})

test('processes that were ended with their statements are started again when there is something to do', async () => {
  const readers = watchReaders()
  await using queries = new LongQueries(await newFile('hung-up.db'), 2)
  const { pids, hangUps } = await beginTwo(queries, readers)
  for (const hangUp of hangUps) await hangUp()
  await until(() => !readers.all().some((pid) => pids.includes(pid)))
  assert.deepEqual(readers.all(), [])
  const [answer, { collections }] = await Promise.all([
    queries.readAnswer(echo('sqlite', 'again'), patient),
    queries.readStatus(0n),
  ])
  assert.equal(text(answer), 'again')
  assert.equal(collections.length, 2)
  assert.equal(readers.all().length, 2)
})

test('the next statement does not wait for a process to start while another is free', async () => {
  const readers = watchReaders()
  await using queries = new LongQueries(await newFile('free.db'), 2)
  const { pids, hangUps } = await beginTwo(queries, readers)
  await hangUps[0]()
  const [left] = await until(() => {
    const all = readers.all().filter((pid) => pids.includes(pid))
    return all.length === 1 && all
  })
  assert.equal(text(await queries.readAnswer(echo('sqlite', 'another'), patient)), 'another')
  const other = onlyOne(readers.all().filter((pid) => !pids.includes(pid)))
  // Its place is free later than that of the other.
  await hangUps[1]()
  await until(() => readers.all().every((pid) => pid !== left))
  assert.equal(text(await queries.readAnswer(echo('sqlite', 'next'), patient)), 'next')
  assert.deepEqual(readers.all(), [other])
})

test('those who wait are answered when all statements before them have been ended', async () => {
  await using queries = new LongQueries(await newFile('waiting.db'), 2)
  const { hangUps } = await beginTwo(queries, watchReaders())
  const waiting = ['a', 'b', 'c'].map((caller) =>
    queries.readAnswer(echo('sqlite', caller), request(never, caller)),
  )
  for (const hangUp of hangUps) await hangUp()
  assert.deepEqual((await Promise.all(waiting)).map(text), ['a', 'b', 'c'])
})

test('a statement that was given up but ends soon costs no process', async () => {
  const readers = watchReaders()
  await using queries = new LongQueries(await newFile('soon.db'))
  await queries.readAnswer(echo('sqlite', 'awake'), patient)
  const soon = (rows: number) => ({
    text: `with recursive n (n) as (select 1 union all select n + 1 from n limit ${rows})
      select count(*) as version, x'' as body from n`,
    values: [],
  })
  const seen = new Set<number>()
  // Some milliseconds; a busy machine takes longer over it than the process is given, and then tries a smaller one.
  let rows = 200_000
  await until(async () => {
    const late = new AbortController()
    const outcome = queries
      .readAnswer(soon((rows = Math.ceil(rows / 2))), request(late.signal))
      .catch((error: unknown) => error)
    setImmediate(() => late.abort('given up'))
    await outcome
    assert.equal(text(await queries.readAnswer(echo('sqlite', 'next'), patient)), 'next')
    const pid = onlyOne(readers.all())
    return seen.size < seen.add(pid).size ? false : pid
  })
})

test('what tells all processes of a group to end does not end a statement', async () => {
  const readers = watchReaders()
  await using queries = new LongQueries(await newFile('signals.db'))
  const late = new AbortController()
  const terms = request(late.signal)
  // One that is still starting is busy too, and ended by such a signal.
  await queries.readAnswer(echo('sqlite', 'started'), patient)
  const outcome = queries.readAnswer(endless('sqlite'), terms).catch((error: unknown) => error)
  const pid = await until(() => readers.busy()[0])
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal)
  await until(() => readers.busy().includes(pid))
  assert.deepEqual(readers.all(), [pid])
  late.abort('over')
  assert.equal(await outcome, 'over')
})

test('a file that is gone is a failure of each question, until it is there again', async () => {
  const path = await newFile('gone.db')
  rmSync(path)
  await using queries = new LongQueries(path)
  await assert.rejects(queries.readAnswer(echo('sqlite', 'x'), patient), /There is no file/)
  await newFile('gone.db')
  assert.equal(text(await queries.readAnswer(echo('sqlite', 'there'), patient)), 'there')
})

test('an answer over the limit of size is refused, and the process goes on', async () => {
  const readers = watchReaders()
  await using queries = new LongQueries(await newFile('large.db'))
  const large = { text: 'select 1 as version, zeroblob(?) as body', values: [largestAnswer + 1] }
  await assert.rejects(queries.readAnswer(large, patient), /string or blob too big/)
  const fits = { ...large, values: [8_000_000] }
  assert.equal((await queries.readAnswer(fits, patient)).body.length, 8_000_000)
  assert.equal(readers.all().length, 1)
})

for (const kill of ['SIGKILL', 'SIGTERM'] as const)
  test(`no process outlives the one it reads for, in the middle of a statement either (${kill})`, async (t) => {
    const path = await newFile(`${kill}.db`)
    const module = new URL('./long-queries.ts', import.meta.url).href
    const program = `
      import { LongQueries } from ${JSON.stringify(module)}
      const queries = new LongQueries(${JSON.stringify(path)})
      const { signal } = new AbortController()
      queries.readAnswer(${JSON.stringify(endless('sqlite'))}, { signal, caller: '', cost: 1, deadline: Infinity })
      console.log('asked')`
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => parent.kill('SIGKILL'))
    const watched = watchReaders(parent.pid)
    await once(createInterface(parent.stdout), 'line')
    const pid = await until(() => watched.busy()[0])
    parent.kill(kill)
    await until(() => hasEnded(pid))
  })

/** Two statements without an end, each in a process that had started before: one that starts is not ended. */
async function beginTwo(queries: LongQueries, readers: ReturnType<typeof watchReaders>) {
  await Promise.all(['a', 'b'].map((word) => queries.readAnswer(echo('sqlite', word), patient)))
  const begin = () => {
    const late = new AbortController()
    const answer = queries.readAnswer(endless('sqlite'), request(late.signal))
    return async (): Promise<void> => {
      late.abort(new Error('hung up'))
      await assert.rejects(answer, /^Error: hung up$/)
    }
  }
  const hangUps = [begin(), begin()] as const
  // By then both have been asked, which what they did before may look like.
  await nextTurn()
  await until(() => readers.busy().length === 2)
  return { pids: readers.all(), hangUps }
}

async function newFile(name: string): Promise<string> {
  const path = file(name)
  await (await openNotes(path))[Symbol.asyncDispose]()
  return path
}

function onlyOne([pid, ...others]: readonly number[]): number {
  assert.ok(pid !== undefined && others.length === 0)
  return pid
}

function text({ body }: { readonly body: Uint8Array }): string {
  return Buffer.from(body).toString()
}

function request(signal: AbortSignal, caller = 'somebody'): PermitRequest {
  return { signal, caller, cost: 1, deadline: Number.POSITIVE_INFINITY }
}
