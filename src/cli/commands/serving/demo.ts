/** `demo`: serves the package's fictional corpus from memory, and prints a query with its answer. */
import { Readable } from 'node:stream'
import { buildDemoCorpus } from '../../../../demo/corpus.ts'
import { demoQuery } from '../../../../demo/query.ts'
import { agentPath } from '../../../server/agents/agent-routes.ts'
import { endpoint } from '../../../server/graphql/graphql-routes.ts'
import { hasEditor } from '../../../server/graphql/playground.ts'
import { importRecords } from '../../../ingest/sources/files/import.ts'
import { type CommandContext, CommandError, print } from '../../command.ts'
import { blockedPortProblem } from '../../serve/blocked-ports.ts'
import { listen } from '../../serve/listen.ts'
import { openService } from '../../service/service.ts'
import type { Config } from '../../settings/settings.ts'
import { grouped } from '../../../util/text/counted.ts'

export async function demo({ config: given, root }: CommandContext): Promise<void> {
  // The demo is for browsers, and asks its own query.
  const problem = blockedPortProblem(given.port)
  if (problem !== null) throw new CommandError(`${problem} Choose another with --port, such as 4000.`)
  // Lines about requests would appear among those of the demo.
  const quiet = { 'request-log': 'none', 'slow-query': Number.POSITIVE_INFINITY } as const
  const config: Config = { ...given, ...quiet, database: 'sqlite::memory:' }
  await using service = await openService(config, root)
  const { stored } = await importRecords(service.database.write, [demoInput()], { ...service, workers: 1 })
  await listen(service, config, async (address) => {
    print(`${grouped(stored)} fictional records are served at ${address}`)
    const pages = config.explorer === 'on' ? 'Open it in a browser to search and compare them. ' : ''
    print(`${pages}Programs ask ${address}${endpoint}, such as:`)
    print(`\n${demoQuery}\n\nThe answer:\n\n${await ask(address + endpoint, demoQuery)}\n`)
    print(
      hasEditor()
        ? `In a browser, ${address}${endpoint} is an editor for queries.`
        : 'The editor for queries is part of the full install: run `npm ci` for it.',
    )
    if (config.mcp) print(`Agents connect to ${address}${agentPath}`)
    print(`The server runs until Ctrl+C${pages === '' ? '' : `; pages are at ${address}`}`)
  })

  function demoInput() {
    const lines = Iterator.from(buildDemoCorpus()).map((record) => Buffer.from(`${JSON.stringify(record)}\n`))
    return { name: 'demo', size: null, open: () => Readable.from(lines) }
  }
}

/** The answer over HTTP, which users can repeat. */
async function ask(url: string, query: string): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  return JSON.stringify(await response.json(), null, 2)
}
