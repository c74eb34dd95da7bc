/** The guide's calls are to be copied, so that each must be answered; those with a placeholder are for the reader. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { writeGuide } from '../../src/mcp/words/guide.ts'
import { closeCorpora } from '../golden/corpora.ts'
import { model, open } from '../support/service/news-agent.ts'

after(closeCorpora)

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
    const answer = await open().call(tool, JSON.parse(args))
    const { rows, records, values } = answer
    assert.ok(Object.keys(rows ?? records ?? values).length > 0, JSON.stringify(answer))
  })
