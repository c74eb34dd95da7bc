/** What attacks by number have in common: what is asked, how, and what must come of it. */
import assert from 'node:assert/strict'
import { sumOfFamily, workOf } from '../support/processes.ts'
import { until } from '../support/until.ts'
import type { Given } from './attack.ts'
import { type Answer, type Bytes, Connection } from './exchange.ts'
import { codeOf } from './launch.ts'
import { scarcePoints, type ServerName, type Target } from './world.ts'

export interface LoadScene {
  readonly name: string
  readonly server: ServerName
  /** Whether its outcome cannot depend on the engine: nothing that it sends gets as far as a statement of its own. */
  readonly isAboveStore?: true
  /** Says by itself what must come of it. */
  readonly play: (target: Target, given: Given) => Promise<void>
}

/**
 * How many requests of one point each a caller with so many points must send until at least `refused` are refused: a
 * process that hears nothing of its database may spend once more what was left when it last heard.
 */
export function floodOf({ engine }: Target, points: number, refused: number): number {
  return points * (engine === 'sqlite' ? 1 : 2) + refused
}

/** The same on the server called `scarce`. */
export const smallFlood = (target: Target): number => floodOf(target, scarcePoints, smallFloodRefused)
export const smallFloodRefused = 120
export const page = '{ techServiceNewsArticle(first: 20) { totalCount nodes { uri title publishedAt } } }'
export const from = (addresses: string): string => `x-forwarded-for: ${addresses}`

/** All on one connection, without waiting for any. */
export async function pipelined(port: number, requests: readonly Bytes[]): Promise<readonly Answer[]> {
  using connection = await Connection.open(port)
  connection.socket.write(Buffer.concat(requests.map((request) => Buffer.from(request as Uint8Array))))
  const answers: Answer[] = []
  while (answers.length < requests.length) {
    const answer = await connection.answer()
    if (answer === null) throw new Error(`The connection was closed after ${answers.length} answers.`)
    answers.push(answer)
  }
  return answers
}

export async function alone(port: number, request: Bytes): Promise<Answer> {
  const [answer] = await pipelined(port, [request])
  if (answer === undefined) throw new Error('There is no answer.')
  return answer
}

export function assertFlooded(answers: readonly Answer[]): void {
  const refused = answers.filter(({ status }) => status === 429)
  assert.ok(refused.length >= 100, `${refused.length} of ${answers.length} were refused`)
  for (const answer of refused) {
    assert.equal(codeOf(answer), 'RATE_LIMITED')
    assert.ok(Number(answer.headers.get('retry-after')) > 0)
  }
  assertNoFault(answers)
}

export function assertNoFault(answers: readonly Answer[]): void {
  const isFault = ({ status, headers }: Answer): boolean =>
    status >= 500 && status !== 504 && !(status === 503 && headers.has('retry-after'))
  const faults = answers.filter(isFault)
  assert.deepEqual(faults, [])
}

/** Until no process of it has worked for a while, nor one of its database. */
export async function untilIdle({ pid, isStoreBusy }: Target): Promise<void> {
  let last = -1
  let looks = 0
  await until(async () => {
    const work = sumOfFamily(pid, workOf)
    looks = work === last && !(await isStoreBusy()) ? looks + 1 : 0
    last = work
    return looks >= 20
  })
}
