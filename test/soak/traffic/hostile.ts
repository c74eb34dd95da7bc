/** Callers who mean no good, or do not care: each with the outcomes that are foreseen for it, and no others. */
import type { Dice } from '../../network/fake-server.ts'
import { moment } from '../../support/until.ts'
import { createKey } from '../../../src/util/api-key.ts'
import { type Answer, Caller, outcomeOf, type Question } from './client.ts'
import type { Tally } from '../tally.ts'

/** Each goes on until the signal is aborted. */
export type Hostile = (signal: AbortSignal) => Promise<void>

export interface HostileGiven {
  readonly port: number
  readonly dice: Dice
  readonly tally: Tally
}

const article = 'techServiceNewsArticle'

/** Near what an operation of the public may cost, by what it is heavy in. */
const heavy: readonly ((n: number) => string)[] = [
  (n) =>
    `{ ${article}Aggregate(groupBy: [source, publishedAt_day, language], limit: 100, having: {measure: COUNT, operator: GTE, value: ${1 + (n % 3)}}) { groupCount groups { count } } }`,
  (n) =>
    `{ ${article}(first: 20, where: {NOT: {title: {contains: "e"}}, url: {contains: "${n}x"}}) { totalCount nodes { uri } } }`,
  (n) =>
    `{ techServiceNewsSource(first: ${40 + (n % 9)}) { nodes { ${article}ViaSource(first: 60) { nodes { uri title description recordJson } } } } }`,
  (n) =>
    `{ ${article}(first: 10, where: {source: {displayName: {contains: "${n % 7}"}}}, sortBy: [{field: title}, {field: url}]) { totalCount nodes { uri } } }`,
]
const page = `{ ${article}(first: 20) { nodes { uri title sourceResolved { ... on TechServiceNewsSource { displayName } } } } }`

/** Somebody without a key who always asks for the heaviest. */
export function glutton({ port, dice, tally }: HostileGiven): Hostile {
  const codes = ['ok', 'RATE_LIMITED', 'QUERY_TOO_COMPLEX', 'TIMEOUT', 'UNAVAILABLE']
  return until(async (n) => {
    using caller = new Caller({ port, address: '127.0.0.7' })
    for (let times = 0; times < 10; times += 1) {
      const answer = await caller.post({ query: dice.pick(heavy)(n * 10 + times) })
      judge(tally, 'heavy', answer, codes)
      await moment(30)
    }
  })
}

/** Somebody who asks for a lot and does not wait for it. */
export function quitter({ port, dice, tally }: HostileGiven, key: string, asked: { count: number }): Hostile {
  return until(async (n) => {
    using caller = new Caller({ port, address: '127.0.0.3', key })
    const leaving = Array.from({ length: 6 }, async () => {
      asked.count += 1
      const question: Question = { query: dice.pick([page, ...heavy.map((each) => each(n))]) }
      tally.count('hang-up', await caller.leave(question, dice.draw() * 60))
    })
    await Promise.all(leaving)
    await moment(100)
  })
}

/** Somebody who asks far more often than allowed, and takes no refusal for an answer. */
export function flooder({ port, tally }: HostileGiven, key: string, seen: Map<string, number>): Hostile {
  return until(async (n) => {
    using caller = new Caller({ port, address: '127.0.0.4', key, seen })
    const flood = Array.from({ length: 40 }, async (_, index) => {
      const answer = await caller.post({ query: index % 4 === 0 ? (heavy[1]?.(n) ?? page) : page })
      judge(tally, 'flood', answer, ['ok', 'RATE_LIMITED', 'TIMEOUT', 'UNAVAILABLE'])
      if (answer.status === 429 && !/^\d+$/.test(answer.headers['retry-after'] ?? ''))
        tally.problem(`A refusal says to try again after ${answer.headers['retry-after']}.`)
    })
    await Promise.all(flood)
    await moment(700)
  })
}

/** Somebody who tries keys: made up, ended, and a beginning of one. An empty key is none. */
export function guesser({ port, dice, tally }: HostileGiven, ended: readonly string[]): Hostile {
  return until(async () => {
    using caller = new Caller({ port, address: '127.0.0.6' })
    const key = dice.pick([...ended, createKey(), 'lgk_'])
    judge(tally, 'guess', await caller.post({ query: page }, key), ['UNAUTHENTICATED', 'RATE_LIMITED'])
    await moment(150)
  })
}

export function until(work: (n: number) => Promise<void>): Hostile {
  return async (signal) => {
    for (let n = 0; !signal.aborted; n += 1) await work(n)
  }
}

function judge(tally: Tally, kind: string, answer: Answer, allowed: readonly string[]): void {
  const outcome = outcomeOf(answer)
  tally.count(kind, outcome)
  if (!allowed.includes(outcome))
    tally.problem(`${kind} was answered with ${answer.status}: ${answer.text.slice(0, 1_000)}`)
}
