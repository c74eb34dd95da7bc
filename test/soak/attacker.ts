/** Sends what no honest caller does: bodies, documents and URLs that are wrong, each with the code that is foreseen for it. */
import { setTimeout as pause } from 'node:timers/promises'
import { Caller, outcomeOf } from './client.ts'
import { type Hostile, type HostileGiven, until } from './hostile.ts'

const list = 'techServiceNewsArticle'
const attacks: readonly (readonly [query: string, codes: readonly string[]])[] = [
  ['{'.repeat(50_000), ['GRAPHQL_PARSE_FAILED', 'QUERY_TOO_COMPLEX']],
  [`{ ${Array.from({ length: 9_000 }, (_, n) => `a${n}: __typename`).join(' ')} }`, ['QUERY_TOO_COMPLEX']],
  [`{ ${list}(first: 100000) { nodes { uri } } }`, ['BAD_USER_INPUT']],
  [`{ ${list}(after: "forged") { nodes { uri } } }`, ['INVALID_CURSOR']],
  [`{ ${list} { nodes { __proto__ constructor } } }`, ['GRAPHQL_VALIDATION_FAILED']],
  [`{ ...A } fragment A on Query { ...A }`, ['GRAPHQL_VALIDATION_FAILED']],
]

export function attacker({ port, dice, tally }: HostileGiven): Hostile {
  return until(async () => {
    using caller = new Caller({ port, address: '127.0.0.1' })
    const [query, codes] = dice.pick(attacks)
    const answer = await caller.post({ query })
    const outcome = outcomeOf(answer)
    tally.count('attack', outcome, answer.time)
    if (outcome !== 'RATE_LIMITED' && !codes.includes(outcome))
      tally.problem(`An attack was answered with ${answer.status}: ${answer.text.slice(0, 1_000)}`)
    await pause(outcome === 'RATE_LIMITED' ? 1_500 : 100)
  })
}
