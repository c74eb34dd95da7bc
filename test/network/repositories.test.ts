/** Whole repositories of a real PDS: backfilled beside what happens, killed on the way, and compared. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Json } from '../reference/shapes.ts'
import { startDirectory } from '../support/network/directory.ts'
import { otherCid } from '../support/records/records.ts'
import { commandsInTurn } from '../support/server/commands.ts'
import { temporaryFolder } from '../support/store/store.ts'
import { moment } from '../support/until.ts'
import { type Account, startNetwork } from './network.ts'
import { differences, eventually, type Records, settingsIn, startIngest, storedIn } from './support-index.ts'
import { article, collections, outlet, rkeyOf } from './support-news.ts'
import { repeatedly } from './support-publisher.ts'

const inFolder = temporaryFolder()
const runCommand = commandsInTurn()

test('repositories are fetched as a whole', async (t) => {
  await using network = await startNetwork()
  const accounts = await network.createAccounts(4)
  const [alice, bert, carol, dora] = accounts as [Account, Account, Account, Account]
  for (const account of accounts) await publishSome(account)
  const run = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<Json> => {
    const { stdout, stderr, status } = await runCommand([...args, '--json'], { env })
    assert.equal(status, 0, stderr)
    return JSON.parse(stdout)
  }

  await t.test('a DID, a handle, a CAR file and a PDS name repositories, while events go on', async () => {
    const database = inFolder('backfill.db')
    const env = settingsIn(network, database)
    await using ingest = await startIngest(`firehose:${network.pdsUrl}`, env)
    let number = 0
    const stopWriting = repeatedly(async () => {
      const { uri } = await alice.create(collections.source, outlet(`Meanwhile ${(number += 1)}`))
      if (number % 3 === 0) await alice.delete(collections.source, rkeyOf(uri))
      // Else the PDS, which is in this process, has no time for anything else.
      await moment(500)
    })
    const isWhole = async (...whose: readonly Account[]): Promise<void> => {
      const stored = await storedIn(database)
      for (const account of whose)
        assert.deepEqual(differences(await account.records(), of(account, stored)), [])
    }
    assert.equal((await run(['backfill', bert.did], env)).outcome.stored, recordsOfEach)
    await isWhole(bert)
    assert.equal((await run(['backfill', carol.handle], env)).outcome.stored, recordsOfEach)
    await isWhole(bert, carol)
    const car = inFolder('dora.car')
    const exported = await fetch(`${network.pdsUrl}/xrpc/com.atproto.sync.getRepo?did=${dora.did}`)
    writeFileSync(car, Buffer.from(await exported.arrayBuffer()))
    assert.equal((await run(['backfill', car], env)).outcome.stored, recordsOfEach)
    await isWhole(bert, carol, dora)
    const { read, failed, complete } = await run(['backfill', network.pdsUrl], env)
    assert.deepEqual({ read, failed, complete }, { read: accounts.length, failed: [], complete: true })
    await stopWriting()
    const all = await published(accounts)
    await eventually(async () => differences(all, await storedIn(database)), [])

    const before = await storedIn(database)
    const { outcome } = await run(['backfill', network.pdsUrl], env)
    assert.deepEqual([outcome.stored, outcome.updated, outcome.deleted], [0, 0, 0])
    const after = await storedIn(database)
    assert.deepEqual(differences(before, after), [])
    assert.deepEqual(momentsOf(after), momentsOf(before))
    await ingest.stop()
  })

  await t.test('a comparison tells what was missed, repairs it, and then finds that all agree', async () => {
    const database = inFolder('reconcile.db')
    const env = settingsIn(network, database)
    const extra = { uri: `at://${dora.did}/${collections.source}/extra`, value: outlet('Of nobody') }
    writeFileSync(inFolder('extra.jsonl'), JSON.stringify(extra))
    await runCommand(['import', inFolder('extra.jsonl')], { env })
    const whose = [alice, bert, carol, dora]
    await run(['backfill', alice.did, bert.did, carol.did], env)
    const reconciled = await run(['reconcile', dora.did], env)
    assert.deepEqual(reconciled.differences, [
      { name: dora.did, stored: recordsOfEach, updated: 0, deleted: 1 },
    ])

    const [first, second, third] = [...(await bert.records()).keys()].map(rkeyOf) as [string, string, string]
    const source = await bert.create(collections.source, outlet('Missed'))
    await bert.create(collections.article, article('Missed', source))
    await bert.update(collections.article, first, article('Changed', source))
    for (const rkey of [second, third]) await bert.delete(collections.article, rkey)
    const found = await run(['reconcile'], env)
    assert.deepEqual(
      [found.read, found.differences],
      [whose.length, [{ name: bert.did, stored: 2, updated: 1, deleted: 2 }]],
    )
    assert.deepEqual(differences(await published(whose), await storedIn(database)), [])
    const agreed = 'The database and the repositories agree.\n'
    assert.ok((await runCommand(['reconcile'], { env })).stdout.endsWith(agreed))
    // Of what could not be compared nothing is said to agree.
    await using directory = await startDirectory()
    const unknown = ['reconcile', dora.did, '--plc', directory.url]
    const { stdout, status } = await runCommand(unknown, { env })
    assert.equal(status, 1)
    assert.match(stdout, /No repository was compared\./)
    assert.doesNotMatch(stdout, /agree/)
  })
})

const recordsOfEach = 12

async function publishSome(account: Account): Promise<void> {
  await account.create(collections.source, outlet(`Of ${account.handle}`), 'self')
  const of = { uri: `at://${account.did}/${collections.source}/self`, cid: otherCid }
  await account.applyWrites(
    Array.from({ length: recordsOfEach - 1 }, (_, number) => ({
      kind: 'create' as const,
      collection: collections.article,
      record: article(`${number} of ${account.handle}`, of),
    })),
  )
}

async function published(accounts: readonly Account[]): Promise<Records> {
  return new Map((await Promise.all(accounts.map((account) => account.records()))).flatMap((all) => [...all]))
}

function of({ did }: Account, records: Records): Records {
  return new Map([...records].filter(([uri]) => uri.startsWith(`at://${did}/`)))
}

function momentsOf(stored: Awaited<ReturnType<typeof storedIn>>): readonly (readonly [string, string])[] {
  return [...stored].map(([uri, { indexedAt }]) => [uri, indexedAt])
}
