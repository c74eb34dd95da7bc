/** `export`: all records on standard output for `import`, or the records of one collection as a file for other programs. */
import { createWriteStream } from 'node:fs'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { UsageError } from '../../../errors.ts'
import type { FileSpec } from '../../../files/file-spec.ts'
import { writeFile } from '../../../files/write-file.ts'
import { exportLines } from '../../../ingest/export.ts'
import { errorAnswer } from '../../../query/execute/error-answer.ts'
import { ExecutionReport, type OpenedExport, unlimited } from '../../../query/execute/execute.ts'
import { type AggregateAnswer, buildAggregateQuery } from '../../../query/export/aggregate-query.ts'
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

/** Options that are parameters of files, by the names of these; only groups have those of `ofGroups`. */
const ofGroups = {
  'group-by': 'groupBy',
  denominator: 'denominator',
  'time-zone': 'timeZone',
  'week-start': 'weekStart',
  interval: 'interval',
  'order-by': 'orderBy',
  'rank-by': 'rankBy',
  having: 'having',
  significant: 'significant',
  'min-count': 'minCount',
  fill: 'fill',
} as const
const parameterNames = {
  where: 'where',
  search: 'search',
  'sort-by': 'sortBy',
  fields: 'fields',
  limit: 'limit',
  ...ofGroups,
} as const
const ofFiles = ['collection', 'bom', ...Object.keys(parameterNames)]

type OpenedFile = Pick<OpenedExport, 'bytes' | 'rows' | typeof Symbol.asyncDispose>

/** Rows of a file without `--limit`; it is an `Int` of GraphQL. */
const mostRows = 2_000_000_000

async function exportFile({ config, operands, root, given }: CommandContext): Promise<void> {
  const [path] = operands
  const [grouped] = Object.keys(ofGroups).filter((name) => given.has(name))
  if (grouped !== undefined && config['group-by'] === null)
    throw new UsageError(`--${grouped} is for groups: write --group-by with it, or leave it out.`)
  if (config.collection === null)
    throw new UsageError('export --format needs --collection NSID: a file has the records of one collection.')
  await using service = await openReader(config, root)
  await using file = await open(service, config, config.collection).catch((error: unknown) => {
    if (error instanceof CommandError) throw error
    const answer = errorAnswer(error)
    throw new CommandError(messageOf(answer), { cause: answer.cause })
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
async function open({ engine, schema }: ReadService, config: Config, nsid: string): Promise<OpenedFile> {
  const parameters = new Map(
    Object.entries(parameterNames).flatMap(([option, name]) => {
      const value = config[option as keyof typeof parameterNames]
      return value === null || value === false ? [] : [[name, String(value)] as const]
    }),
  )
  const collection = collectionNamed(schema, nsid)
  const specOf = (columns: FileSpec['columns']): FileSpec => ({
    format: config.format ?? 'csv',
    columns,
    bom: config.bom,
    gzip: false,
    query: JSON.stringify(Object.fromEntries([['collection', nsid], ...parameters])),
  })
  if (config['group-by'] === null) {
    const query = buildExportQuery(schema, collection, parameters, mostRows)
    const limits = { ...unlimited, pageSize: mostRows }
    return engine.openExport(query.request, specOf(query.columns), limits, new ExecutionReport())
  }
  const query = buildAggregateQuery(schema, collection, parameters)
  const answer = await engine.execute(query.request)
  if (answer.kind === 'errors') throw new CommandError(messageOf(answer), { cause: answer.cause })
  const groups = groupsOf(answer.body).map((group) => JSON.stringify(group))
  return {
    bytes: writeFile(specOf(query.columns), [groups], () => undefined),
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
