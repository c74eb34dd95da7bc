/** `serve`: the database over HTTP, until a signal; with `--ingest` it follows sources too. */
import { type CommandContext, notify } from '../command.ts'
import { ingestBeside } from '../ingest-beside.ts'
import { listen } from '../listen.ts'
import { openService } from '../service.ts'

export async function serve(context: CommandContext): Promise<number> {
  const { config, root } = context
  await using service = await openService(config, root)
  await using _ingest = ingestBeside(context)
  await listen(service, config, async (address) => {
    notify(config, `Lexigraph answers at ${address}/api/graphql.`)
  })
  return 0
}
