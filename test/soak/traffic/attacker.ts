/** Sends the attacks of the attack suite in any order, as somebody without a key who has a minute's points like all others. */
import assert from 'node:assert/strict'
import type { Attack, Given } from '../../attacks/attack.ts'
import { families } from '../../attacks/families.ts'
import { createKeys, readGiven } from '../../attacks/given.ts'
import { codeOf, type Happened, launch, problemsOf } from '../../attacks/launch.ts'
import type { Json } from '../../reference/shapes.ts'
import { moment, until as eventually } from '../../support/until.ts'
import type { Fixture } from '../fixture.ts'
import { Caller, outcomeOf as outcomeOfAnswer } from './client.ts'
import { type Hostile, type HostileGiven, until } from './hostile.ts'

/** The server has no agents, and searches and exports are written for the records of the suite. */
const left = new Set(['searches', 'exports', 'agents'])
const all = families.flatMap(([family, attacks]) => (left.has(family) ? [] : attacks))

/** Needs a server that believes what 127.0.0.1 says of addresses. */
export function attacker({ port, dice, tally }: HostileGiven, fixture: Fixture): Hostile {
  let known: Given | null = null
  return until(async () => {
    known ??= await given(port, fixture)
    // What an answer says is about the records of the suite.
    const { says: _, ...attack } = dice.pick(all)
    const happened = await launch(port, attack, known)
    const outcome = outcomeOf(attack, happened)
    tally.count('attack', outcome)
    if (outcome === 'unforeseen')
      tally.problem(`The attack "${attack.name}": ${problemsOf(attack, happened).join(' ')}`)
    await moment(outcome === 'RATE_LIMITED' ? 1_500 : 100)
  })
}

/** Its outcome is that of the suite, but for what the limits of the public leave of it. */
function outcomeOf(attack: Attack, happened: Happened): string {
  const { answers } = happened
  if (problemsOf(attack, happened).length === 0) return 'foreseen'
  const codes = answers.map(codeOf)
  // An answer to HEAD has no code.
  if (answers.some(({ status }, index) => status === 429 || codes[index] === 'RATE_LIMITED'))
    return 'RATE_LIMITED'
  if (attack.code === null && codes.some((code) => code === 'QUERY_TOO_COMPLEX')) return 'QUERY_TOO_COMPLEX'
  // What would not end in its time is refused at once.
  if (attack.code === null && codes.includes('UNAVAILABLE')) return 'UNAVAILABLE'
  // What a machine that was held up is late with, on either side.
  if (codes.includes('TIMEOUT') || answers.some(({ body }) => body.includes('came too slowly'))) return 'late'
  return 'unforeseen'
}

async function given(port: number, { run }: Fixture): Promise<Given> {
  const keys = await createKeys((...args) => run('keys', ...args, '--json'))
  using caller = new Caller({ port, address: '127.0.0.8' })
  // It may have to ask again, as anybody without a key beside so many others.
  const query = (text: string): Promise<Json> =>
    eventually(async () => {
      const answer = await caller.post({ query: text })
      const outcome = outcomeOfAnswer(answer)
      assert.ok(['ok', 'RATE_LIMITED', 'TIMEOUT', 'UNAVAILABLE'].includes(outcome), answer.text)
      return outcome === 'ok' ? JSON.parse(answer.text).data : null
    })
  return { ...keys, ...(await readGiven(query)) }
}
