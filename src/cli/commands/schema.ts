/** `schema`: the schema as SDL. */
import { printSchema } from 'graphql'
import { buildGraphQLSchema } from '../../schema/graphql.ts'
import type { CommandContext } from '../command.ts'
import { lexiconDir, loadFoundation } from '../foundation.ts'

export async function schema({ config, root }: CommandContext): Promise<number> {
  const { model } = await loadFoundation(lexiconDir(config, root))
  process.stdout.write(`${printSchema(buildGraphQLSchema(model))}\n`)
  return 0
}
