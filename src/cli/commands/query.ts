/** `query 'GRAPHQL'`: one answer, without a server. */
import { type CommandContext, reportFault } from '../command.ts'
import { openService } from '../service.ts'
import { loadRequest } from './operation.ts'

export async function query(context: CommandContext): Promise<number> {
  const request = await loadRequest(context)
  await using service = await openService(context.config, context.root, { create: false })
  const answer = await service.engine.execute(request)
  if (answer.kind === 'data') {
    process.stdout.write(`${Buffer.from(answer.body).toString()}\n`)
    return 0
  }
  process.stdout.write(`${JSON.stringify({ errors: answer.errors })}\n`)
  reportFault(context.config, answer.cause)
  return 1
}
