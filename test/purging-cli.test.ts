/** `purge` and `--retain` as operators run them, while other processes serve and follow the network. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadProject } from '../src/cli/store/project.ts'
import { openDatabase } from '../src/database/open.ts'
import { startFakeJetstream } from './network/fake-jetstream.ts'
import { createDice } from './network/fake-server.ts'
import { didOf, tid } from './network/follow.ts'
import { countedInTime, startService } from './network/service.ts'
import { startIngest } from './network/support-index.ts'
import { outlet } from './network/support-news.ts'
import { asksNobody, createTeller, outletNames } from './network/support-outlets.ts'
import { replayable } from './support/random/replay.ts'
import { writeLines } from './support/demo-databases.ts'
import { commandsInTurn, spawnProgram } from './support/server/commands.ts'
import { onOneDatabase } from './support/store/databases.ts'
import { databaseCopies, emptyDatabases, temporaryFolder } from './support/store/store.ts'
import { rounds, seed } from './support/rounds.ts'
import { moment, until } from './support/until.ts'

const inFolder = temporaryFolder()
const runInTurn = commandsInTurn()
const emptyUrl = emptyDatabases()
const copied = databaseCopies()
const collection = 'tech.service.news.source'
const [one, two] = [didOf(1), didOf(2)]
const uri = `at://${one}/${collection}/a`
const because = ['--reason', 'They asked for it.', '--by', 'ann']
const old = { ...line(one, 'a', 'old'), indexedAt: '2020-01-01T00:00:00Z' }

test('what is purged beside a server and an ingester is gone at once and does not return', async () => {
  await using network = await startFakeJetstream()
  const env = { LEXIGRAPH_DATABASE: inFolder('running.db'), ...asksNobody }
  await using _ingest = await startIngest(`jetstream:${network.url}`, env)
  await using service = await startService(['serve'], { env })
  const expected = (...wanted: readonly string[]): Promise<unknown> =>
    until(async () => (await outletNames(service)).join() === wanted.join())
  const tell = createTeller(network)
  tell(one, 'a', 'a1')
  tell(one, 'b', 'b1')
  tell(two, 'c', 'c1')
  await expected('a1', 'b1', 'c1')
  const { stdout, status } = await runInTurn(['purge', uri, ...because], { env })
  assert.deepEqual(
    [stdout, status],
    [`${uri} is purged: 1 record of ${collection}.\nNothing of what was removed is left in the file.\n`, 0],
  )
  assert.deepEqual(await outletNames(service), ['b1', 'c1'])
  tell(one, 'a', 'a2')
  tell(two, 'c', 'c2')
  await expected('b1', 'c2')
  await runInTurn(['purge', one, ...because], { env })
  assert.deepEqual(await outletNames(service), ['c2'])
  tell(one, 'b', 'b2')
  tell(two, 'c', 'c3')
  await expected('c3')
})

onOneDatabase('a purge is foretold, done, listed and undone', async (database) => {
  const env = { LEXIGRAPH_DATABASE: await emptyUrl(database) }
  const run = (...args: readonly string[]) => runInTurn(args, { env })
  const file = writeLines(inFolder('purged.jsonl'), linesOf([one, two]))
  await run('import', file)
  assert.match((await run('purge', uri)).stderr, /^purge needs --reason TEXT, which is kept\.\n$/)
  for (const [subject, message] of [
    ['ann.example', /is a handle, which may pass to another account/],
    [`at://${one}/${collection}`, /names no record/],
    ['nothing', /is no AT-URI and no DID/],
  ] as const) {
    const refused = await run('purge', uri, subject, ...because)
    assert.match(refused.stderr, message)
    assert.equal(refused.status, 2)
  }
  assert.match((await run('purge')).stderr, /^purge needs URI\|DID, or --retain; no purge was broken off/)

  const foretold = await run('purge', '--dry-run', uri, two, uri)
  assert.equal(
    foretold.stdout,
    `${uri} would be purged: 1 record of ${collection}.\n${two} would be purged: 2 records of ${collection}.\n`,
  )
  assert.equal((await run('hide', '--list')).stdout, 'Nothing has been hidden.\n')

  const purged = await run('purge', uri, two, ...because)
  assert.deepEqual(purged.status, 0)
  assert.match(
    purged.stdout,
    new RegExp(
      `^${uri} is purged: 1 record of ${collection}\\.\n${two} is purged: 2 records of ${collection}\\.\n`,
    ),
  )
  assert.match(purged.stdout, database === 'sqlite' ? /left in the file\.\n$/ : /overwrites by and by\.\n$/)
  assert.match(
    (await run('purge', uri, ...because)).stdout,
    /has been purged since 20\S+Z by ann: They asked for it\.\n$/,
  )
  assert.match((await run('hide', uri, ...because)).stdout, /\nIt has been purged since 20\S+Z\.\n$/)
  assert.match((await run('import', file)).stdout, /^unchanged +1\npurged +3$/m)
  assert.equal((await run('export')).stdout.trimEnd().split('\n').length, 1)
  const listed = (await run('hide', '--list', '--json')).stdout.trimEnd().split('\n')
  for (const line of listed) {
    const { purge } = JSON.parse(line)
    assert.deepEqual([purge.purgedBy, purge.reason, typeof purge.erasedAt], ['ann', because[1], 'string'])
  }
  const unknown = `at://${didOf(9)}/${collection}/x`
  assert.match(
    (await run('purge', unknown, ...because)).stdout,
    /is purged: nothing of it is stored, and what arrives later is not stored either\.\n/,
  )
  const undone = await run('hide', '--undo', uri)
  assert.match(
    undone.stdout,
    new RegExp(`with .lexigraph backfill ${one}. .* or with .lexigraph import FILE.`),
  )
  assert.match((await run('import', file)).stdout, /^stored +1$/m)
})

onOneDatabase('a purge that was broken off is told of, and finished by the next', async (database) => {
  const env = { LEXIGRAPH_DATABASE: await emptyUrl(database) }
  const run = (...args: readonly string[]) => runInTurn(args, { env })
  await run('import', writeLines(inFolder('broken-off.jsonl'), linesOf([one, two])))
  const { lexicons, tables } = await loadProject(fileURLToPath(new URL('../lexicons', import.meta.url)))
  {
    // As far as a run comes that is killed after its first transaction.
    await using store = await openDatabase(env.LEXIGRAPH_DATABASE, {
      tables,
      fingerprint: lexicons.fingerprint,
      check: () => null,
      now: () => BigInt(Date.now()) * 1000n,
    })
    await store.write.metadata.purge({ subject: one, reason: 'A test.', purgedBy: 'ann' })
  }
  assert.match(
    (await countedInTime(() => run('status'))).stdout,
    /^1 purge was interrupted; `lexigraph purge` finishes it\.$/m,
  )
  const finished = await run('purge')
  assert.match(finished.stdout, new RegExp(`^The purge of ${one} was broken off; it is finished now\\.\n`))
  assert.doesNotMatch((await countedInTime(() => run('status'))).stdout, /interrupted/)
  assert.match((await run('purge', '--dry-run', one)).stdout, /nothing of it is stored/)
})

onOneDatabase('a purge may be killed at any moment, and the next one ends it', async (database) => {
  const secret = 'xylophone-quagmire'
  const keys = Array.from({ length: 1_200 }, (_, n) => `k${n}`)
  const lines = keys.map((key) => line(one, key, `${secret} ${key}`))
  const file = writeLines(inFolder(`killed-${database}.jsonl`), [...lines, ...linesOf([two])])
  const fill = async (): Promise<string> => {
    const url = await emptyUrl(database)
    const { stdout } = await runInTurn(['import', file], { env: { LEXIGRAPH_DATABASE: url } })
    assert.match(stdout, /^refused +0$/m)
    return url
  }
  const dice = createDice(seed)
  type Kill = (child: ReturnType<typeof spawnProgram>) => Promise<unknown>
  // It has said so before it removes the first row.
  const afterFirstWords: Kill = ({ stdout }) => once(stdout, 'data')
  const beforeRewrite: Kill = ({ stderr }) => once(stderr, 'data')
  const anyMoment: Kill = async (child) => {
    await afterFirstWords(child)
    await moment(dice.draw() * 500)
  }
  const kills = [
    ...(database === 'sqlite' && rounds() > 1 ? [afterFirstWords, beforeRewrite] : []),
    ...Array.from({ length: rounds() }, () => anyMoment),
  ]
  for (const kill of kills)
    await replayable(seed, async () => {
      const env = { LEXIGRAPH_DATABASE: await copied(database, fill) }
      const run = (...args: readonly string[]) => runInTurn(args, { env })
      {
        using child = spawnProgram(['purge', one, ...because], env)
        const ended = once(child, 'exit')
        await Promise.race([kill(child), ended])
        child.kill('SIGKILL')
        await ended
      }
      // Whatever is left of it cannot be seen.
      assert.equal((await run('export')).stdout.trimEnd().split('\n').length, 2)
      const finished = await run('purge', one, ...because)
      assert.deepEqual([finished.stderr.includes('failed'), finished.status], [false, 0])
      assert.doesNotMatch((await countedInTime(() => run('status'))).stdout, /interrupted/)
      assert.match((await run('purge', '--dry-run', one)).stdout, /nothing of it is stored/)
      if (database === 'sqlite')
        for (const suffix of ['', '-wal'].filter((suffix) => existsSync(env.LEXIGRAPH_DATABASE + suffix)))
          assert.ok(!readFileSync(env.LEXIGRAPH_DATABASE + suffix).includes(secret), suffix)
      assert.equal((await run('hide', '--undo', one)).status, 0)
    })
})

onOneDatabase('records past their retention are removed once and stay away', async (database) => {
  const env = { LEXIGRAPH_DATABASE: await emptyUrl(database) }
  const run = (...args: readonly string[]) => runInTurn(args, { env })
  const aged = (rkey: string, days: number) => {
    const indexedAt = new Date(Date.now() - days * 86_400_000).toISOString()
    return { ...line(one, rkey, `named-${rkey}`), indexedAt }
  }
  const file = writeLines(inFolder(`old-${database}.jsonl`), [aged('old', 100), aged('young', 80)])
  await run('import', file)
  for (const [text, message] of [
    ['90d', /--retain has "90d", which is not an age of a collection\. Write it as NSID=90d/],
    [`${collection}=0d`, /which is not an age/],
    [
      `${collection}x=9d`,
      /which is not a collection of the lexicons\. Did you mean tech\.service\.news\.source\?/,
    ],
    [`${collection}=9d,${collection}=8d`, /twice/],
  ] as const) {
    const refused = await run('purge', '--retain', text)
    assert.match(refused.stderr, message)
    assert.equal(refused.status, 2)
  }
  const retain = ['--retain', `${collection}=90d`]
  assert.match(
    (await run('purge', '--dry-run', ...retain)).stdout,
    new RegExp(`^${collection}: 1 record from before 20\\S+Z would be removed\\.\n$`),
  )
  const removed = await run('purge', ...retain)
  assert.match(removed.stdout, /^1 record was older than --retain allows, and removed\.\n/)
  if (database === 'sqlite') {
    const bytes = readFileSync(env.LEXIGRAPH_DATABASE)
    assert.deepEqual([bytes.includes('named-old'), bytes.includes('named-young')], [false, true])
  }
  assert.match(
    (await countedInTime(() => run('status'))).stdout,
    /source: 1 record was removed or not stored, being older than --retain allows\.\n/,
  )
  for (const more of [[], retain])
    assert.match((await run('import', file, ...more)).stdout, /^unchanged +1\nexpired +1$/m)
  assert.match((await run('import', file, '--retain', `${collection}=200d`)).stdout, /^stored +1$/m)
})

onOneDatabase('ingest removes what is too old beside what it follows', async (database) => {
  await using network = await startFakeJetstream()
  const env = {
    LEXIGRAPH_DATABASE: await emptyUrl(database),
    ...asksNobody,
    LEXIGRAPH_RETAIN: `${collection}=90d`,
  }
  const file = writeLines(inFolder(`ingest-${database}.jsonl`), [old])
  await runInTurn(['import', file], { env: { LEXIGRAPH_DATABASE: env.LEXIGRAPH_DATABASE } })
  await using _ingest = await startIngest(`jetstream:${network.url}`, env)
  const exported = async (): Promise<string> => (await runInTurn(['export'], { env })).stdout
  await until(async () => (await exported()) === '')
  const at = Date.now() * 1_000
  // An update of it is no new record.
  network.publishRecord({ did: one, collection, rkey: 'a', rev: tid(at), record: outlet('a'), update: true })
  network.publishRecord({
    did: one,
    collection,
    rkey: 'b',
    rev: tid(at + 1),
    record: outlet('b'),
    update: false,
  })
  await until(async () => (await exported()).includes(`/${collection}/b`))
  assert.doesNotMatch(await exported(), /source\/a"/)
})

test('serve removes what is too old as it runs', async () => {
  const env = { LEXIGRAPH_DATABASE: inFolder('serve.db') }
  const file = writeLines(inFolder('serve.jsonl'), [old])
  await runInTurn(['import', file], { env })
  await using service = await startService(['serve', '--retain', `${collection}=90d`], { env })
  await until(
    async () =>
      (await service.query('{ techServiceNewsSource { totalCount } }')).techServiceNewsSource.totalCount ===
      0,
  )
})

function line(did: string, rkey: string, name: string) {
  return { uri: `at://${did}/${collection}/${rkey}`, value: outlet(name) }
}

/** Two records of each account. */
function linesOf(dids: readonly string[]) {
  return dids.flatMap((did) => ['a', 'b'].map((rkey) => line(did, rkey, `${rkey} of ${did}`)))
}
