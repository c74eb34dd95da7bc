/** Agents over the real program, on both transports: what they can find out, and how much of a context it takes. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runProgram, type Service, startService } from '../network/service.ts'
import type { Json } from '../reference/shapes.ts'
import { buildCorpus } from './added-records.ts'
import { connectAgent, tokensOf } from './conversation.ts'
import { readNews } from './news.ts'
import { questions } from './questions.ts'
import { generousTiers } from '../support/server/tiers.ts'

/** What one question may take. */
const mostCalls = 4
const mostTokens = 6_000
const mostTokensOfTheList = 2_500
const mostTokensOfADescription = 1_500

const folder = mkdtempSync(join(tmpdir(), 'lexigraph-agents-'))
after(() => rmSync(folder, { recursive: true }))

/** All that is asked comes from one address, within seconds. */

const now = new Date()
const corpus = buildCorpus(now.getTime())
const news = readNews(corpus, now)

test('twelve questions are answered by few calls and in few tokens', async (t) => {
  assert.equal(questions.length, 12)
  await using service = await importAndServe()
  for (const transport of ['http', 'stdio'] as const) {
    await using agent = await connectAgent(transport, service.url)

    await t.test(`over ${transport}, revision ${agent.revision}`, async (t) => {
      const table = [' #  calls  tokens  question']
      for (const [at, { asks, answer }] of questions.entries())
        await t.test(asks, async () => {
          const conversation = agent.begin()
          await answer(conversation, news)
          const [calls, tokens] = [conversation.calls(), conversation.tokens()]
          table.push(
            `${at + 1}`.padStart(2).concat(`${calls}`.padStart(7), `${tokens}`.padStart(8), `  ${asks}`),
          )
          assert.ok(calls <= mostCalls, `${calls} calls`)
          assert.ok(tokens <= mostTokens, `${tokens} tokens`)
          // What was asked can be asked again, by anybody.
          const queries = await conversation.queries()
          assert.ok(queries.length > 0)
          for (const query of queries) await service.query(query)
        })
      for (const row of table) t.diagnostic(row)

      await t.test('the list of tools and each description are small', async (t) => {
        const list = tokensOf(JSON.stringify(await agent.tools()))
        t.diagnostic(`tools/list: ${list} tokens`)
        assert.ok(list <= mostTokensOfTheList, `${list} tokens`)
        const { collections } = await agent.begin().call('describe')
        for (const { collection } of collections) {
          const conversation = agent.begin()
          const { fields } = await conversation.call('describe', { collection })
          t.diagnostic(`describe ${collection}: ${conversation.tokens()} tokens`)
          assert.ok(conversation.tokens() <= mostTokensOfADescription, collection)
          assert.ok(Object.keys(fields).length > 10)
        }
      })
    })
  }
})

/** Imports the corpus into a file and serves that file on a free port. */
async function importAndServe(): Promise<Service> {
  const records = join(folder, 'news.jsonl')
  const env = { LEXIGRAPH_DATABASE: join(folder, 'news.db') }
  writeFileSync(records, corpus.map((record) => `${JSON.stringify(record)}\n`).join(''))
  const { stdout, stderr, status } = await runProgram(['import', records, '--json'], { env })
  assert.equal(status, 0, stderr)
  const { stored, refused }: Json = JSON.parse(stdout)
  assert.deepEqual({ stored, refused }, { stored: corpus.length, refused: {} })
  return startService(['serve', '--mcp', '--tiers', generousTiers], { env })
}
