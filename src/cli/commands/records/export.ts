/** `export`: all records on standard output for `import`, or the records of one collection as a file for other programs. */
import { createWriteStream } from 'node:fs'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { UsageError } from '../../../errors.ts'
import type { FileSpec } from '../../../files/file-spec.ts'
import { exportLines } from '../../../ingest/export.ts'
import { errorAnswer } from '../../../query/execute/error-answer.ts'
import { ExecutionReport, type OpenedExport, unlimited } from '../../../query/execute/execute.ts'
import { buildExportQuery, collectionNamed } from '../../../query/export/export-query.ts'
import { counted } from '../../../util/text/counted.ts'
import { CommandError, type CommandContext, notify } from '../../command.ts'
import { openReader, type ReadService } from '../../service/service.ts'
import type { Config } from '../../settings/settings.ts'
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

const ofFiles = ['collection', 'where', 'search', 'sort-by', 'fields', 'limit', 'bom'] as const

/** Rows of a file without `--limit`; it is an `Int` of GraphQL. */
const mostRows = 2_000_000_000

async function exportFile({ config, operands, root }: CommandContext): Promise<void> {
  const [path] = operands
  if (config.collection === null)
    throw new UsageError('export --format needs --collection NSID: a file has the records of one collection.')
  await using service = await openReader(config, root)
  await using file = await open(service, config, config.collection).catch((error: unknown) => {
    const { errors, cause } = errorAnswer(error)
    throw new CommandError(errors.map(({ message }) => message).join('\n'), { cause })
  })
  const out: Writable = path === undefined ? process.stdout : createWriteStream(path, { flags: 'wx' })
  try {
    await pipeline(Readable.from(file.bytes), out, { end: path !== undefined })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const reason = code === 'EEXIST' ? 'it is there already' : message
    throw new CommandError(`The export to ${path ?? 'standard output'} was not completed: ${reason}.`, {
      cause,
    })
  }
  notify(config, `Wrote ${counted(file.rows(), 'row')}.`)
}

/** The operator is not charged. */
async function open({ engine, schema }: ReadService, config: Config, nsid: string): Promise<OpenedExport> {
  const options = {
    where: config.where,
    search: config.search,
    sortBy: config['sort-by'],
    fields: config.fields,
    limit: config.limit === null ? null : String(config.limit),
  }
  const parameters = new Map(
    Object.entries(options).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  )
  const query = buildExportQuery(schema, collectionNamed(schema, nsid), parameters, mostRows)
  const spec: FileSpec = {
    format: config.format ?? 'csv',
    columns: query.columns,
    bom: config.bom,
    gzip: false,
    query: JSON.stringify(Object.fromEntries([['collection', nsid], ...parameters])),
  }
  const limits = { ...unlimited, pageSize: mostRows }
  return engine.openExport(query.request, spec, limits, new ExecutionReport())
}
