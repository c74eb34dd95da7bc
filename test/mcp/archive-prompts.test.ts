/** Prompts of an archive, over HTTP: they say from when their times count. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { closeCorpora, corpusNamed } from '../golden/corpora.ts'
import { demoDay } from '../support/service/agents.ts'
import { onEveryDatabase } from '../support/store/databases.ts'
import { startAgentServer } from './agent-server.ts'
import { connect, overHttp } from './connect.ts'

after(closeCorpora)

onEveryDatabase('prompts of an archive say that their times count from the newest record', async (engine) => {
  const { service } = await corpusNamed('demo', engine)
  for (const now of [demoDay, new Date('2027-03-01T12:00:00Z')]) {
    await using server = await startAgentServer({ app: { engine: service.engine }, now: () => now })
    await using client = await connect(overHttp(server.url))
    const prompts = [
      ['daily_brief', {}],
      ['coverage_over_time', { topic: 'climate' }],
    ] as const
    for (const [name, args] of prompts) {
      const { messages } = await client.getPrompt({ name, arguments: args })
      const text = JSON.stringify(messages)
      const says = 'Times count from the newest record, 2026-11-15, because the index is an archive. Say so.'
      assert.equal(text.includes(says), now !== demoDay, text)
    }
  }
})
