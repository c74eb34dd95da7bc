/** Keys as operators make and end them: the program as a process, beside others that have the database open. */
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readKey } from '../src/util/api-key.ts'
import { type Outcome, runProgram, startProgram } from './network/service.ts'
import type { Json } from './reference/shapes.ts'
import { commandsInTurn, printed } from './support/server/commands.ts'
import { onOneDatabase } from './support/store/databases.ts'
import { emptyDatabases, temporaryFolder } from './support/store/store.ts'

const emptyUrl = emptyDatabases()
const inFolder = temporaryFolder()
const runInTurn = commandsInTurn()
const research = ['--tier', 'research']
const instant = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`

onOneDatabase('a key is printed alone, once, and of it only a hash is kept', async (engine) => {
  const database = await emptyIndex(await emptyUrl(engine))
  const { stdout, stderr, status } = await keys(database, ['create', '--name', ' Zeitung Ä ', ...research])
  assert.equal(status, 0, stderr)
  const key = readKey(stdout)
  assert.equal(stdout, `${key}\n`)
  const [listed] = await list(database)
  assert.equal(
    stderr,
    `The key is shown only now; its id is ${listed?.id}. Callers send it as the header X-API-Key.\n`,
  )
  assert.match(String(listed?.id), /^[a-z2-9]{8}$/)
  assert.match(String(listed?.createdAt), new RegExp(`^${instant}$`))
  const { id: _id, createdAt: _createdAt, ...told } = listed ?? {}
  const named = { name: 'Zeitung Ä', contact: null, tier: 'research', state: 'active' }
  assert.deepEqual(told, { ...named, expiresAt: null, revokedAt: null })
  const table = await keys(database, ['list'])
  assert.match(
    table.stdout,
    new RegExp(
      `^id        name       tier      created                   state\n${listed?.id}  Zeitung Ä  research  ${instant}  active\n$`,
    ),
  )
  const everything = await run(database, ['export'])
  assert.doesNotMatch(table.stdout + table.stderr + everything, new RegExp(String(key)))
})

onOneDatabase('a key is rotated with a grace, and without one', async (engine) => {
  const database = await emptyIndex(await emptyUrl(engine))
  const { id } = await create(database)
  const first = await keys(database, ['rotate', id, '--grace', '48'])
  assert.equal(first.stdout, `${readKey(first.stdout)}\n`)
  assert.match(
    first.stderr,
    new RegExp(
      `^The key is shown only now; its id is [a-z2-9]{8}\\..+\nThe key ${id} \\(a\\): ends ${instant}\\.\n$`,
    ),
  )
  const [old, next] = await list(database)
  assert.deepEqual(
    [old?.id, old?.state, next?.state, next?.name, next?.tier],
    [id, 'ends', 'active', 'a', 'research'],
  )
  const grace = Date.parse(String(old?.expiresAt)) - Date.parse(String(next?.createdAt))
  assert.ok(Math.abs(grace - 48 * 3_600_000) < 60_000)

  const { stdout, stderr } = await keys(database, ['rotate', String(next?.id), '--grace', '0', '--json'])
  const made = JSON.parse(stdout)
  assert.deepEqual({ ...made, id: '', key: '' }, { id: '', name: 'a', tier: 'research', key: '' })
  assert.ok(readKey(made.key))
  assert.match(stderr, new RegExp(`The key ${next?.id} \\(a\\): ended ${instant}\\.\n$`))
  assert.deepEqual(
    (await list(database)).map(({ state }) => state),
    ['ends', 'ended', 'active'],
  )
  const again = await keys(database, ['rotate', String(next?.id)])
  assert.match(
    again.stderr,
    new RegExp(
      `^The key ${next?.id} \\(a\\) was replaced already: ended ${instant}\\. \`lexigraph keys list\` shows by which, of the same name\\.\n$`,
    ),
  )
  assert.deepEqual([again.stdout, again.status], ['', 1])
  const inGrace = await keys(database, ['rotate', id])
  assert.match(inGrace.stderr, new RegExp(`^The key ${id} \\(a\\) was replaced already: ends ${instant}\\.`))
  assert.deepEqual([inGrace.stdout, inGrace.status], ['', 1])
  assert.equal((await list(database)).length, 3)
})

onOneDatabase('a key has a contact and an end, which its successor has too', async (engine) => {
  const database = await emptyIndex(await emptyUrl(engine))
  const more = ['--contact', 'ann@example.org', '--expires', '9999-01-31']
  const first = await keys(database, ['create', '--name', 'a', ...research, ...more])
  assert.match(
    first.stderr,
    /Callers send it as the header X-API-Key\. It expires 9999-01-31T00:00:00\.000Z\.\n$/,
  )
  const [made] = await list(database)
  assert.deepEqual(
    [made?.contact, made?.state, made?.expiresAt],
    ['ann@example.org', 'active', '9999-01-31T00:00:00.000Z'],
  )
  await keys(database, ['rotate', String(made?.id)])
  const soon = await keys(database, ['create', '--name', 'b', ...research, '--expires', '3d', '--json'])
  assert.match(JSON.parse(soon.stdout).expiresAt, new RegExp(`^${instant}$`))
  const [old, next, short] = await list(database)
  assert.deepEqual([old?.state, next?.state, short?.state], ['ends', 'active', 'active'])
  assert.deepEqual([next?.contact, next?.expiresAt], ['ann@example.org', '9999-01-31T00:00:00.000Z'])
  const days = (Date.parse(String(short?.expiresAt)) - Date.parse(String(short?.createdAt))) / 86_400_000
  assert.ok(Math.abs(days - 3) < 0.01)
  const { stdout, stderr } = await keys(database, ['list'])
  assert.match(stdout, /^id +name +contact +tier +created +state\n/)
  assert.match(
    stdout,
    /^\S+ +a +ann@example\.org +research +\S+ +active, expires 9999-01-31T00:00:00\.000Z$/m,
  )
  // Which is soon.
  assert.match(stderr, new RegExp(`^The key ${short?.id} \\(b\\): active, expires ${instant}\\.\n$`))
  const longer = await keys(database, ['rotate', String(short?.id), '--expires', '400d', '--json'])
  assert.ok(Date.parse(JSON.parse(longer.stdout).expiresAt) > Date.now() + 399 * 86_400_000)
  assert.equal((await keys(database, ['list'])).stderr, '')
})

onOneDatabase('of those who rotate a key at the same moment one is given its successor', async (engine) => {
  const database = await emptyIndex(await emptyUrl(engine))
  const { id } = await create(database)
  const all = await Promise.all([1, 2, 3].map(() => keysApart(database, ['rotate', id])))
  const refused = all.filter(({ status }) => status === 1)
  assert.equal(refused.length, 2)
  for (const { stdout, stderr } of refused) {
    assert.equal(stdout, '')
    assert.match(stderr, /was replaced already: ends/)
  }
  assert.deepEqual((await list(database)).map(({ state }) => state).toSorted(), ['active', 'ends'])
})

onOneDatabase('a key is revoked, which may be said twice, and is not rotated then', async (engine) => {
  const database = await emptyIndex(await emptyUrl(engine))
  const { id } = await create(database)
  const first = await keys(database, ['revoke', id])
  assert.match(first.stdout, new RegExp(`^The key ${id} \\(a\\): revoked ${instant}\\.\n$`))
  assert.deepEqual([first.stderr, first.status], ['', 0])
  const again = await keys(database, ['revoke', id, '--json'])
  const [listed] = await list(database)
  assert.deepEqual(JSON.parse(again.stdout), listed)
  assert.equal(listed?.state, 'revoked')
  const rotated = await keys(database, ['rotate', id])
  assert.match(rotated.stderr, /because it no longer holds: revoked/)
  assert.equal(rotated.status, 1)
})

test('what cannot be done is told in words that help, and changes nothing', async () => {
  const database = await emptyIndex(inFolder('wrong.db'))
  const { key, id } = await create(database)
  const before = await list(database)
  const tiers = inFolder('tiers.json')
  writeFileSync(tiers, '{"public": {"pageSize": 10}}')
  const badName = '--name must have 1 to 100 printable characters, without line breaks or control characters.'
  const unknown = 'There is no key with the id "nobody"; `lexigraph keys list` shows them.'
  const wrong: readonly (readonly [args: readonly string[], message: string])[] = [
    [['revoke', 'nobody'], unknown],
    [['rotate', 'nobody'], unknown],
    [['revoke', key], `That is a key itself, and what is wanted is the id of one: its id is ${id}.`],
    [
      ['rotate', 'lgk_x'],
      'That is a key itself, and what is wanted is the id of one: it is none of those kept here; `lexigraph keys list` shows them.',
    ],
    [['rotate'], 'keys rotate needs the id of a key; `lexigraph keys list` shows them.'],
    [['revoke', id, 'b'], 'keys revoke takes one id at a time, but 2 were given.'],
    [['revoke', id, '--tier', 'public'], 'keys revoke takes no --tier.'],
    [['list', '--name', 'x', '--tier', 'y'], 'keys list takes no --name and no --tier.'],
    [['revoke', id, '--expires', '9d', '--contact', 'x'], 'keys revoke takes no --contact and no --expires.'],
    [
      ['create', '--name', 'x', ...research, '--expires', 'soon', '--contact', ' '],
      '--contact must have 1 to 200 printable characters, without line breaks. --expires takes a date such as 2027-01-31, a time such as 2027-01-31T12:00:00Z, or days such as 90d, not "soon".',
    ],
    [
      ['create', '--name', 'x', ...research, '--expires', '2020-01-31'],
      '--expires 2020-01-31 is over already.',
    ],
    [['rotate', id, '--expires', '2020-01-31'], '--expires 2020-01-31 is over already.'],
    [['list', 'all'], 'keys list takes no "all", only options.'],
    [['create', 'me', '--name', 'x', ...research], 'keys create takes no "me", only options.'],
    [
      ['create'],
      'keys create needs --name NAME: whose key it is. keys create needs --tier TIER, one of public, research, unlimited.',
    ],
    [
      ['create', '--name', 'a\nb', '--tier', 'gold'],
      `${badName} There is no tier "gold", only public, research, unlimited. --tiers FILE adds others.`,
    ],
    [['create', '--name', ' ', ...research], badName],
    [['create', '--name', 'x'.repeat(101), ...research], badName],
    [['create', '--name', 'right \u202eleft', ...research], badName],
    [
      ['create', '--name', 'x', ...research, '--tiers', tiers],
      `${tiers}: "public".pageSize must be a whole number from 20 to 1000, not 10.`,
    ],
    [
      ['revok', id],
      'keys takes create, list, usage [ID], rotate ID or revoke ID, not "revok". Did you mean revoke?',
    ],
    [['ls'], 'keys takes create, list, usage [ID], rotate ID or revoke ID, not "ls".'],
  ]
  for (const [args, message] of wrong) {
    const { stdout, stderr, status } = await keys(database, args)
    assert.deepEqual([stdout, stderr], ['', `${message}\n`])
    assert.ok(status === 1 || status === 2)
  }
  assert.deepEqual(await list(database), before)
})

test('a tier of the file that the server has is a tier for keys', async () => {
  const database = await emptyIndex(inFolder('tiers.db'))
  const tiers = inFolder('press.json')
  writeFileSync(
    tiers,
    '{"press": {"pointsPerMinute": null, "pointsPerQuery": 500, "pageSize": 200, "seconds": 9, "concurrent": 5}}',
  )
  const args = ['create', '--name', '新聞 🗞️', '--tier', 'press']
  const { stderr } = await keys(database, args)
  assert.equal(
    stderr,
    'There is no tier "press", only public, research, unlimited. --tiers FILE adds others.\n',
  )
  await run(database, ['keys', ...args, '--tiers', tiers])
  const [made] = await list(database)
  assert.deepEqual([made?.name, made?.tier], ['新聞 🗞️', 'press'])
})

test('keys need a database that stays, of the same lexicons, and make none', async () => {
  const database = inFolder('none.db')
  for (const args of [['list'], ['revoke', 'a'], ['rotate', 'a'], ['create', '--name', 'x', ...research]]) {
    const { stderr, status } = await keys(database, args)
    assert.equal(status, 1)
    assert.equal(stderr, `There is no database at ${database}; \`lexigraph import FILE…\` makes one.\n`)
  }
  assert.ok(!existsSync(database))
  const inMemory = await keys('sqlite::memory:', ['create', '--name', 'x', ...research])
  assert.match(inMemory.stderr, /^A key in a database in memory would end with this command\./)
  await create(await emptyIndex(database))
  const lexicons = fileURLToPath(new URL('schemas/site-standard/lexicons', import.meta.url))
  const other = await keys(database, ['create', '--name', 'x', ...research, '--lexicons', lexicons])
  assert.match(other.stderr, /built with other lexicons or by another version\. Name its own with --lexicons/)
  assert.equal((await list(database)).length, 1)
})

test('an empty list says how to make a key', async () => {
  const database = await emptyIndex(inFolder('empty.db'))
  assert.equal(
    (await keys(database, ['list'])).stdout,
    'There are no keys yet; `lexigraph keys create` makes one.\n',
  )
  assert.equal((await keys(database, ['list', '--json'])).stdout, '')
})

test('keys are made and ended while another process is writing to the file', async () => {
  const database = await emptyIndex(inFolder('busy.db'))
  const { id } = await create(database)
  const writer = new DatabaseSync(database)
  const env = { NODE_OPTIONS: `--import ${new URL('support/preloaded/tell-locked.ts', import.meta.url)}` }
  for (const args of [
    ['create', '--name', 'b', ...research],
    ['revoke', id],
  ]) {
    writer.exec('begin immediate; delete from fetched')
    // Who only reads does not wait.
    assert.ok((await list(database)).every(({ state }) => state === 'active'))
    await using command = startProgram(['keys', ...args, '--database', database], { env })
    // From then on it waits for ten seconds.
    await command.said(/^Locked: begin immediate\.$/m)
    writer.exec('commit')
    assert.equal(await command.ended, 0, command.stderr())
  }
  writer.close()
  assert.deepEqual(
    (await list(database)).map(({ name, state }) => [name, state]),
    [
      ['a', 'revoked'],
      ['b', 'active'],
    ],
  )
})

function keys(database: string, args: readonly string[]): Promise<Outcome> {
  return runInTurn(['keys', ...args, '--database', database])
}

/** In a process of its own, beside others. */
function keysApart(database: string, args: readonly string[]): Promise<Outcome> {
  return runProgram(['keys', ...args, '--database', database])
}

/** The same database, laid out. */
async function emptyIndex(database: string): Promise<string> {
  await run(database, ['import', '/dev/null'])
  return database
}

/** A key of `a` for research. */
async function create(database: string): Promise<{ readonly id: string; readonly key: string }> {
  return JSON.parse(await run(database, ['keys', 'create', '--name', 'a', ...research, '--json']))
}

async function list(database: string): Promise<readonly Json[]> {
  const lines = await run(database, ['keys', 'list', '--json'])
  return lines === ''
    ? []
    : lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Json)
}

function run(database: string, args: readonly string[]): Promise<string> {
  return printed(runInTurn([...args, '--database', database]))
}
