/** Loads the operation of `query` and `explain`, and prints its answer. */
import { UsageError } from '../../../errors.ts'
import { readFile } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import type { GraphQLAnswer, GraphQLRequest } from '../../../query/execute/execute.ts'
import { CommandError, type CommandContext } from '../../command.ts'
import type { Config } from '../../settings/settings.ts'

export async function loadRequest({ config, operands }: CommandContext): Promise<GraphQLRequest> {
  const [operation = ''] = operands
  if (operation === '-' && config.variables === '-')
    throw new UsageError('Standard input can be read once: give the operation or the variables as @FILE.')
  const query = await loadText(operation)
  const variables = config.variables === null ? {} : parseVariables(await loadText(config.variables))
  return { query, variables, operationName: config.operation }
}

/** Prints JSON on standard output, including errors; returns the exit status. */
export function printAnswer(answer: GraphQLAnswer, config: Config): number {
  if (answer.kind === 'data') {
    process.stdout.write(answer.body)
    process.stdout.write('\n')
    return 0
  }
  process.stdout.write(`${JSON.stringify({ errors: answer.errors })}\n`)
  if (answer.cause !== undefined && config['log-level'] === 'debug') console.error(answer.cause)
  return 1
}

/** The text itself, `@FILE`, or `-` for standard input. */
async function loadText(given: string): Promise<string> {
  if (given === '-') return readText(process.stdin)
  if (!given.startsWith('@')) return given
  const file = given.slice(1)
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'there is no such file' : error.message
    throw new CommandError(`${file} cannot be read: ${why}.`)
  })
}

function parseVariables(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`--variables is not JSON: ${(error as Error).message}.`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError('--variables must be a JSON object, such as {"first": 10}.')
  return value as Record<string, unknown>
}
