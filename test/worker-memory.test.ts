/** What the workers of `serve` keep after many long documents that are refused. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { startService } from './network/service.ts'
import { childrenOf, privateMemoryOf } from './support/processes.ts'
import { temporaryFolder } from './support/store/store.ts'

const inFolder = temporaryFolder()
const headers = { 'content-type': 'application/json' }

test('many long documents that are refused leave the workers little larger', async () => {
  const tiers = inFolder('tiers.json')
  writeFileSync(tiers, JSON.stringify({ public: { pointsPerMinute: null, seconds: 120 } }))
  const options = ['--workers', '2', '--request-log', 'none', '--tiers', tiers]
  await using service = await startService(['serve', '--database', inFolder('records.db'), ...options])
  const refuse = async (n: number): Promise<void> => {
    const fields = Array.from({ length: 4_900 }, (_, index) => `unknown${index}`).join(' ')
    const body = JSON.stringify({ query: `{ techServiceNewsArticle { nodes { ${fields} n${n} } } }` })
    const response = await fetch(`${service.url}/api/graphql`, { method: 'POST', headers, body })
    assert.match(await response.text(), /Cannot query field/)
  }
  const workers = childrenOf(service.pid)
  const memory = (): number => workers.reduce((sum, pid) => sum + privateMemoryOf(pid), 0)
  await Promise.all(Array.from({ length: 8 }, (_, n) => refuse(n)))
  const before = memory()
  await Promise.all(Array.from({ length: 60 }, (_, n) => refuse(8 + n)))
  const growth = memory() - before
  // With V8's own settings the two grow by 250.
  assert.ok(growth < 150, `The workers have grown by ${growth} MB.`)
})
