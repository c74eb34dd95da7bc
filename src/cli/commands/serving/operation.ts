/** `query 'GRAPHQL'` and `explain 'GRAPHQL'`: answer one operation without a server, or show how it is answered. */
import { UsageError } from '../../../errors.ts'
import { readFile } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import { errorAnswer } from '../../../query/execute/error-answer.ts'
import type { Explanation, GraphQLAnswer, GraphQLRequest } from '../../../query/execute/execute.ts'
import { CommandError, type CommandContext, printJson, whyUnreadable } from '../../command.ts'
import { openReader } from '../../service/service.ts'
import type { Config } from '../../settings/settings.ts'
import { counted } from '../../../util/text/counted.ts'
import { writeAnswer } from './query-file.ts'

export async function query(context: CommandContext): Promise<number> {
  const { config, root, given } = context
  const { format } = config
  const [option] = (['output', 'bom'] as const).filter((name) => given.has(name))
  if (format === null && option !== undefined)
    throw new UsageError(`query takes --${option} only together with --format.`)
  const request = await loadRequest(context)
  await using service = await openReader(config, root)
  if (format !== null) {
    await writeAnswer(service.engine, request, format, config)
    return 0
  }
  return printAnswer(await service.engine.execute(request), config)
}

/** Prints what the operation reads and costs, its SQL, and the indexes that each part uses. */
export async function explain(context: CommandContext): Promise<number> {
  const { config, root } = context
  const request = await loadRequest(context)
  await using service = await openReader(config, root)
  let explanation: Explanation
  try {
    explanation = await service.engine.explain(request)
  } catch (error) {
    return printAnswer(errorAnswer(error), config)
  }
  const { plan, cost, sql, steps } = explanation
  const values = explanation.values.map(plainValue)
  if (config.json) printJson({ plan, cost, sql, values, steps })
  else process.stdout.write(renderText({ plan, cost, sql, values, steps }))
  return 0
}

async function loadRequest({ config, operands }: CommandContext): Promise<GraphQLRequest> {
  const [operation = ''] = operands
  if (operation === '-' && config.variables === '-')
    throw new UsageError('Standard input can be read once: give the operation or the variables as @FILE.')
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
    throw new CommandError(`${file} cannot be read: ${whyUnreadable(error)}.`)
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

/** Prints JSON on standard output, including errors; returns the exit status. */
function printAnswer(answer: GraphQLAnswer, config: Config): number {
  if (answer.kind === 'data') {
    process.stdout.write(answer.body)
    process.stdout.write('\n')
    return 0
  }
  printJson({ errors: answer.errors })
  if (answer.cause !== undefined && config['log-level'] === 'debug') console.error(answer.cause)
  return 1
}

function renderText({ plan, cost, sql, values, steps }: Explanation): string {
  const parts: [string, readonly string[]][] = [
    ['Plan', plan],
    ['Cost', [counted(cost, 'point')]],
    ['SQL', [sql ?? 'none: the answer needs no data']],
    ['Parameters', values.map((value, index) => `${index + 1}  ${JSON.stringify(value)}`)],
    ['Steps and indexes', steps],
  ]
  return parts
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `# ${title}\n${lines.join('\n')}\n`)
    .join('\n')
}

/** Converts values that JSON has no type for: instants are bigints, and CIDs are bytes. */
function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}
