/**
 * The real program, killed at random moments while accounts write, vanish and come back: in the end the index
 * holds what the repositories hold. TEST_SEED replays what publishers do and when programs are interrupted, TEST_ROUNDS
 * says how many kills there are of each; one follows a firehose, from two on there are others of a Tap and of Jetstreams.
 * All follow the same publishers at once, whose writing is what costs.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { commandsInTurn } from '../support/server/commands.ts'
import { inspectStore } from '../support/store/inspect.ts'
import { temporaryFolder } from '../support/store/store.ts'
import { longTest, rounds, seed, someForms } from '../support/rounds.ts'
import { moment, until } from '../support/until.ts'
import { startFakeJetstream } from './fake-jetstream.ts'
import { createDice, type Dice, type Faults } from './fake-server.ts'
import { startFakeTap } from './fake-tap.ts'
import { type Network, startNetwork } from './network.ts'
import { type Program, startProgram } from './service.ts'
import { differences, packageLexicons, settingsIn, startIngest, storedIn } from './support-index.ts'
import type { Order } from './support-killer.ts'
import { collections } from './support-news.ts'
import {
  type Happening,
  type Publishers,
  repeatedly,
  startPublishers,
  tellJetstream,
  tellTap,
} from './support-publisher.ts'

const inFolder = temporaryFolder()
const inTurn = commandsInTurn()
const references = JSON.parse(readFileSync(`${packageLexicons}/references.json`, 'utf8'))
const names = ['crowd', 'alice', 'bert']

interface Stream extends AsyncDisposable {
  readonly from: string
  readonly tell: (happening: Happening) => void
  /** How many events it was told are stored; absent where it is not told. */
  readonly acknowledged?: () => number
}

const usualFaults = { duplicate: 0.05, reorder: 0.2, garbage: 0.01, cut: 0.002 }
const streams: Readonly<Record<string, (pdsUrl: string) => Promise<Stream>>> = {
  'a firehose': async (pdsUrl) => ({
    from: `firehose:${pdsUrl}`,
    tell: () => {},
    [Symbol.asyncDispose]: async () => {},
  }),
  'a Tap': async () => {
    const server = await startFakeTap({ seed, faults: usualFaults })
    return {
      ...server,
      from: `tap:${server.url}`,
      tell: (happening) => tellTap(server, happening),
      acknowledged: () => server.acknowledged.length,
    }
  },
  'a Jetstream': () => startJetstream(usualFaults),
  'a Jetstream that drops events': () => startJetstream({ drop: 0.03 }, 1),
}

async function startJetstream(faults: Faults, protocol: 1 | 2 = 2): Promise<Stream> {
  const server = await startFakeJetstream({ seed, faults, protocol })
  return {
    ...server,
    from: `jetstream:${server.url}`,
    tell: (happening) => tellJetstream(server, happening),
  }
}

type Follower = Awaited<ReturnType<typeof startFollower>>

/** A program that follows one of the streams, with an index of its own. */
async function startFollower(
  network: Network,
  started: AsyncDisposableStack,
  [name, startStream]: [string, (typeof streams)[string]],
) {
  const stream = started.use(await startStream(network.pdsUrl))
  const database = inFolder(`${name}.db`)
  const env = settingsIn(network, database)
  const dice = createDice(seed)
  // Live before anything is published, since before its first event there is nothing to go on from.
  const first = started.use(startProgram(anyOf(stream, dice), { env }))
  await first.said(/ is live\./)
  // It kills the program that writes the database.
  const killer = new Worker(new URL('support-killer.ts', import.meta.url), { workerData: database })
  started.defer(async () => void (await killer.terminate()))
  return { name, stream, isComplete: !name.includes('drops'), database, env, dice, killer, first }
}

longTest(
  'a program that writes the index may be killed at any moment, and nothing is lost',
  {},
  async (t) => {
    await using network = await startNetwork()
    await using started = new AsyncDisposableStack()
    const followers = await all(someForms(Object.entries(streams)), (one) =>
      startFollower(network, started, one),
    )
    const publishers = await startPublishers(network, names, createDice(seed), (happening) => {
      for (const { stream } of followers) stream.tell(happening)
    })

    await t.test('while it follows a stream', async (t) => {
      await whilePublishing(t, publishers, () =>
        all(followers, (follower) => killAgain(follower, publishers)),
      )
      await using last = new AsyncDisposableStack()
      const resumed = await all(followers, async (follower) => {
        const ingest = last.use(await startIngest(follower.stream.from, follower.env))
        // The first comparison ends one that was interrupted, and knows nothing of what has been dropped since.
        if (!follower.isComplete)
          for (let turn = 0; turn < 2; turn += 1) await run(['reconcile'], follower.env)
        return { ...follower, ingest }
      })
      await all(resumed, ({ database }) => agreement(database, publishers))
      await publishers.revive()
      await all(resumed, async ({ name, isComplete, env, database, ingest }) => {
        if (!isComplete) await run(['reconcile'], env)
        await agreement(database, publishers)
        assert.equal((await ingest.status()).repositories.failed, 0, name)
        await ingest.stop()
        await inspectStore(database, references, questions)
      })
    })

    await longTest(
      'while it fetches or compares repositories',
      {},
      async (t) => {
        const database = inFolder('repositories.db')
        const env = settingsIn(network, database)
        const dice = createDice(seed)
        const interrupt = async (args: readonly string[]): Promise<void> => {
          await using program = startProgram(args, { env })
          await Promise.race([moment(200 + 1_000 * dice.draw()), program.ended])
        }
        await whilePublishing(t, publishers, async () => {
          for (let kill = 0; kill < rounds(); kill += 1)
            await interrupt(dice.chance(0.6) ? ['backfill', network.pdsUrl] : ['reconcile'])
        })

        // The first of them ends what was interrupted, the second has everything that was written since.
        await run(['backfill', network.pdsUrl], env)
        await run(['backfill', network.pdsUrl], env)
        await run(['reconcile'], env)
        await agreement(database, publishers)
        await publishers.revive()
        // Who was hidden whenever a run asked has nothing in the index: by itself a comparison does not know of them.
        const compare = ['reconcile', network.pdsUrl]
        for (let act = 0; act < 10; act += 1) await publishers.act()
        // All is written before the first of them begins, so that both together have everything.
        await interrupt(compare)
        await run(compare, env)
        await agreement(database, publishers)
        assert.match(await run(['reconcile'], env), /The database and the repositories agree\.\n$/)
        await inspectStore(database, references, questions)
      },
      t,
    )
  },
)

/** Does the work while publishers do not rest. */
async function whilePublishing(
  t: TestContext,
  publishers: Publishers,
  work: () => Promise<unknown>,
): Promise<void> {
  t.diagnostic(`TEST_SEED=${seed}`)
  // The publishers' PDS is in this process, which others need too.
  const stop = repeatedly(() => Promise.all([publishers.act(), moment(50)]))
  await work()
  await stop()
}

/** The first program, and then others that go on where the one before was killed. */
async function killAgain(follower: Follower, publishers: Publishers): Promise<void> {
  const { first, stream, database, env, dice, isComplete } = follower
  await until(async () => (await storedIn(database)).size > 0)
  for (let kill = 0; kill < rounds(); kill += 1) {
    await using _compared = isComplete || dice.chance(0.6) ? null : startProgram(['reconcile'], { env })
    await using program = kill === 0 ? first : startProgram(anyOf(stream, dice), { env })
    await killAmid(program, follower, publishers)
  }
}

/** A program that follows the stream. */
function anyOf({ from }: Stream, dice: Dice): readonly string[] {
  return dice.chance(0.2) ? ['serve', '--ingest', from, '--port', '0'] : ['ingest', '--from', from]
}

/** While the program starts, as soon as it has said that events are stored, or between two transactions. */
async function killAmid(
  program: Program,
  { dice, killer, stream }: Follower,
  publishers: Publishers,
): Promise<void> {
  const when = dice.draw()
  const share = dice.draw()
  if (when < 0.15) {
    await moment(1_000 * share)
    return
  }
  await program.said(/ is live\./)
  const happening = when < 0.4 ? publishers.hideOrShow() : publishers.act()
  const { acknowledged } = stream
  if (acknowledged !== undefined && dice.chance(0.6)) {
    const enough = acknowledged() + 1 + Math.floor(10 * share)
    for (let looks = 1_000; looks > 0 && acknowledged() < enough; looks -= 1) await moment(1)
    await program.kill('SIGKILL')
  } else {
    const transactions = 1 + Math.floor(8 * dice.draw())
    const order: Order = { pid: program.pid, transactions, after: dice.pick([0, 500 * share]) }
    killer.postMessage(order)
    await program.ended
  }
  await happening
}

/** Resolves when the index holds what is published; tells what differs when it does not come to that. */
async function agreement(database: string, publishers: Publishers): Promise<void> {
  const published = await publishers.published()
  let different: readonly string[] = []
  const agrees = async (): Promise<boolean> => {
    different = differences(published, await storedIn(database))
    return different.length === 0
  }
  await until(agrees).catch(async (cause: unknown) => {
    const lines = [...different.slice(0, 20), await run(['status', '--database', database], {})].join('\n')
    throw new Error(`TEST_SEED=${seed}: ${different.length} differ.\n${lines}`, { cause })
  })
}

/** All at once; when some fail, after the others. */
async function all<Given, Made>(
  given: readonly Given[],
  work: (one: Given) => Promise<Made>,
): Promise<readonly Made[]> {
  const outcomes = await Promise.allSettled(given.map(work))
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

async function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout, stderr, status } = await inTurn(args, { env })
  assert.equal(status, 0, `TEST_SEED=${seed}: ${stdout}${stderr}`)
  return stdout
}

const questions = [
  { collection: collections.article, where: {} },
  ...['storm', 'st', '選挙', 'ista', '100%'].map((text) => ({
    collection: collections.article,
    where: { title: { contains: text } },
  })),
  { collection: collections.article, where: { tags: { has: 'música' } } },
  { collection: collections.article, where: { source: { isCurrent: true } } },
  { collection: collections.article, where: { source: { country: { eq: 'JP' } } } },
  { collection: collections.article, where: { techServiceNewsEnrichmentViaArticle: { some: {} } } },
  { collection: collections.enrichment, where: { article: { isIndexed: false } } },
]
