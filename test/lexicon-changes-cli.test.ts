/** Commands that are run with other lexicons than those the database was built with. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { countedInTime } from './network/service.ts'
import { commandsInTurn } from './support/server/commands.ts'
import { onOneDatabase } from './support/store/databases.ts'
import { emptyDatabases, recordLexicon, temporaryFolder } from './support/store/store.ts'
import { thing, thingUri } from './support/records/things.ts'

const inFolder = temporaryFolder()
const run = commandsInTurn()
const emptyUrl = emptyDatabases()

const loose = { size: { type: 'unknown' } }
const other = recordLexicon('org.example.other', { name: { type: 'string' } })
const both = lexicons('both', [thing(loose), other])
const strict = lexicons('strict', [thing({ size: { type: 'integer' } }), other])
const fewer = lexicons('fewer', [thing(loose)])
const foreign = lexicons('foreign', [recordLexicon('org.example.foreign', {})])
const records = inFolder('records.jsonl')
writeFileSync(
  records,
  [
    ...['a', 'b', 'c'].map((key) => line(key, { size: { n: 1 } })),
    line('d', {}),
    line('o', { name: 'x' }, 'org.example.other'),
  ].join('\n'),
)

onOneDatabase('commands that write refuse lexicons by which collections disappear', async (engine) => {
  const env = { LEXIGRAPH_DATABASE: await emptyUrl(engine) }
  await succeed(['import', records, '--lexicons', both], env)
  const commands = [
    ['import', records],
    ['serve', '--port', '0', '--workers', '1'],
    ['serve', '--port', '0', '--workers', '2'],
    ['ingest', '--from', `import:${records}`],
    ['backfill', 'did:web:nobody.example'],
    ['reconcile'],
    ['rejections', 'retry'],
  ]
  for (const command of commands) {
    const { stdout, stderr, status } = await run([...command, '--lexicons', foreign], { env })
    assert.deepEqual([stdout, status], ['', 1], command.join(' '))
    assert.match(stderr, /^The database \S+ cannot be opened: under the lexicons in \S+foreign, collections/m)
    assert.match(
      stderr,
      /org\.example\.other \(1 record\) is not in them; org\.example\.thing \(4 records\) is/,
    )
    assert.match(stderr, /--lexicons DIR, or go on with --rebuild/)
    assert.doesNotMatch(stderr, /http:/)
  }
  // A command that only reads names of the option without which the rebuild would be refused.
  const reading = await run(['status', '--lexicons', foreign], { env })
  assert.equal(reading.status, 1)
  assert.match(
    reading.stderr,
    /have `lexigraph import` or `serve` rebuild it for these, with --rebuild if a collection that has records would disappear\.$/m,
  )
  assert.deepEqual(await recordCounts(env, both), { 'org.example.other': 1, 'org.example.thing': 4 })
  const { stderr } = await succeed(['import', records, '--lexicons', fewer, '--rebuild'], env)
  assert.match(stderr, /^org\.example\.other: 1 record kept but no longer served, because the lexicons/m)
  // Nothing disappears by these any more, but the others may be at work.
  const back = ['rejections', 'retry', '--lexicons', both]
  assert.match(
    (await run(back, { env })).stderr,
    /another process rebuilt it from these lexicons to others at 20/,
  )
  await succeed([...back, '--rebuild'], env)
  assert.deepEqual(await recordCounts(env, both), { 'org.example.other': 1, 'org.example.thing': 4 })
})

onOneDatabase('a rebuild is foreseen, told, and undone by the lexicons of before', async (engine) => {
  const env = { LEXIGRAPH_DATABASE: await emptyUrl(engine) }
  await succeed(['import', records, '--lexicons', both], env)
  const check = (dir: string, ...more: readonly string[]) =>
    run(['check', '--lexicons', dir, '--database', env.LEXIGRAPH_DATABASE, ...more])
  const foreseen = await check(strict)
  assert.equal(foreseen.status, 1)
  assert.match(foreseen.stdout, /^org\.example\.other: none of 1 record would be refused\.$/m)
  assert.match(
    foreseen.stdout,
    /^org\.example\.thing: 3 of 4 records would be refused\.\n {2}3 × .*size must be an integer\. Such as at:\S+\/a\.$/m,
  )
  assert.match(
    (await check(fewer)).stdout,
    /^org\.example\.other: 1 record would no longer be served; the lexicons do not have this collection\.$/m,
  )
  assert.equal((await check(both)).status, 0)
  assert.deepEqual(await recordCounts(env, both), { 'org.example.other': 1, 'org.example.thing': 4 })

  const rebuilt = await succeed(['rejections', 'retry', '--lexicons', strict], env)
  assert.match(rebuilt.stderr, /^The index was rebuilt for the lexicons in \S+strict\.$/m)
  assert.match(
    rebuilt.stderr,
    /^org\.example\.thing: 3 of 4 records no longer fit and are refused now, such as/m,
  )
  assert.deepEqual(await recordCounts(env, strict), { 'org.example.other': 1, 'org.example.thing': 1 })
  const { database } = JSON.parse((await check(both, '--json')).stdout)
  assert.deepEqual(
    database.collections.map(({ name, refused, accepted }: Record<string, unknown>) => [
      name,
      refused,
      accepted,
    ]),
    [
      ['org.example.other', 0, 0],
      ['org.example.thing', 0, 3],
    ],
  )

  const restored = await succeed(['rejections', 'retry', '--lexicons', both, '--rebuild'], env)
  assert.match(
    restored.stderr,
    /^org\.example\.thing: 3 records that had been refused fit now and are served\.$/m,
  )
  assert.deepEqual(await recordCounts(env, both), { 'org.example.other': 1, 'org.example.thing': 4 })
})

function lexicons(name: string, documents: readonly Record<string, unknown>[]): string {
  const dir = inFolder(name)
  mkdirSync(dir)
  for (const document of documents) writeFileSync(`${dir}/${document.id}.json`, JSON.stringify(document))
  return dir
}

function line(key: string, value: object, collection?: string): string {
  const uri = thingUri(key, collection)
  return JSON.stringify({ uri, value: { $type: collection ?? 'org.example.thing', ...value } })
}

async function succeed(args: readonly string[], env: Record<string, string>) {
  const outcome = await run(args, { env })
  assert.equal(outcome.status, 0, outcome.stderr)
  return outcome
}

async function recordCounts(env: Record<string, string>, dir: string): Promise<Record<string, number>> {
  const args = ['status', '--json', '--lexicons', dir]
  const { stdout, stderr, status } = await countedInTime(() => run(args, { env }))
  assert.equal(status, 0, stderr)
  const { collections } = JSON.parse(stdout)
  return Object.fromEntries(
    collections.map(({ name, records: many }: { name: string; records: number }) => [name, many]),
  )
}
