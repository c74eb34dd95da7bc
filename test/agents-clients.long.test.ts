/** The page that sets up clients is true: every configuration on it is read as its client reads it, and reaches the service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { assertReaches, page, readConfigurations } from './mcp/configurations.ts'
import { connect, onStdio, overHttp, textOf } from './mcp/connect.ts'
import { runProgram, startService } from './network/service.ts'
import { writeLines } from './support/demo-databases.ts'
import { temporaryFolder } from './support/store/store.ts'

const inFolder = temporaryFolder()

for (const { where, given } of await readConfigurations(['json', 'toml']))
  test(`a client with what ${where} says reaches the service`, () => assertReaches(given))

test('ChatGPT finds and fetches records at a service that is started as the page says', async () => {
  assert.ok(page.includes('\nlexigraph serve --mcp --chatgpt\n'))
  const env = { LEXIGRAPH_DATABASE: inFolder('news.db') }
  const records = writeLines(inFolder('records.jsonl'), [...buildDemoCorpus()])
  assert.equal((await runProgram(['import', records], { env })).status, 0)
  await using service = await startService(['serve', '--workers', '1', '--mcp', '--chatgpt'], { env })
  for (const transport of [overHttp(service.url), onStdio(service.url, '--chatgpt')]) {
    await using client = await connect(transport)
    const ask = async (name: string, args: object) =>
      JSON.parse((await textOf(client, name, { ...args })).text)
    const { results } = await ask('search', { query: 'harbour' })
    const { id, title, url } = results[0]
    const document = await ask('fetch', { id })
    assert.deepEqual([document.id, document.title, document.url], [id, title, url])
  }
})
