/** `query 'GRAPHQL'`: answers one query without a server. */
import type { CommandContext } from '../../command.ts'
import { openReader } from '../../service/service.ts'
import { loadRequest, printAnswer } from './operation.ts'

export async function query(context: CommandContext): Promise<number> {
  const { config, root } = context
  const request = await loadRequest(context)
  await using service = await openReader(config, root)
  return printAnswer(await service.engine.execute(request), config)
}
