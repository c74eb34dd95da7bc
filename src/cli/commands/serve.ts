/** `serve`: the database over HTTP, until a signal; with `--ingest` it follows sources too. */
import { type CommandContext, notify } from '../command.ts'
import { assertIngest, ingestBeside } from '../ingest-beside.ts'
import { listen } from '../listen.ts'
import { openService } from '../service.ts'

export async function serve(context: CommandContext): Promise<number> {
  const { config, root } = context
  await assertIngest(context)
  await using service = await openService(config, root)
  await using ingest = ingestBeside(context)
  const onListening = async (address: string): Promise<void> =>
    notify(config, `Lexigraph answers at ${address}/api/graphql.`)
  await listen(service, config, onListening, ingest.refused)
  ingest.refused.throwIfAborted()
  return 0
}
