/** How long answers over real news are, in the tokens of a model: within what was asked for, and not much below. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { instructions } from '../../src/mcp/protocol/server.ts'
import { budgets } from '../../src/mcp/words/budget.ts'
import type { Json } from '../reference/shapes.ts'
import { type Agent, createAgent, engineEndpoint } from '../support/service/agents.ts'
import { type DevCorpus, importDevCorpus, skip } from '../support/records/dev-corpus.ts'

/** Tokens of the list of tools, the instructions and two descriptions. */
const mostBefore = 4_600

let corpus: DevCorpus | undefined
before(async () => {
  if (skip === false) corpus = await importDevCorpus()
})
after(() => corpus?.[Symbol.asyncDispose]())

function open(): Agent {
  assert.ok(corpus !== undefined)
  return createAgent(corpus.model, engineEndpoint(corpus.engine), () => new Date('2020-08-12T12:00:00Z'))
}

function tokensOf(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set() })
}

const languages = ['en', 'es', 'fr', 'ru', 'de', 'zh', 'ar', 'it', 'pt', 'ko', 'ja', 'th', 'he', 'el']

test('answers in many languages fill their tokens and do not exceed them', { skip }, async () => {
  const agent = open()
  for (const language of languages)
    for (const most of [undefined, 600, 6_000]) {
      const max = most === undefined ? {} : { max_tokens: most }
      const filters = { language }
      const calls: readonly (readonly [keyof typeof budgets, Json])[] = [
        ['search_records', { collection: 'article', filters, limit: 50 }],
        ['search_records', { collection: 'article', filters, limit: 50, detail: 'full' }],
        ['aggregate', { collection: 'article', filters, by: ['source', 'publishedAt:day'], limit: 500 }],
        ['aggregate', { collection: 'article', filters, by: ['title'], samples: 1, limit: 500 }],
        [
          'run_graphql',
          {
            query: `{ techServiceNewsArticle(first: 100, where: {language: {eq: "${language}"}}) { nodes { title description url } } }`,
          },
        ],
      ]
      for (const [name, args] of calls) {
        const text = await agent.text(name, { ...args, ...max })
        const budget = most ?? budgets[name]
        const tokens = tokensOf(text)
        const said = `${name} ${JSON.stringify({ ...args, ...max })}: ${tokens} of ${budget}`
        assert.ok(tokens <= budget, said)
        const { records = [], rows = [], cut } = JSON.parse(text)
        // One more row would be too much.
        const shown = [...records, ...rows]
        const next = Math.max(...shown.map((row: Json) => tokensOf(JSON.stringify(row))), 0)
        if (
          cut !== undefined &&
          shown.length < 500 &&
          name !== 'run_graphql' &&
          shown.length > 1 &&
          args['samples'] === undefined
        )
          assert.ok(tokens + next > 0.85 * budget, said)
      }
    }
})

test('the list of tools, the instructions and two descriptions are short', { skip }, async (t) => {
  const agent = open()
  const list = agent.tools.map(({ name, title, description, inputSchema }) => ({
    name,
    title,
    description,
    inputSchema,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  }))
  const parts = {
    list: JSON.stringify({ tools: list }),
    instructions,
    collections: await agent.text('describe'),
    article: await agent.text('describe', { collection: 'article' }),
  }
  const sizes = Object.entries(parts).map(([name, text]) => [name, tokensOf(text)] as const)
  t.diagnostic(sizes.map(([name, tokens]) => `${name} ${tokens}`).join(', '))
  const all = sizes.reduce((sum, [, tokens]) => sum + tokens, 0)
  assert.ok(all <= mostBefore, `${all} tokens`)
})
