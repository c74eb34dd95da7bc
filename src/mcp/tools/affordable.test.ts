/** A call that costs too much is refused with parts without which it may be asked, at the prices that it then has. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeCorpora } from '../../../test/golden/corpora.ts'
import type { Json } from '../../../test/reference/shapes.ts'
import { createAgent, engineEndpoint, publicPoints } from '../../../test/support/service/agents.ts'
import { model, service } from '../../../test/support/service/news-agent.ts'

after(closeCorpora)

/** What a caller is granted at least: operations after the refused one, which look up names, cost less. */
const leastPoints = 120

const calls: readonly (readonly [tool: string, args: Json])[] = [
  [
    'aggregate',
    {
      collection: 'enrichment',
      by: ['entities.name'],
      filters: { sentiment: 'negative' },
      share: { 'entities.type': 'person' },
      limit: 2,
    },
  ],
  [
    'aggregate',
    { collection: 'article', search: 'storm', by: ['tags', 'source'], top: { by: 'language' }, samples: 2 },
  ],
  [
    'aggregate',
    {
      collection: 'enrichment',
      by: ['entities.name', 'topics'],
      filters: { 'article.language': 'en', 'entities.type': 'person' },
      measures: ['median:clickbaitScore', 'distinct:article'],
    },
  ],
  ['search_records', { collection: 'article', search: 'storm OR flood', since: 'last 7 days', limit: 50 }],
]

/** The arguments without a part, as the refusal names it. */
function without(args: Json, part: string): Json {
  const [, limit] = /^with limit (\d+)$/.exec(part) ?? []
  if (limit !== undefined) return { ...args, limit: Number(limit) }
  const [, inside, name = ''] = /^without (?:(".*") in )?(\w+)$/.exec(part) ?? []
  const { [name]: value, ...rest } = args
  if (inside === undefined) return rest
  const one = JSON.parse(inside)
  if (Array.isArray(value)) return { ...args, [name]: value.filter((each) => each !== one) }
  const { [one]: _, ...others } = value
  return { ...args, [name]: others }
}

for (const [tool, args] of calls)
  test(`${JSON.stringify(args)} is refused with what makes it affordable`, async () => {
    const within = (points: number) =>
      createAgent(model, engineEndpoint(service.engine, undefined, { points }))
    let points = publicPoints
    let named = 0
    // Each price is the next limit, so that fewer and fewer parts are affordable.
    while (points >= leastPoints) {
      const { endpointAsked, said } = await tryWithin(points)
      if (said === null) {
        points -= 20
        continue
      }
      assert.ok(endpointAsked < 12)
      if (!/costs \d+ points/.test(said)) break
      const offers = [...said.matchAll(/(?:cost |, or )(\d+) (with.*?)(?=, or \d|\.$)/g)]
      if (offers.length === 0) {
        assert.match(said, /Leave out parts/)
        break
      }
      for (const [, price, part = ''] of offers) {
        assert.ok(Number(price) <= points, said)
        const answer = await within(points).call(tool, without(args, part))
        assert.ok((answer.count ?? answer.total) !== undefined, part)
        named += 1
      }
      points = Math.min(...offers.map(([, price]) => Number(price))) - 1
    }
    assert.ok(named > 0, JSON.stringify(args))

    async function tryWithin(most: number) {
      const agent = within(most)
      const said = await agent.call(tool, args).then(
        () => null,
        (error: Error) => error.message,
      )
      return { endpointAsked: agent.asked.length, said }
    }
  })
