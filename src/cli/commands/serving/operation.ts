/** `query 'GRAPHQL'` and `explain 'GRAPHQL'`: answer one operation without a server, or show how it is answered. */
import { asSentence } from '../../../util/text/messages.ts'
import { UsageError } from '../../../errors.ts'
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { FileFormat } from '../../../files/file-spec.ts'
import { errorAnswer } from '../../../query/execute/error-answer.ts'
import type { Explanation, GraphQLAnswer, GraphQLRequest } from '../../../query/execute/execute.ts'
import { ExecutionReport, unlimited } from '../../../query/execute/execute.ts'
import { CommandError, type CommandContext, notify, printJson, readNamed } from '../../command.ts'
import { openReader, type ReadService } from '../../service/service.ts'
import type { Config } from '../../settings/settings.ts'
import { isObject } from '../../../util/is-object.ts'
import { counted } from '../../../util/text/counted.ts'

export async function query(context: CommandContext): Promise<number> {
  const { config, root, given } = context
  const { format } = config
  const [option] = (['output', 'bom'] as const).filter((name) => given.has(name))
  if (format === null && option !== undefined)
    throw new UsageError(`query takes --${option} only together with --format.`)
  const request = await loadRequest(context)
  await using service = await openReader(config, root)
  if (format !== null) {
    await writeAnswer(service, request, format, config)
    return 0
  }
  return printAnswer(await service.engine.execute(request), config)
}

/** Prints what the operation reads and costs, its SQL, and the indexes that each part uses. */
export async function explain(context: CommandContext): Promise<number> {
  const { config, root } = context
  const request = await loadRequest(context)
  await using service = await openReader(config, root)
  const found = await service.engine.explain(request).catch((error: unknown) => errorAnswer(error))
  if ('kind' in found) return printAnswer(found, config)
  const { plan, cost, sql, steps } = found
  const explanation = { plan, cost, sql, values: found.values.map(plainValue), steps }
  if (config.json) printJson(explanation)
  else process.stdout.write(renderText(explanation))
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
  return given.startsWith('@') ? (await readNamed(given.slice(1))).toString() : given
}

function parseVariables(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`--variables is not JSON: ${asSentence((error as Error).message)}`)
  }
  if (!isObject(value)) throw new UsageError('--variables must be a JSON object, such as {"first": 10}.')
  return value
}

/** Rows of a file without `first`; it is an `Int` of GraphQL. The operator is not charged. */
const fileLimits = { ...unlimited, pageSize: 2_000_000_000 }

/** Writes the answer as a file, without limits of rows or time. */
async function writeAnswer(
  { engine }: ReadService,
  request: GraphQLRequest,
  format: FileFormat,
  config: Config,
): Promise<void> {
  const form = { format, bom: config.bom, gzip: false }
  await using file = await engine
    .openFile(request, form, fileLimits, new ExecutionReport())
    .catch((error: unknown) => {
      const { errors, cause } = errorAnswer(error)
      throw new CommandError(errors.map(({ message }) => message).join('\n'), { cause })
    })
  const { output } = config
  try {
    if (output === null) await pipeline(Readable.from(file.bytes), process.stdout, { end: false })
    else await writeWhole(output, Readable.from(file.bytes))
  } catch (cause) {
    const { message } = cause as Error
    const place = output ?? 'standard output'
    throw new CommandError(`The file on ${place} was not completed: ${asSentence(message)}`, { cause })
  }
  notify(config, `Wrote ${counted(file.rows(), 'row')}.`)
}

/** The file has its name only once it is complete. */
async function writeWhole(path: string, bytes: Readable): Promise<void> {
  const assertNew = (): void => {
    if (existsSync(path)) throw new Error('it is there already')
  }
  assertNew()
  const draft = `${path}.${process.pid}.unfinished`
  try {
    await pipeline(bytes, createWriteStream(draft, { flags: 'wx' }))
    assertNew()
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
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
