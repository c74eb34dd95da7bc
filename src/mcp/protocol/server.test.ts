import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newsParts } from '../../../test/mcp/agent-server.ts'
import { createTools } from '../tools/tools.ts'
import { createAgentServers } from './server.ts'

test('schemas of arguments are compiled once for all servers', async () => {
  let readings = 0
  const servers = createAgentServers({
    ...(await newsParts()),
    endpoint: { ask: () => assert.fail('Nothing is asked.') },
    tools: (given) =>
      createTools(given).map((tool) => ({
        ...tool,
        get inputSchema() {
          readings += 1
          return tool.inputSchema
        },
      })),
  })
  const before = readings
  assert.ok(before > 0)
  for (let count = 0; count < 3; count += 1) servers()
  assert.equal(readings, before)
})
