/** What attacks by number have in common: what is asked, how, and what must come of it. */
import assert from 'node:assert/strict'
import { sumOfFamily, workOf } from '../../support/processes.ts'
import { until } from '../../support/until.ts'
import { type Given, numbers } from '../attack.ts'
import { type Answer, type Bytes, Connection } from '../exchange.ts'
import { codeOf } from '../launch.ts'
import { scarcePoints, type ServerName, type Target } from '../servers.ts'

export interface LoadAttack {
  readonly name: string
  readonly server: ServerName
  /** Whether its outcome cannot depend on the engine: nothing that it sends gets as far as a statement of its own. */
  readonly isAboveStore?: true
  /** Asserts by itself what must come of it. */
  readonly attack: (target: Target, given: Given) => Promise<void>
}

/**
 * How many requests of one point each a caller with so many points must send until at least `refused` are refused. Its
 * minute may end meanwhile, and a process that hears nothing of its database may spend once more what was left.
 */
export function floodOf({ engine }: Target, points: number, refused = 120): number {
  return points * (engine === 'sqlite' ? 2 : 4) + refused
}

/** Points that the tier `public` has in a minute. */
export const publicPoints = 3_000
export const cheap = 'query=%7B__typename%7D'
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

/** Floods the server called `scarce`: what a caller has is answered, and the rest refused. */
export async function flood(target: Target, request: (index: number) => Bytes): Promise<void> {
  assertFlooded(await pipelined(target.port, numbers(floodOf(target, scarcePoints)).map(request)))
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
