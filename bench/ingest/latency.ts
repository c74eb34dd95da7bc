/** From a write on a real PDS to the answer that has it: a firehose, `serve --ingest`, one write after the other. */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installServers } from '../../test/network/install.ts'
import { startNetwork } from '../../test/network/network.ts'
import { startService } from '../../test/network/service.ts'
import { readRecords } from '../support/corpus.ts'
import { ask, type Latency, summarize } from './load.ts'

export interface WriteFigures {
  /** Milliseconds from when the PDS has said that it has the record. */
  readonly afterAnswer: Latency
  /** From when it was sent to the PDS. */
  readonly afterSending: Latency
}

const collection = 'tech.service.news.article'

export async function measureWrites(writes: number, folder: string | null): Promise<WriteFigures> {
  installServers()
  await using network = await startNetwork()
  const accounts = await network.createAccounts(5)
  const place = mkdtempSync(join(tmpdir(), 'lexigraph-bench-'))
  const env = {
    LEXIGRAPH_DATABASE: join(place, 'bench.db'),
    LEXIGRAPH_PLC: network.plcUrl,
    LEXIGRAPH_HANDLE_RESOLVER: network.pdsUrl,
    LEXIGRAPH_LOG_LEVEL: 'info',
  }
  const agent = new Agent({ keepAlive: true })
  const [afterAnswer, afterSending]: [number[], number[]] = [[], []]
  try {
    const from = `firehose:${network.pdsUrl.replace('http', 'ws')}`
    await using service = await startService(['serve', '--ingest', from], { env })
    await service.said(/is live/)
    const isThere = async (uri: string): Promise<boolean> => {
      const query = `{ techServiceNewsArticleByUri(uri: ${JSON.stringify(uri)}) { title } }`
      const answer = await ask(`${service.url}/api/graphql`, Buffer.from(JSON.stringify({ query })), agent)
      return answer.includes('"title"')
    }
    let written = 0
    for await (const { uri, value } of readRecords(folder)) {
      // The address that is no URI would be refused.
      if (!uri.includes(`/${collection}/`) || !URL.canParse(String(value['url']))) continue
      const account = accounts[written % accounts.length]
      const sentAt = performance.now()
      const made = await account?.create(collection, value as never)
      const answeredAt = performance.now()
      while (!(await isThere(made?.uri ?? '')))
        if (performance.now() > sentAt + 30_000)
          throw new Error(`${made?.uri} has not come: ${service.stderr()}`)
      const seenAt = performance.now()
      // The first few find everything cold.
      if (written >= warmUp) {
        afterAnswer.push(seenAt - answeredAt)
        afterSending.push(seenAt - sentAt)
      }
      written += 1
      if (written === writes + warmUp) break
    }
  } finally {
    agent.destroy()
    rmSync(place, { recursive: true })
  }
  return { afterAnswer: summarize(afterAnswer), afterSending: summarize(afterSending) }
}

const warmUp = 20
