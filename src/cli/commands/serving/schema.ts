/** `schema`: prints the schema as SDL, or with `--diff` its differences from an older one. */
import { readFile } from 'node:fs/promises'
import { buildSchema, type GraphQLSchema } from 'graphql'
import {
  BreakingChangeType,
  DangerousChangeType,
  findSchemaChanges,
} from 'graphql/utilities/findSchemaChanges'
import { UsageError } from '../../../errors.ts'
import { buildGraphQLSchema } from '../../../schema/graphql/graphql.ts'
import { schemaText } from '../../../schema/schema-text.ts'
import { type CommandContext, print, whyUnreadable } from '../../command.ts'
import { lexiconDir, loadProject } from '../../store/project.ts'
import { counted } from '../../../util/text/counted.ts'

/** Exit status 0; with `--diff`, 1 for a breaking change and 2 when there is nothing to compare with. */
export async function schema({ config, root }: CommandContext): Promise<number> {
  const { model } = await loadProject(lexiconDir(config, root))
  const current = buildGraphQLSchema(model)
  if (config.diff === null) {
    process.stdout.write(schemaText(current).text)
    return 0
  }
  const changes = findChanges(await loadSchema(config.diff), current)
  for (const line of describe(changes)) print(line)
  return changes.breaking.length === 0 ? 0 : 1
}

async function loadSchema(file: string): Promise<GraphQLSchema> {
  try {
    return buildSchema(await readFile(file, 'utf8'))
  } catch (cause) {
    const why = whyUnreadable(cause as Error).replace(/[.?!]$/, '')
    throw new UsageError(`${file} cannot be read as a GraphQL schema: ${why}.`, { cause })
  }
}

/**
 * Sentences in the order of the schema. Breaking: operations may be rejected, or may read fields of another type.
 * Dangerous: they stay valid, but programs that rely on a complete list, such as of enum values, may fail. Safe changes,
 * such as new fields and new descriptions, are omitted.
 */
export function findChanges(before: GraphQLSchema, after: GraphQLSchema) {
  const changes = findSchemaChanges(before, after)
  const of = (types: Readonly<Record<string, string>>): string[] =>
    changes.filter(({ type }) => Object.hasOwn(types, type)).map(({ description }) => description)
  return { breaking: of(BreakingChangeType), dangerous: of(DangerousChangeType) }
}

function describe({ breaking, dangerous }: ReturnType<typeof findChanges>): string[] {
  if (breaking.length + dangerous.length === 0) return ['No change is breaking or dangerous.']
  return [
    ...breaking.map((change) => `breaking: ${change}`),
    ...dangerous.map((change) => `dangerous: ${change}`),
    `${counted(breaking.length, 'breaking change')} and ${counted(dangerous.length, 'dangerous change')} were found.`,
  ]
}
