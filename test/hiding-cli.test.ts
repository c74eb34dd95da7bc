/** `hide` as operators run it, while other processes serve and follow the network. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startFakeJetstream } from './network/fake-jetstream.ts'
import { didOf } from './network/follow.ts'
import { startService } from './network/service.ts'
import { startIngest } from './network/support-index.ts'
import { outlet } from './network/support-news.ts'
import { asksNobody, createTeller, outletNames } from './network/support-outlets.ts'
import { writeLines } from './support/demo-databases.ts'
import { commandsInTurn, spawnProgram } from './support/server/commands.ts'
import { onOneDatabase } from './support/store/databases.ts'
import type { Engine } from './support/store/postgres.ts'
import { databaseCopies, emptyDatabases, temporaryFolder } from './support/store/store.ts'
import { until } from './support/until.ts'

const inFolder = temporaryFolder()
const runInTurn = commandsInTurn()
const emptyUrl = emptyDatabases()
const copied = databaseCopies()
const otherLexicons = fileURLToPath(new URL('schemas/site-standard/lexicons', import.meta.url))
const collection = 'tech.service.news.source'
const [one, two] = [didOf(1), didOf(2)]
const uri = `at://${one}/${collection}/a`
const because = ['--reason', 'A court ordered it.', '--by', 'ann']
const line = (did: string, rkey: string) => ({
  uri: `at://${did}/${collection}/${rkey}`,
  value: outlet(rkey),
})

test('a running server and a running ingester honour at once what is hidden, and what is shown again', async () => {
  await using network = await startFakeJetstream()
  const env = { LEXIGRAPH_DATABASE: inFolder('running.db'), ...asksNobody }
  await using _ingest = await startIngest(`jetstream:${network.url}`, env)
  await using service = await startService(['serve'], { env })
  const tell = createTeller(network)
  const expected = (...wanted: readonly string[]): Promise<unknown> =>
    until(async () => (await outletNames(service)).join() === wanted.join())
  const run = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr, status } = await runInTurn(args, { env })
    assert.deepEqual([stderr, status], ['', 0])
    return stdout
  }

  tell(one, 'a', 'a1')
  tell(one, 'b', 'b1')
  tell(two, 'c', 'c1')
  await expected('a1', 'b1', 'c1')

  assert.equal(await run('hide', uri, ...because), `${uri} is hidden.\n1 record left the answers.\n`)
  assert.deepEqual(await outletNames(service), ['b1', 'c1'])
  // What follows tells that what came before has been heard of.
  tell(one, 'a', 'a2')
  tell(two, 'c', 'c2')
  await expected('b1', 'c2')

  assert.equal(await run('hide', one, ...because), `${one} is hidden.\n1 record left the answers.\n`)
  assert.deepEqual(await outletNames(service), ['c2'])
  tell(one, 'b', 'b2')
  tell(one, 'd', 'd1')
  tell(one, 'a', 'a3')
  tell(two, 'c', 'c3')
  await expected('c3')

  const shownAgain = await run('hide', '--undo', one, '--by', 'ben')
  assert.equal(shownAgain, `${one} is no longer hidden.\n2 records came back to the answers.\n`)
  assert.deepEqual(await outletNames(service), ['b2', 'c3', 'd1'])
  assert.match(
    await run('hide', '--undo', uri),
    /is no longer hidden\.\n1 record came back to the answers\.\n$/,
  )
  assert.deepEqual(await outletNames(service), ['a3', 'b2', 'c3', 'd1'])
  tell(one, 'a', 'a4')
  await expected('a4', 'b2', 'c3', 'd1')

  const listed = (await run('hide', '--list', '--json')).trimEnd().split('\n')
  assert.deepEqual(
    listed
      .map((line) => JSON.parse(line))
      .map(({ subject, reason, hiddenBy, shownBy }) => [subject, reason, hiddenBy, typeof shownBy]),
    [
      [one, because[1], 'ann', 'string'],
      [uri, because[1], 'ann', 'string'],
    ],
  )
})

onOneDatabase('the list of hidings says by whom and since when, after an import too', async (database) => {
  const env = { LEXIGRAPH_DATABASE: await emptyUrl(database) }
  const file = writeLines(inFolder('sources.jsonl'), [line(one, 'a'), line(one, 'b')])
  const run = (...args: readonly string[]) => runInTurn(args, { env })
  await run('import', file)
  assert.equal((await run('hide', '--list')).stdout, 'Nothing has been hidden.\n')
  await run('hide', uri, ...because)
  const again = await run('hide', uri, '--reason', 'Another.')
  assert.equal(again.status, 0)
  assert.match(again.stdout, /^at:\S+ has been hidden since 20\S+Z by ann: A court ordered it\.\n$/)
  const table = (await run('hide', '--list')).stdout.trimEnd().split('\n')
  assert.match(table[0] ?? '', /^subject +hidden at +by +shown again at +by +purged at +by +reason$/)
  assert.match(table[1] ?? '', /^at:\S+ +20\S+Z +ann +– +– +– +– +A court ordered it\.$/)
  assert.equal(table.length, 2)
  assert.match((await run('import', file)).stdout, /^unchanged +1\nhidden +1$/m)
  const exported = (await run('export')).stdout.trimEnd().split('\n')
  assert.deepEqual(
    exported.map((text) => JSON.parse(text).value.displayName),
    ['b'],
  )
  const named = await run('hide', '--undo', uri)
  assert.equal(named.status, 0)
  const [shown] = (await run('hide', '--list', '--json')).stdout.trimEnd().split('\n')
  assert.ok(JSON.parse(shown ?? '').shownBy.length > 0)
})

const waitWhenSaid = fileURLToPath(new URL('support/preloaded/wait-when-said.ts', import.meta.url))

/** More than the commands move in one transaction, so that they can be interrupted between two. */
const many = 1_200

onOneDatabase('what was left half done is finished by whichever command is next', async (engine) => {
  const { env, run, seen } = await filled(engine)
  const interrupt = async (signal: NodeJS.Signals, ...args: readonly string[]): Promise<void> => {
    // It has said so before it moves the first row, and then waits.
    using child = spawnProgram(args, { ...env, NODE_OPTIONS: `--import ${waitWhenSaid}` })
    const ended = once(child, 'exit')
    const heard = [once(child.stdout, 'data'), once(child.stderr, 'data'), ended]
    const [told] = await Promise.race(heard)
    assert.match(String(told), new RegExp(`^${one} is (no longer )?hidden\\.\n$`))
    child.kill(signal)
    assert.deepEqual(await ended, [null, signal])
  }
  await interrupt('SIGINT', 'hide', one, ...because)
  assert.equal(await seen(), 1)
  const again = await run('hide', one, ...because)
  assert.match(
    again.stdout,
    /has been hidden since .*\n[\d,]+ rows were left to be moved by an earlier command\.\n$/,
  )
  assert.equal((await run('hide', one, ...because)).stdout.split('\n').length, 2)

  await interrupt('SIGKILL', 'hide', '--undo', one)
  assert.ok((await seen()) < many + 1)
  const refused = await run('hide', '--undo', one)
  assert.match(refused.stdout, /^[\d,]+ rows were left to be moved by an earlier command\.\n$/)
  assert.match(refused.stderr, /is not hidden/)
  assert.equal(await seen(), many + 1)
  const { stdout } = await run('hide', '--undo', one)
  assert.equal(stdout, '')

  // Another subject's command finishes it as well.
  await interrupt('SIGKILL', 'hide', one, ...because)
  const other = await run('hide', two, ...because)
  assert.match(
    other.stdout,
    new RegExp(
      `^${two} is hidden\\.\n[\\d,]+ rows were left to be moved by an earlier command\\.\n1 record left the answers\\.\n$`,
    ),
  )
})

test('the reader of the output may go, and the rows are moved all the same', async () => {
  const { env, run, seen } = await filled('sqlite')
  for (const args of [
    ['hide', one, ...because],
    ['hide', '--undo', one],
  ]) {
    using child = spawnProgram(args, env)
    const ended = once(child, 'exit')
    child.stdout.destroy()
    child.stderr.destroy()
    assert.deepEqual(await ended, [0, null])
    assert.doesNotMatch((await run(...args)).stdout, /still to be moved/)
  }
  assert.equal(await seen(), many + 1)
})

onOneDatabase('an account that is here in capitals is hidden as it is written', async (engine) => {
  const env = { LEXIGRAPH_DATABASE: await emptyUrl(engine) }
  const did = 'did:web:News.Example'
  const file = writeLines(inFolder('capitals.jsonl'), [line(did, 'a')])
  await runInTurn(['import', file], { env })
  const { stdout } = await runInTurn(['hide', did, ...because], { env })
  assert.equal(stdout, `${did} is hidden.\n1 record left the answers.\n`)
})

test('what cannot be hidden or shown is told, and what to write instead', async () => {
  const env = { LEXIGRAPH_DATABASE: inFolder('words.db') }
  await runInTurn(['import', writeLines(inFolder('empty.jsonl'), [])], { env })
  const cases: [args: readonly string[], message: RegExp][] = [
    [['hide', 'ann.example', ...because], /^"ann\.example" is a handle, .* Give the account's DID\.\n$/],
    [['hide', `at://ann.example/${collection}/a`, ...because], /names its account by a handle/],
    [['hide', `at://${one}/${collection}`, ...because], /names no record\. Give a record as/],
    [['hide', one, two, ...because], /^hide takes \[URI\|DID\] alone, and no "did:\S+"; [^\n]+\n$/],
    [['hide', one], /^hide needs --reason TEXT, which is kept\.\n$/],
    [['hide', one, '--reason', '  '], /^hide needs --reason TEXT/],
    [
      ['hide', one, '--reason', 'x'.repeat(1_001)],
      /^--reason is 1001 characters long\. Give at most 1000\.\n$/,
    ],
    [['hide', one, '--reason', 'a\nb'], /^--reason has a line break .* Give one line of text\.\n$/],
    [['hide', one, '--reason', 'a\u001b[2J'], /^--reason has a line break or another control character/],
    [['hide', one, '--reason', 'a', '--by', ' '], /^--by is empty\. Give the name of who does it\.\n$/],
    [['hide', '--undo', one], /^did:\S+ is not hidden; `lexigraph hide --list` lists what is\.\n$/],
    [['hide', '--undo', 'ann.example'], /is a handle/],
    [
      ['hide', 'did:web:News.Example', ...because],
      /^did:web:News\.Example has capitals in its host, .* Write did:web:news\.example\.\n$/,
    ],
    [
      ['hide', `at://did:web:News.Example/${collection}/A`, ...because],
      / Write at:\/\/did:web:news\.example\/tech\.service\.news\.source\/A\.\n$/,
    ],
    [['hide', one, ...because, '--database', inFolder('none.db')], /^There is no database at/],
    // It may be served meanwhile, so that it must not be rebuilt by the way.
    [['hide', one, ...because, '--lexicons', otherLexicons], /it was built with other lexicons/],
  ]
  for (const [args, message] of cases) {
    const { stderr, status } = await runInTurn(args, { env })
    assert.match(stderr, message, args.join(' '))
    assert.ok(status === 1 || status === 2)
  }
  const foreign = `at://${one}/app.example.other/a`
  const { stdout } = await runInTurn(['hide', foreign, ...because], { env })
  assert.equal(
    stdout,
    `${foreign} is hidden. No lexicon here has the collection app.example.other.\n0 records left the answers.\n`,
  )
  assert.equal((await runInTurn(['hide', '--list', '--json'], { env })).stdout.split('\n').length, 2)
})

/** Many records of one account and one of another, in a copy of what was imported once for each engine. */
async function filled(engine: Engine) {
  const env = { LEXIGRAPH_DATABASE: await copied(engine, () => fill(engine)) }
  const run = (...args: readonly string[]) => runInTurn(args, { env })
  const seen = async (): Promise<number> => {
    const { stdout } = await run('query', '{ techServiceNewsSource { totalCount } }')
    return JSON.parse(stdout).data.techServiceNewsSource.totalCount
  }
  return { env, run, seen }
}

async function fill(engine: Engine): Promise<string> {
  const lines = Array.from({ length: many }, (_, index) => line(one, `r${index}`))
  const file = writeLines(inFolder('many.jsonl'), [...lines, line(two, 'a')])
  const url = await emptyUrl(engine)
  await runInTurn(['import', file], { env: { LEXIGRAPH_DATABASE: url } })
  return url
}
