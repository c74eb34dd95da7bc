/** `demo`: serves the package's fictional corpus from memory, and prints three queries with their answers. */
import { Readable } from 'node:stream'
import { buildDemoCorpus } from '../../../../demo/corpus.ts'
import { demoQueries } from '../../../../demo/queries.ts'
import { agentPath } from '../../../server/agents/agent-routes.ts'
import { importRecords } from '../../../ingest/sources/files/import.ts'
import { type CommandContext, CommandError, print } from '../../command.ts'
import { blockedPortProblem } from '../../serve/blocked-ports.ts'
import { listen } from '../../serve/listen.ts'
import { openService } from '../../service/service.ts'
import type { Config } from '../../settings/settings.ts'
import { grouped } from '../../../util/text/counted.ts'

export async function demo({ config: given, root }: CommandContext): Promise<void> {
  // The demo is for browsers, and asks its own queries.
  const problem = blockedPortProblem(given.port)
  if (problem !== null) throw new CommandError(`${problem} Choose another with --port, such as 4000.`)
  // Lines about requests would appear between the answers.
  const config: Config = { ...given, database: 'sqlite::memory:', 'request-log': 'none' }
  await using service = await openService(config, root)
  const { stored } = await importRecords(service.database.write, [demoInput()], { ...service, workers: 1 })
  await listen(service, config, async (address) => {
    print(`${grouped(stored)} fictional records are served at ${address}`)
    const pages = config.explorer === 'on' ? 'Open it in a browser to search and compare them. ' : ''
    print(`${pages}Programs ask ${address}/api/graphql:`)
    print('three queries to try, and their answers:')
    for (const { title, query } of demoQueries) print(await ask(address, title, query))
    if (config.mcp) print(`Agents connect to ${address}${agentPath}`)
    print(`The server runs until Ctrl+C${pages === '' ? '' : `; pages are at ${address}`}`)
  })

  function demoInput() {
    const lines = Iterator.from(buildDemoCorpus()).map((record) => Buffer.from(`${JSON.stringify(record)}\n`))
    return { name: 'demo', size: null, open: () => Readable.from(lines) }
  }
}

/** Sends the query over HTTP, so that users can repeat what is printed. */
async function ask(address: string, title: string, query: string): Promise<string> {
  const response = await fetch(`${address}/api/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const answer = await response.json()
  return `\n# ${title}\n${query}\n${JSON.stringify(answer, null, 2)}\n`
}
