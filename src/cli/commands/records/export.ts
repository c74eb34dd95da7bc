/** `export`: all records on standard output for `import`, or the records of one collection as a file for other programs. */
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { UsageError } from '../../../errors.ts'
import type { FileSpec } from '../../../files/file-spec.ts'
import { writeFile } from '../../../files/write-file.ts'
import { exportLines } from '../../../ingest/export.ts'
import { errorAnswer } from '../../../query/execute/error-answer.ts'
import { ExecutionReport, type OpenedExport } from '../../../query/execute/execute.ts'
import type { AggregateAnswer } from '../../../query/export/aggregate-query.ts'
import { counted } from '../../../util/text/counted.ts'
import { CommandError, type CommandContext, notify } from '../../command.ts'
import { openReader, type ReadService } from '../../service/service.ts'
import type { Config } from '../../settings/settings.ts'
import { assertOptions, buildFileQuery, fileLimits, fileOptions, parametersOf } from './file-query.ts'
import { lexiconDir, loadProject, openExistingStore } from '../../store/project.ts'

export async function exportRecords(context: CommandContext): Promise<void> {
  const { config, operands, root, given } = context
  if (config.format !== null) return exportFile(context)
  const [option] = ofFiles.filter((name) => given.has(name))
  if (option !== undefined || operands.length > 0)
    throw new UsageError(
      `export takes ${option === undefined ? 'a file' : `--${option}`} only together with --format.`,
    )
  const project = await loadProject(lexiconDir(config, root))
  await using database = await openExistingStore(config, project)
  const lines = Readable.from(exportLines(database, project.tables), { highWaterMark: 64 })
  await pipeline(lines, process.stdout, { end: false })
}

const ofFiles = ['collection', 'bom', ...fileOptions]

type OpenedFile = Pick<OpenedExport, 'bytes' | 'rows' | typeof Symbol.asyncDispose>

async function exportFile({ config, operands, root, given }: CommandContext): Promise<void> {
  const [path] = operands
  assertOptions(config, given)
  if (config.collection === null)
    throw new UsageError('export --format needs --collection NSID: a file has the records of one collection.')
  await using service = await openReader(config, root)
  await using file = await open(service, config, config.collection).catch((error: unknown) => {
    if (error instanceof CommandError) throw error
    const answer = errorAnswer(error)
    throw new CommandError(messageOf(answer), { cause: answer.cause })
  })
  try {
    if (path === undefined) await pipeline(Readable.from(file.bytes), process.stdout, { end: false })
    else await writeWhole(path, Readable.from(file.bytes))
  } catch (cause) {
    const { message } = cause as Error
    throw new CommandError(`The export to ${path ?? 'standard output'} was not completed: ${message}.`, {
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

/** The operator is not charged. */
async function open({ engine, schema }: ReadService, config: Config, nsid: string): Promise<OpenedFile> {
  const parameters = parametersOf(config)
  const wanted = buildFileQuery(schema, config, nsid)
  const specOf = (columns: FileSpec['columns']): FileSpec => ({
    format: config.format ?? 'csv',
    columns,
    bom: config.bom,
    gzip: false,
    query: JSON.stringify(Object.fromEntries([['collection', nsid], ...parameters])),
  })
  const { request, columns } = wanted.query
  if (wanted.kind === 'records')
    return engine.openExport(request, specOf(columns), fileLimits, new ExecutionReport())
  const answer = await engine.execute(request)
  if (answer.kind === 'errors') throw new CommandError(messageOf(answer), { cause: answer.cause })
  const groups = groupsOf(answer.body).map((group) => JSON.stringify(group))
  return {
    bytes: writeFile(specOf(columns), [groups], () => undefined),
    rows: () => groups.length,
    [Symbol.asyncDispose]: async () => undefined,
  }
}

function groupsOf(body: Uint8Array): readonly unknown[] {
  const { data } = JSON.parse(Buffer.from(body).toString()) as AggregateAnswer
  return Object.values(data)[0]?.groups ?? []
}

function messageOf({ errors }: Pick<ReturnType<typeof errorAnswer>, 'errors'>): string {
  return errors.map(({ message }) => message).join('\n')
}
