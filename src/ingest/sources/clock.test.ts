import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createClock } from './clock.ts'

const { signal } = new AbortController()

test('the clock of this machine is wrong if that of a server is further ahead than clocks may differ', async (t) => {
  const table: [stream: Answer, directory: Answer, doubt: RegExp | null][] = [
    [{ ahead: 300 }, { ahead: 0 }, null],
    [{ ahead: 301 }, { ahead: 0 }, /^The clock of stream\.test is 301 seconds ahead of this machine's\./],
    [{ ahead: -301 }, { ahead: -299 }, null],
    [{ ahead: -301 }, { ahead: 0 }, null],
    [{ ahead: -301 }, { ahead: -9_000 }, /^The clock of stream\.test is 301 seconds behind this machine's\./],
    ['away', { ahead: -301 }, /^The clock of plc\.test is 301 seconds behind/],
    [{ ahead: 400 }, { ahead: 500 }, /^The clock of plc\.test is 500 seconds ahead/],
    [{ ahead: 500 }, { ahead: 400 }, /^The clock of stream\.test is 500 seconds ahead/],
    [{ ahead: 0, age: 301 }, { ahead: 0 }, /^The clock of stream\.test is 301 seconds ahead/],
    [{}, { ahead: 0 }, null],
    [
      {},
      'away',
      /could not be compared .* stream\.test does not say the time\. plc\.test could not be asked: away\./,
    ],
  ]
  const answers: Record<string, Answer> = {}
  const { open } = mockClocks(t, answers)
  for (const [stream, directory, doubt] of table) {
    Object.assign(answers, { 'https://stream.test/': stream, 'https://plc.test/': directory })
    const said = await open().doubt('https://stream.test/path', signal)
    if (doubt === null) assert.equal(said, null)
    else assert.match(said ?? '', doubt)
    // Without an event from the future only a clock that can be compared is in doubt.
    const isKnown = [stream, directory].some((one) => one !== 'away' && one.ahead !== undefined)
    assert.equal(await open().doubt('https://stream.test/path', signal, false), isKnown ? said : null)
  }
})

test('a clock that was right is compared again after a minute, or when it was set', async (t) => {
  const answers: Record<string, Answer> = { 'https://plc.test/': { ahead: 0 } }
  const { open, asked, pass, set } = mockClocks(t, answers)
  const clock = open()
  const look = () => clock.doubt(null, signal)
  await look()
  pass(59_999)
  await look()
  assert.equal(asked(), 1)
  pass(1)
  await look()
  assert.equal(asked(), 2)
  set(1_000)
  await look()
  assert.equal(asked(), 3)
  answers['https://plc.test/'] = { ahead: 301 }
  set(-1_000)
  for (const count of [4, 5]) {
    assert.notEqual(await look(), null)
    assert.equal(asked(), count)
  }
})

test('without an event from the future clocks are compared once, and again when one was set', async (t) => {
  const answers: Record<string, Answer> = { 'https://plc.test/': 'away' }
  const { open, asked, pass, set } = mockClocks(t, answers)
  const clock = open()
  const look = async (count: number) => {
    const doubt = await clock.doubt(null, signal, false)
    assert.equal(asked(), count)
    return doubt
  }
  await look(1)
  await look(1)
  // One that could not be compared is tried again.
  answers['https://plc.test/'] = { ahead: 0 }
  pass(60_000)
  assert.equal(await look(2), null)
  pass(9_000_000)
  assert.equal(await look(2), null)
  for (const [step, says] of [
    [400_000, /behind/],
    [-800_000, /ahead of/],
  ] as const) {
    answers['https://plc.test/'] = { ahead: -step / 1_000 - (step < 0 ? 400 : 0) }
    set(step)
    assert.match((await look(asked() + 1)) ?? '', says)
  }
  answers['https://plc.test/'] = { ahead: 0 }
  assert.equal(await look(asked() + 1), null)
})

/** What a server's `Date` and `Age` headers say, in seconds. */
type Answer = 'away' | { readonly ahead?: number; readonly age?: number }

function mockClocks(t: TestContext, answers: Readonly<Record<string, Answer>>) {
  let [wall, monotonic] = [1_800_000_000_000, 0]
  t.mock.method(Date, 'now', () => wall)
  t.mock.method(performance, 'now', () => monotonic)
  const { mock } = t.mock.method(globalThis, 'fetch', async (url: URL) => {
    const answer = answers[url.href]
    if (answer === undefined || answer === 'away') throw new Error(answer)
    const { ahead, age } = answer
    const headers = new Headers()
    if (ahead !== undefined) headers.set('date', new Date(wall + ahead * 1_000).toUTCString())
    if (age !== undefined) headers.set('age', String(age))
    return new Response(null, { headers })
  })
  return {
    open: () => createClock({ maxClockSkew: 300, plcUrl: 'https://plc.test' }),
    asked: () => mock.callCount(),
    pass: (milliseconds: number) => {
      wall += milliseconds
      monotonic += milliseconds
    },
    set: (milliseconds: number) => {
      wall += milliseconds
    },
  }
}
