/** `serve`: the database over HTTP, until a signal. */
import { type CommandContext, notify } from '../command.ts'
import { listen } from '../listen.ts'
import { openService } from '../service.ts'

export async function serve({ config, root }: CommandContext): Promise<number> {
  await using service = await openService(config, root)
  await listen(service, config, async (address) => {
    notify(config, `Lexigraph answers at ${address}/api/graphql.`)
  })
  return 0
}
