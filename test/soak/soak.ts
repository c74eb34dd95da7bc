/**
 * The real program under everything at once: honest callers whose every answer is compared, hostile ones, a stream
 * that never rests, and operators at the command line. Whatever should not have been is a problem in the tally.
 */
import { isDeepStrictEqual } from 'node:util'
import { createDice, type Dice } from '../network/fake-server.ts'
import { startDirectory } from '../support/network/directory.ts'
import type { Exposition } from '../support/server/exposition.ts'
import { moment, until as untilTrue } from '../support/until.ts'
import { attacker } from './traffic/attacker.ts'
import { Caller } from './traffic/client.ts'
import { drawVersions, libraryCollections, newsCollections } from './corpora.ts'
import { Disappointment, Honest } from './traffic/honest.ts'
import {
  flooder,
  glutton,
  guesser,
  type Hostile,
  type HostileGiven,
  quitter,
  until,
} from './traffic/hostile.ts'
import { compareMetrics, requestsOf, type Sent } from './metrics.ts'
import { Moving } from './traffic/moving.ts'
import { Operator } from './traffic/operator.ts'
import { type Publishers, startPublishers } from './traffic/publishers.ts'
import { type Drawn, drawQuestion } from './traffic/questions.ts'
import { type Server, startServer } from './server.ts'
import { Tally } from './tally.ts'
import { type Bounds, type Growth, Watch } from './watch.ts'
import { type Fixture, openFixture } from './fixture.ts'

export interface SoakGiven {
  readonly seed: number
  /** Whether this many checkpoints are enough. */
  readonly isEnough: (checkpoints: number) => boolean
  /** Between two checkpoints: what is published, and what an operator does. */
  readonly events: number
  readonly acts: number
  /** Questions about records that stay as they are; each is asked again and again. */
  readonly questions: number
  /** Questions at each checkpoint. */
  readonly checks: number
  /** Sets of versions that the moving accounts publish. */
  readonly sets: number
  /** As in `openFixture`. */
  readonly crowd: number
  readonly growth: Bounds
  /** Told after each checkpoint. */
  readonly onPeriod?: (so: Soaked) => void
}

export interface Soaked {
  readonly tally: Tally
  readonly events: number
  readonly checkpoints: number
  readonly growth: readonly Growth[]
  /** Megabytes, of the file and of what is written and not yet in it. */
  readonly sizes: { readonly file: number; readonly log: number }
  /** Megabytes that are in use, of all processes that say so, and what they hold besides. */
  readonly heap: { readonly used: number; readonly external: number }
}

/** Megabytes of what is written and not yet in the database's file. */
const mostLog = 200
/** Handles and repositories are looked for in vain. */
const nowhere = 'http://127.0.0.1:1'
const someKey = 'did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme'

export async function soak(given: SoakGiven): Promise<Soaked> {
  const { seed } = given
  const tally = new Tally()
  const dice = createDice(seed)
  await using fixture = await openFixture(seed, given.crowd)
  await using publishers = await startPublishers(await drawVersions(seed, given.sets), dice)
  await using directory = await startDirectory(
    ...publishers.accounts.map((did, n) => ({ did, key: someKey, handle: `n${n}.test`, pds: nowhere })),
  )
  const keys = await createKeys(fixture)
  await using server = await serve(fixture, publishers.source, directory.url, tally)
  const { port } = server
  /** What the server must have counted in the end. */
  const sent = {
    honest: new Map<string, number>(),
    flooding: new Map<string, number>(),
    left: { count: 0 },
  }
  using caller = new Caller({ port, address: '127.0.0.2', key: keys.honest, seen: sent.honest })
  const honest = new Honest(caller, tally)
  const moving = new Moving(honest, publishers, fixture, tally)
  const operator = new Operator({ fixture, publishers, honest, port, dice, tally, seen: sent.honest })
  const others: HostileGiven = { port, dice, tally }
  const bank = drawBank(fixture, given)
  const loops: readonly Hostile[] = [
    asker(honest, fixture, bank, dice),
    asker(honest, fixture, bank, dice),
    until(async (n) => {
      await moving.askBeside(seed + n)
      await moving.askAgain(n)
      await moment(50)
    }),
    attacker(others, fixture),
    glutton(others),
    quitter(others, keys.leaving, sent.left),
    flooder(others, keys.flooding, sent.flooding),
    guesser(others, operator.endedKeys),
  ]

  const end = new AbortController()
  const watch = new Watch()
  const watching = watch.untilAborted(server.pid, 500, end.signal)
  const running = loops.map((loop) => forgiving(loop)(end.signal))
  // Whatever fails ends the soak, even in the middle of a period.
  const failed = Promise.race(running.map((loop) => loop.then(() => new Promise<never>(() => {}))))
  failed.catch(() => undefined)
  let checkpoints = 0
  const soFar = async (): Promise<Soaked> => ({
    tally,
    events: publishers.events(),
    checkpoints,
    growth: watch.growth(),
    sizes: await fixture.sizes(),
    heap: heapOf(await server.metrics()),
  })
  const main = async (): Promise<void> => {
    await moving.checkpoint(seed, 0)
    while (!given.isEnough(checkpoints)) {
      await Promise.all([publish(publishers, given.events, dice), operator.act(given.acts)])
      await orDisappointed(moving.checkpoint(seed + 1_000 * checkpoints, given.checks))
      checkpoints += 1
      honest.forgetBodies()
      given.onPeriod?.(await soFar())
    }
  }
  await Promise.race([main(), failed]).catch((error: Error) =>
    tally.problem(`It ended early: ${error.stack}`),
  )
  end.abort()
  await Promise.allSettled([...running, watching])
  await compareCounts(server, tally, [
    { tier: 'honest', seen: sent.honest, left: 0 },
    { tier: 'flooding', seen: sent.flooding, left: 0 },
    { tier: 'leaving', seen: new Map(), left: sent.left.count },
  ])
  const soaked = await soFar()
  for (const problem of watch.problems(given.growth)) tally.problem(problem)
  if (soaked.sizes.log > mostLog)
    tally.problem(`What is written and not yet in the file has ${soaked.sizes.log.toFixed(0)} MB.`)
  await server.stop()
  return soaked
}

type Keys = Readonly<Record<'honest' | 'leaving' | 'flooding', string>>

async function createKeys({ createKey }: Fixture): Promise<Keys> {
  const create = async (tier: keyof Keys): Promise<string> => (await createKey(tier, tier)).key
  return {
    honest: await create('honest'),
    leaving: await create('leaving'),
    flooding: await create('flooding'),
  }
}

function serve(fixture: Fixture, source: string, directory: string, tally: Tally): Promise<Server> {
  const ports = ['--port', '0', '--metrics-port', '0', '--trusted-proxies', '127.0.0.1']
  const env = { ...fixture.env, LEXIGRAPH_PLC: directory, LEXIGRAPH_HANDLE_RESOLVER: nowhere }
  return startServer([...ports, '--workers', '2', '--ingest', source], env, tally)
}

/** Their answers never change, so that they are worked out once. */
function drawBank({ still, stillAccounts }: Fixture, { seed, questions }: SoakGiven): readonly Drawn[] {
  const collections = [...libraryCollections, ...newsCollections]
  return Array.from({ length: questions }, (_, index) =>
    drawQuestion(still, collections, stillAccounts, seed + index),
  )
}

function asker(honest: Honest, { still }: Fixture, bank: readonly Drawn[], dice: Dice): Hostile {
  return until(async () => {
    const drawn = dice.pick(bank)
    if (dice.chance(0.5)) await honest.compare(drawn.kind, still, drawn)
    else await honest.compareAgain(`GET ${drawn.kind}`, still, drawn)
    await moment(10)
  })
}

/** Some hundred events in a second. */
async function publish(publishers: Publishers, events: number, dice: Dice): Promise<void> {
  const isCut = dice.chance(0.5)
  for (const last = publishers.events() + events; publishers.events() < last; await moment(50))
    for (let act = 0; act < 5; act += 1) publishers.act()
  if (isCut) publishers.disconnect()
}

/** What an honest caller had to see is in the tally, and it goes on. */
function forgiving(loop: Hostile): Hostile {
  return async (signal) => {
    while (!signal.aborted) await orDisappointed(loop(signal))
  }
}

async function orDisappointed(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Disappointment)) throw error
  }
}

function heapOf({ value }: Exposition): Soaked['heap'] {
  const megabytes = (name: string): number => (value(`nodejs_${name}_bytes`) ?? 0) / 2 ** 20
  return { used: megabytes('heap_size_used'), external: megabytes('external_memory') }
}

/** Those who left are only counted when the server has seen it, and the log comes a little later than what it tells. */
async function compareCounts(server: Server, tally: Tally, sent: readonly Sent[]): Promise<void> {
  const isQuiet = async (): Promise<boolean> => {
    const page = await server.metrics()
    const isLogged = isDeepStrictEqual(requestsOf(page), server.logged)
    return isLogged && page.value('lexigraph_requests_in_flight') === 0
  }
  // What still differs then is told.
  await untilTrue(isQuiet).catch(() => undefined)
  compareMetrics(await server.metrics(), server.logged, sent, tally)
}
