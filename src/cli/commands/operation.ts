/** The operation that `query` and `explain` are given: its text and its variables. */
import { readFile } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import type { GraphQLRequest } from '../../query/execute.ts'
import { CommandError, type CommandContext } from '../command.ts'

export async function loadRequest({ config, operands }: CommandContext): Promise<GraphQLRequest> {
  const [operation = ''] = operands
  if (operation === '-' && config.variables === '-')
    throw new CommandError('Standard input can be read once: give the operation or the variables as @FILE.')
  const query = await loadText(operation)
  const variables = config.variables === null ? {} : parseVariables(await loadText(config.variables))
  return { query, variables, operationName: config.operation }
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
    throw new CommandError(`--variables is not JSON: ${(error as Error).message}.`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CommandError('--variables must be a JSON object, such as {"first": 10}.')
  return value as Record<string, unknown>
}
