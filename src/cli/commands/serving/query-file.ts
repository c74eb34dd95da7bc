/** `query --format`: the answer to an operation as a file, without limits of rows or time. */
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FileFormat } from '../../../files/file-spec.ts'
import { errorAnswer } from '../../../query/execute/error-answer.ts'
import type { GraphQLRequest, QueryEngine } from '../../../query/execute/execute.ts'
import { ExecutionReport, unlimited } from '../../../query/execute/execute.ts'
import { counted } from '../../../util/text/counted.ts'
import { CommandError, notify } from '../../command.ts'
import type { Config } from '../../settings/settings.ts'

/** Rows of a file without `first`; it is an `Int` of GraphQL. The operator is not charged. */
const fileLimits = { ...unlimited, pageSize: 2_000_000_000 }

export async function writeAnswer(
  engine: QueryEngine,
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
    throw new CommandError(`The file on ${output ?? 'standard output'} was not completed: ${message}.`, {
      cause,
    })
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
