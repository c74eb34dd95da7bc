/** What a call that costs too much would cost without a part of it, by running it up to the operation that was refused. */
import type { Endpoint, EndpointAnswer, EndpointQuestion } from '../../endpoint/endpoint.ts'
import { EndpointError } from '../../endpoint/endpoint.ts'
import { isObject, type Json } from '../../util/is-object.ts'

/** How many parts are tried, and named. */
const mostTried = 16
const mostNamed = 3
/** Arguments without which a call is another one, or that have no price. */
const kept = new Set(['collection', 'after', 'cite', 'limit', 'max_tokens'])
const fewRecords = 5
const tooComplex = 'QUERY_TOO_COMPLEX'

class Price {
  readonly points: number

  constructor(points: number) {
    this.points = points
  }
}

/** The endpoint, for one call. */
export function recorded(endpoint: Endpoint) {
  const known = new Map<string, EndpointAnswer>()
  const { price } = endpoint
  return {
    async ask(question: EndpointQuestion, signal: AbortSignal): Promise<EndpointAnswer> {
      const answer = await endpoint.ask(question, signal)
      if (answer.data !== null) known.set(question.query, answer)
      return answer
    },
    /** Answers what was answered before; else throws the price, or refuses it if that is more. Null without prices. */
    priced:
      price === undefined
        ? null
        : (most: number): Endpoint => ({
            async ask(question) {
              const answer = known.get(question.query)
              if (answer !== undefined) return answer
              const points = price(question) ?? Number.POSITIVE_INFINITY
              throw points <= most ? new Price(points) : new EndpointError('', { code: tooComplex })
            },
          }),
  }
}

/**
 * The refusal with the parts of the call without any of which it may be asked; any other error, or one without such a
 * part, itself. `run`: runs the call with these arguments over `priced`, within a number of points.
 */
export async function withAffordable(
  refusal: unknown,
  args: Json,
  run: (args: Json, points: number) => Promise<unknown>,
): Promise<unknown> {
  if (!(refusal instanceof EndpointError) || refusal.code !== tooComplex) return refusal
  const [said, most] = /^The call costs \d+ points, and the limit is (\d+)\./.exec(refusal.message) ?? []
  if (said === undefined) return refusal
  const found: { readonly part: string; readonly points: number }[] = []
  for (const [part, rest] of partsOf(args).slice(0, mostTried)) {
    const price = await run(rest, Number(most)).catch((reason: unknown) => reason)
    if (price instanceof Price) found.push({ part, points: price.points })
  }
  const named = found.slice(0, mostNamed).map(({ part, points }) => `${points} ${part}`)
  if (named.length === 0) return refusal
  return new EndpointError(`${said} It would cost ${named.join(', or ')}.`, { code: tooComplex })
}

/** Each part that a call may do without, and the arguments without it. */
function partsOf(args: Json): readonly (readonly [part: string, rest: Json])[] {
  const parts = Object.entries(args).flatMap(([name, value]): (readonly [string, Json])[] => {
    if (kept.has(name)) return []
    const { [name]: _, ...rest } = args
    const whole = [`without ${name}`, rest] as const
    if (Array.isArray(value) && value.length > 1)
      return value.map((one, at) => [
        `without ${JSON.stringify(one)} in ${name}`,
        { ...args, [name]: value.toSpliced(at, 1) },
      ])
    if (!isObject(value) || name === 'top' || Object.keys(value).length < 2) return [whole]
    const members = Object.keys(value).map((member) => {
      const { [member]: __, ...others } = value
      return [`without ${JSON.stringify(member)} in ${name}`, { ...args, [name]: others }] as const
    })
    return [...members, whole]
  })
  return [...parts, [`with limit ${fewRecords}`, { ...args, limit: fewRecords }]]
}
