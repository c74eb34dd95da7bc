/**
 * Asks random questions while a writer inserts, updates, deletes and hides records. Each answer must be the reference
 * evaluator's at one committed state, and not at one that was over when the question was asked. Answers are compared
 * when all are there, so that the evaluator takes no time from the writer.
 */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { accountOf, type Change } from '../src/database/changes.ts'
import { createDice, type Dice } from './network/fake-server.ts'
import type { PlainRecord } from './reference/dataset.ts'
import type { Json } from './reference/shapes.ts'
import { parseInstant } from './reference/values.ts'
import { createReference, type Reference } from './reference/reference.ts'
import { answerOf, withoutCursors } from './support/random/ask.ts'
import { type Corpus } from './support/random/corpus.ts'
import { type Question, questions } from './support/random/operations.ts'
import { drawCorpus, points } from './support/random/property.ts'
import { replayable } from './support/random/replay.ts'
import { rev } from './support/records/notes.ts'
import { rounds, seed as firstSeed } from './support/rounds.ts'
import { openTestService, type TestService } from './support/service/service.ts'
import { citusUrl } from './support/clusters/citus.ts'
import { onEveryEngine } from './support/store/databases.ts'
import { until } from './support/until.ts'

const askers = 3
const perCorpus = rounds() > 1 ? 100 : 30
/** Records that are written for each question. On a cluster, whose transactions take long, they need many records. */
const perQuestion = 15
const otherCorpora = citusUrl === undefined ? 1 : 10

onEveryEngine('each answer is that of one committed state, beside a writer', async (database) => {
  const told = { asked: 0, answered: 0, states: 0, changes: 0, changesPerSecond: 0 }
  let asking = 0
  for (let seed = firstSeed; seed < firstSeed + rounds(); seed += 1)
    await replayable(seed, async () => {
      const corpus = await drawCorpus(seed)
      let now = parseInstant('2026-11-20T00:00:00Z')
      await using service = await openTestService({ ...corpus, database, now: () => now })
      const others = Array.from({ length: otherCorpora }, (_, n) => drawCorpus(seed + (n + 1) * 1_000_000))
      const writer = new Writer(service, corpus, await Promise.all(others))
      const log = new Log(corpus, writer.seen())
      const dice = createDice(seed)
      const over = new AbortController()
      let wake = (): void => {}
      const writing = (async () => {
        for (let turn = 1; !over.signal.aborted; turn += 1) {
          const due = perQuestion * told.asked - told.changes - writer.changes
          // About half of what is drawn is left as it is.
          const size = Math.ceil(Math.max(2 * due, fewestDrawn))
          now += BigInt(size)
          const commit = writer.draw(dice, turn, { now, size })
          log.begin(writer.seen())
          await commit()
          log.end()
          if (!over.signal.aborted)
            await new Promise<void>((resolve) => {
              wake = resolve
            })
        }
      })()
      const open = fc.sample(questions(log.any), { seed, numRuns: perCorpus })
      const answers: Answered[] = []
      const ask = async (): Promise<void> => {
        for (let question = open.pop(); question !== undefined; question = open.pop()) {
          told.asked += 1
          // A transaction begins while it is answered.
          wake()
          const from = log.committed
          const data = await answerOf(service, question.text, points)
          if (data !== null) answers.push({ ...question, data, from, until: log.last })
        }
      }
      try {
        // However long that took, the first question lets another transaction begin.
        await until(() => log.committed > 0)
        performance.mark('asking')
        await Promise.all(Array.from({ length: askers }, ask))
        asking += performance.measure('asked', 'asking').duration
      } finally {
        over.abort()
        wake()
        await writing
      }
      told.answered += answers.length
      told.states += log.last
      told.changes += writer.changes
      for (const answer of answers) assertCommitted(log, answer)
    })
  // Some cost too much, and others are not there on clusters.
  assert.ok(told.answered > told.asked / 4, `${told.answered} answers`)
  assert.ok(told.states > rounds(), `${told.states} states`)
  told.changesPerSecond = Math.round((1000 * told.changes) / asking)
  console.log(JSON.stringify(told))
})

/** A question, its answer, and the first and the last state that this may be of. */
interface Answered extends Question {
  readonly data: Json
  readonly from: number
  readonly until: number
}

function assertCommitted(log: Log, { text, answer, data, from, until }: Answered): void {
  for (let state = from; state <= until; state += 1) {
    log.lookAt(state)
    const expected = answer()
    if (isDeepStrictEqual(withoutCursors(data, expected), expected)) return
  }
  log.lookAt(from)
  const states = `the answer of none of the states ${from} to ${until}`
  assert.deepEqual(data, answer(), `${text} has ${states}; that of the first of them is compared`)
  throw new Error(`${text} has ${states}.`)
}

/** The states that the writer commits, and the evaluator of the one that is looked at. */
class Log {
  /** The last state that is known to be committed. */
  committed = 0
  /** Answers of the state that is looked at, whichever that is. */
  readonly any: Reference
  readonly #corpus: Corpus
  readonly #states: (readonly PlainRecord[])[]
  #at: Reference

  constructor(corpus: Corpus, first: readonly PlainRecord[]) {
    this.#corpus = corpus
    this.#states = [first]
    this.#at = this.#evaluator(first)
    this.any = new Proxy(this.#at, { get: (_, name) => Reflect.get(this.#at, name) })
  }

  get last(): number {
    return this.#states.length - 1
  }

  /** Of a state that is about to be committed. */
  begin(seen: readonly PlainRecord[]): void {
    this.#states.push(seen)
  }

  end(): void {
    this.committed = this.last
  }

  lookAt(state: number): void {
    const seen = this.#states[state] ?? []
    if (this.#at.records !== seen) this.#at = this.#evaluator(seen)
  }

  #evaluator(seen: readonly PlainRecord[]): Reference {
    return createReference(this.#corpus.lexicons, this.#corpus.references, seen)
  }
}

/** Records that a transaction draws at least. */
const fewestDrawn = 30

/** Draws transactions. What is hidden is not written meanwhile. */
class Writer {
  /** Of records, accounts and hidings, so far. */
  changes = 0
  readonly #service: TestService
  readonly #stored: Map<string, PlainRecord>
  readonly #versions: Map<string, PlainRecord[]>
  readonly #dids: readonly string[]
  /** URIs and DIDs. */
  readonly #hidden = new Set<string>()

  constructor(service: TestService, first: Corpus, others: readonly Corpus[]) {
    const all = [first, ...others].flatMap(({ records }) => records)
    this.#service = service
    this.#stored = new Map(first.records.map((record) => [record.uri, record]))
    this.#versions = Map.groupBy(all, ({ uri }) => uri)
    this.#dids = [...new Set(all.map(({ did }) => did))]
  }

  seen(): readonly PlainRecord[] {
    return [...this.#stored.values()].filter((record) => !this.#isHidden(record))
  }

  /**
   * The next transaction, to be run, of `size` records. `now` is the writer's clock: as many microseconds have passed, so
   * that the times of its changes are known.
   */
  draw(dice: Dice, turn: number, { now, size }: { now: bigint; size: number }): () => Promise<void> {
    const { write } = this.#service.opened.database
    const { metadata } = write
    const uris = [...this.#versions.keys()].filter((uri) => !this.#hidden.has(accountOf(uri)))
    this.changes += 1
    if (uris.length > 0 && dice.chance(0.15)) {
      const subject = dice.pick(uris)
      if (this.#hidden.delete(subject)) return async () => void (await metadata.unhide(subject, 'ann'))
      this.#hidden.add(subject)
      return async () => void (await metadata.hide({ subject, reason: 'Drawn.', hiddenBy: 'ann' }))
    }
    const dids = this.#dids.filter((did) => this.#isWhole(did))
    if (dids.length > 0 && dice.chance(0.1)) {
      const did = dice.pick(dids)
      const active = this.#hidden.delete(did)
      if (!active) this.#hidden.add(did)
      const status = active ? null : 'deactivated'
      return async () =>
        void (await write.applyBatch([{ kind: 'account', did, active, status, eventAt: now }]))
    }
    const changed = new Set(Array.from({ length: size }, () => dice.pick([...this.#versions.values()])))
    let updated = 0n
    const changes = [...changed].flatMap((versions): Change[] => {
      const version = dice.pick(versions)
      const { uri, did, collection, rkey, cid } = version
      if (this.#isHidden(version)) return []
      const before = this.#stored.get(uri)
      if (before !== undefined && dice.chance(0.4)) {
        this.#stored.delete(uri)
        return [{ kind: 'delete', did, collection, rkey, rev: revOf(turn) }]
      }
      if (before?.cid === cid) return []
      const record = { ...version, rev: revOf(turn) }
      this.#stored.set(
        uri,
        before === undefined ? record : { ...record, indexedAt: before.indexedAt, changedAt: now + updated },
      )
      if (before !== undefined) updated += 1n
      return [this.#service.opened.changeOf(record)]
    })
    this.changes += changes.length - 1
    return async () => void (await write.applyBatch(changes))
  }

  /** Records that were hidden by themselves return in a later transaction than their account. */
  #isWhole(did: string): boolean {
    return ![...this.#hidden].some((subject) => subject !== did && accountOf(subject) === did)
  }

  #isHidden({ uri, did }: PlainRecord): boolean {
    return this.#hidden.has(uri) || this.#hidden.has(did)
  }
}

/** Later than those of random records. */
function revOf(turn: number): string {
  return `3m${rev(turn).slice(2)}`
}
