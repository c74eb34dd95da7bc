/** Whether the metrics page and the log tell the same of the traffic as those who made it. */
import type { Exposition } from '../support/server/exposition.ts'
import type { Tally } from './tally.ts'

export interface Sent {
  readonly tier: string
  /** Answers by outcome. */
  readonly seen: ReadonlyMap<string, number>
  /** Requests that were left, of which anything may have become. */
  readonly left: number
}

/** By tier and outcome, as in `honest ok`. */
export function requestsOf({ samples }: Exposition): ReadonlyMap<string, number> {
  return new Map(
    samples
      .filter(({ name }) => name === 'lexigraph_requests_total')
      .map(({ labels, value }) => [`${labels['tier']} ${labels['outcome']}`, value]),
  )
}

function sumOf(counted: ReadonlyMap<string, number>, outcome: string): number {
  return [...counted].reduce((sum, [name, count]) => (name.endsWith(` ${outcome}`) ? sum + count : sum), 0)
}

/** `all`: tiers of which everybody who has a key of them is among those who sent. */
export function compareMetrics(
  page: Exposition,
  logged: ReadonlyMap<string, number>,
  all: readonly Sent[],
  tally: Tally,
): void {
  const counted = requestsOf(page)
  for (const [name, count] of counted)
    if (name.endsWith(' INTERNAL')) tally.problem(`The metrics page has ${count} of ${name}.`)
  const unavailable = sumOf(counted, 'UNAVAILABLE')
  const overload = page.value('lexigraph_limits_hit_total', { limit: 'overload' })
  if (unavailable !== overload)
    tally.problem(
      `The metrics page has ${unavailable} UNAVAILABLE, and ${overload} that could not end in time.`,
    )
  const working = page.value('lexigraph_requests_in_flight')
  if (working !== 0) tally.problem(`The metrics page has ${working} requests in flight when nobody asks.`)
  for (const name of new Set([...counted.keys(), ...logged.keys()]))
    if (counted.get(name) !== logged.get(name))
      tally.problem(`The metrics page has ${counted.get(name)} of ${name}, and the log ${logged.get(name)}.`)
  for (const { tier, seen, left } of all) {
    const outcomes = new Set([
      ...seen.keys(),
      ...[...counted.keys()]
        .filter((name) => name.startsWith(`${tier} `))
        .map((name) => name.slice(tier.length + 1)),
    ])
    for (const outcome of outcomes) {
      const [ours, theirs] = [seen.get(outcome) ?? 0, counted.get(`${tier} ${outcome}`) ?? 0]
      if (theirs < ours || theirs > ours + left)
        tally.problem(
          `The metrics page has ${theirs} of ${tier} ${outcome}, where ${ours} were answered and ${left} left.`,
        )
    }
  }
}
