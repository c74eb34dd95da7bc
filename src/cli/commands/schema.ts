/** `schema`: the schema as SDL. */
import { buildGraphQLSchema } from '../../schema/graphql.ts'
import { schemaText } from '../../schema/schema-text.ts'
import type { CommandContext } from '../command.ts'
import { lexiconDir, loadFoundation } from '../foundation.ts'

export async function schema({ config, root }: CommandContext): Promise<number> {
  const { model } = await loadFoundation(lexiconDir(config, root))
  process.stdout.write(schemaText(buildGraphQLSchema(model)).text)
  return 0
}
