/**
 * Sixty questions over real news, if the corpus is next to the checkout: answered through the tools alone, in few calls
 * and few tokens, as the reference evaluator answers them.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { DemoRecord } from '../../demo/record.ts'
import { runProgram, type Service, startService } from '../network/service.ts'
import { devFile, devFiles, skip } from '../support/records/dev-corpus.ts'
import { checkedCalls } from './checked-calls.ts'
import { connectAgent } from './conversation.ts'
import { readNews } from './news.ts'
import { comparing, counting } from './questions/counting.ts'
import { finding } from './questions/finding.ts'
import { tracing } from './questions/tracing.ts'
import { generousTiers } from '../support/server/tiers.ts'

/** What one question may take. */
const mostCalls = 6
const mostTokens = 6_000
/** What the question in the middle may take. */
const usualCalls = 1
const usualTokens = 250

const files = devFiles.map(devFile)
const folder = mkdtempSync(join(tmpdir(), 'lexigraph-questions-'))
after(() => rmSync(folder, { recursive: true }))

test('sixty questions over real news are answered by few calls and in few tokens', { skip }, async (t) => {
  const questions = Object.entries({ counting, comparing, finding, tracing })
  assert.equal(questions.flatMap(([, some]) => some).length, 60)
  await using service = await importAndServe()
  const news = readNews(files.flatMap(readRecords), new Date())
  await using agent = await connectAgent(service.url)
  const taken: { readonly asks: string; readonly calls: number; readonly tokens: number }[] = []

  for (const [kind, some] of questions)
    await t.test(kind, async (t) => {
      for (const { asks, plan } of some)
        await t.test(asks, async () => {
          const conversation = agent.begin()
          await plan(checkedCalls(conversation.call, news.reference, news.now), news)
          const [calls, tokens] = [conversation.calls(), conversation.tokens()]
          taken.push({ asks, calls, tokens })
          assert.ok(calls <= mostCalls, `${calls} calls`)
          assert.ok(tokens <= mostTokens, `${tokens} tokens`)
        })
    })

  await t.test('the question in the middle takes one call', (t) => {
    for (const { asks, calls, tokens } of taken.toSorted((a, b) => b.tokens - a.tokens))
      t.diagnostic(`${calls} calls, ${tokens} tokens: ${asks}`)
    assert.ok(medianOf(taken.map(({ calls }) => calls)) <= usualCalls)
    const tokens = medianOf(taken.map((one) => one.tokens))
    t.diagnostic(`median: ${tokens} tokens`)
    assert.ok(tokens <= usualTokens, `${tokens} tokens`)
  })
})

function readRecords(file: string): DemoRecord[] {
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n')
  const records = lines.map((line): DemoRecord => JSON.parse(line))
  // One address is no URI, so that the record is refused.
  return records.filter(
    ({ value }) => !('url' in value) || /^[a-z][a-z0-9+.-]*:\S+$/i.test(String(value.url)),
  )
}

async function importAndServe(): Promise<Service> {
  const env = { LEXIGRAPH_DATABASE: join(folder, 'news.db') }
  const { stderr, status } = await runProgram(['import', ...files], { env })
  assert.equal(status, 0, stderr)
  return startService(['serve', '--mcp', '--tiers', generousTiers], { env })
}

function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}
