/** `hide`, `unhide` and `hidden` as operators run them, while other processes serve and follow the network. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type FakeJetstream, startFakeJetstream } from './network/fake-jetstream.ts'
import { didOf, tid } from './network/follow.ts'
import { runProgram, startService } from './network/service.ts'
import { startIngest } from './network/support-index.ts'
import { outlet } from './network/support-news.ts'
import { onEveryDatabase } from './support/databases.ts'
import { emptyDatabases, temporaryFolder } from './support/store.ts'
import { until } from './support/until.ts'

const inFolder = temporaryFolder()
const emptyUrl = emptyDatabases()
const otherLexicons = fileURLToPath(new URL('schemas/site-standard/lexicons', import.meta.url))
const collection = 'tech.service.news.source'
const [one, two] = [didOf(1), didOf(2)]
const uri = `at://${one}/${collection}/a`
const because = ['--reason', 'A court ordered it.', '--by', 'ann']

test('a running server and a running ingester honour at once what is hidden, and what is shown again', async () => {
  await using network = await startFakeJetstream()
  const env = {
    LEXIGRAPH_DATABASE: inFolder('running.db'),
    LEXIGRAPH_PLC: 'http://127.0.0.1:1',
    LEXIGRAPH_HANDLE_RESOLVER: 'http://127.0.0.1:1',
  }
  await using _ingest = await startIngest(`jetstream:${network.url}`, env)
  await using service = await startService(['serve'], { env })
  const names = async (): Promise<readonly string[]> => {
    const { techServiceNewsSource } = await service.query(
      '{ techServiceNewsSource { totalCount nodes { displayName } } }',
    )
    assert.equal(techServiceNewsSource.totalCount, techServiceNewsSource.nodes.length)
    return techServiceNewsSource.nodes.map((node: { displayName: string }) => node.displayName).toSorted()
  }
  const tell = teller(network)
  const expected = (...wanted: readonly string[]): Promise<unknown> =>
    until(async () => (await names()).join() === wanted.join())
  const run = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr, status } = await runProgram(args, { env })
    assert.deepEqual([stderr, status], ['', 0])
    return stdout
  }

  tell(one, 'a', 'a1')
  tell(one, 'b', 'b1')
  tell(two, 'c', 'c1')
  await expected('a1', 'b1', 'c1')

  assert.equal(await run('hide', uri, ...because), `${uri} is hidden: 1 record left the answers.\n`)
  assert.deepEqual(await names(), ['b1', 'c1'])
  // What follows tells that what came before has been heard of.
  tell(one, 'a', 'a2')
  tell(two, 'c', 'c2')
  await expected('b1', 'c2')

  assert.equal(await run('hide', one, ...because), `${one} is hidden: 1 record left the answers.\n`)
  assert.deepEqual(await names(), ['c2'])
  tell(one, 'b', 'b2')
  tell(one, 'd', 'd1')
  tell(one, 'a', 'a3')
  tell(two, 'c', 'c3')
  await expected('c3')

  const shownAgain = await run('unhide', one, '--by', 'ben')
  assert.equal(shownAgain, `${one} is no longer hidden: 2 records came back to the answers.\n`)
  assert.deepEqual(await names(), ['b2', 'c3', 'd1'])
  assert.match(await run('unhide', uri), /is no longer hidden: 1 record came back to the answers\.\n$/)
  assert.deepEqual(await names(), ['a3', 'b2', 'c3', 'd1'])
  tell(one, 'a', 'a4')
  await expected('a4', 'b2', 'c3', 'd1')

  const listed = (await run('hidden', '--json')).trimEnd().split('\n')
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

onEveryDatabase(
  'what is hidden says by whom and since when, and stays so through an import',
  async (database) => {
    const env = { LEXIGRAPH_DATABASE: await emptyUrl(database) }
    const file = inFolder('sources.jsonl')
    const line = (rkey: string): string =>
      JSON.stringify({ uri: `at://${one}/${collection}/${rkey}`, value: outlet(rkey) })
    writeFileSync(file, `${line('a')}\n${line('b')}\n`)
    const run = (...args: readonly string[]) => runProgram(args, { env })
    await run('import', file)
    assert.equal((await run('hidden')).stdout, 'Nothing has been hidden.\n')
    await run('hide', uri, ...because)
    const again = await run('hide', uri, '--reason', 'Another.')
    assert.equal(again.status, 0)
    assert.match(again.stdout, /^at:\S+ has been hidden since 20\S+Z by ann: A court ordered it\.\n$/)
    const table = (await run('hidden')).stdout.trimEnd().split('\n')
    assert.match(table[0] ?? '', /^subject +hidden at +by +shown again at +by +reason$/)
    assert.match(table[1] ?? '', /^at:\S+ +20\S+Z +ann +– +– +A court ordered it\.$/)
    assert.equal(table.length, 2)
    assert.match((await run('import', file)).stdout, /^unchanged +1\nhidden +1$/m)
    const exported = (await run('export')).stdout.trimEnd().split('\n')
    assert.deepEqual(
      exported.map((text) => JSON.parse(text).value.displayName),
      ['b'],
    )
    const named = await run('unhide', uri)
    assert.equal(named.status, 0)
    const [shown] = (await run('hidden', '--json')).stdout.trimEnd().split('\n')
    assert.ok(JSON.parse(shown ?? '').shownBy.length > 0)
  },
)

test('what cannot be hidden or shown is told, and what to write instead', async () => {
  const env = { LEXIGRAPH_DATABASE: inFolder('words.db') }
  const empty = inFolder('empty.jsonl')
  writeFileSync(empty, '')
  await runProgram(['import', empty], { env })
  const cases: [args: readonly string[], message: RegExp][] = [
    [['hide', 'ann.example', ...because], /^"ann\.example" is a handle, .* Give the account's DID\.\n$/],
    [['hide', `at://ann.example/${collection}/a`, ...because], /names its account by a handle/],
    [['hide', `at://${one}/${collection}`, ...because], /names no record\. Give a record as/],
    [['hide', one, two, ...because], /^hide takes one URI or DID, but 2 were given\.\n$/],
    [['hide', one], /^hide needs --reason TEXT, which is kept\.\n$/],
    [['hide', one, '--reason', '  '], /^hide needs --reason TEXT/],
    [
      ['hide', one, '--reason', 'x'.repeat(1_001)],
      /^--reason is 1001 characters long\. Give at most 1000\.\n$/,
    ],
    [['hide', one, '--reason', 'a\nb'], /^--reason has a line break .* Give one line of text\.\n$/],
    [['hide', one, '--reason', 'a\u001b[2J'], /^--reason has a line break or another control character/],
    [['hide', one, '--reason', 'a', '--by', ' '], /^--by is empty\. Give the name of who does it\.\n$/],
    [['unhide', one], /^did:\S+ is not hidden; `lexigraph hidden` lists what is\.\n$/],
    [['unhide', 'ann.example'], /is a handle/],
    [['hide', one, ...because, '--database', inFolder('none.db')], /^There is no database at/],
    // It may be served meanwhile, so that it must not be rebuilt by the way.
    [['hide', one, ...because, '--lexicons', otherLexicons], /it was built with other lexicons/],
  ]
  for (const [args, message] of cases) {
    const { stderr, status } = await runProgram(args, { env })
    assert.match(stderr, message, args.join(' '))
    assert.equal(status, 1)
  }
  const foreign = `at://${one}/app.example.other/a`
  const { stdout } = await runProgram(['hide', foreign, ...because], { env })
  assert.equal(
    stdout,
    `${foreign} is hidden: 0 records left the answers. No lexicon here has the collection app.example.other.\n`,
  )
  assert.equal((await runProgram(['hidden', '--json'], { env })).stdout.split('\n').length, 2)
})

/** Each thing it says is later than the last. */
function teller(network: FakeJetstream): (did: string, rkey: string, displayName: string) => void {
  let at = Date.now() * 1_000
  const known = new Set<string>()
  return (did, rkey, displayName) => {
    at += 1
    const update = known.has(did + rkey)
    known.add(did + rkey)
    network.publishRecord({ did, collection, rkey, rev: tid(at), record: outlet(displayName), update })
  }
}
