/** The guide's calls are to be copied, so that each must be answered; those with a placeholder are for the reader. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { writeGuide } from '../../src/mcp/words/guide.ts'
import { closeCorpora, corpusNamed, newsLexicons } from '../golden/corpora.ts'
import { createAgent, engineEndpoint, modelOf } from '../support/service/agents.ts'

after(closeCorpora)

const { service } = await corpusNamed('demo', 'sqlite')
const model = modelOf(newsLexicons.documents, newsLexicons.references)
const calls = Array.from(
  writeGuide(model).matchAll(/^ {4}(\w+) (\{.*\})$/gm),
  ([, tool = '', args = '']) => ({
    tool,
    args,
  }),
)

test('the guide has calls', () => assert.ok(calls.length >= 5))

for (const { tool, args } of calls)
  test(`${tool} ${args} is answered`, async () => {
    const agent = createAgent(model, engineEndpoint(service.engine))
    const answer = await agent.call(tool, JSON.parse(args))
    const { rows, records, values } = answer
    assert.ok(Object.keys(rows ?? records ?? values).length > 0, JSON.stringify(answer))
  })
