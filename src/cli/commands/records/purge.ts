/** `purge`: permanently removes given records and accounts, and records beyond their retention. */
import { asSentence } from '../../../util/text/messages.ts'
import { UsageError } from '../../../errors.ts'
import { type Database, DatabaseBusyError, type ReadDatabase } from '../../../database/database.ts'
import { isPostgres } from '../../../database/open.ts'
import { oldestRetained } from '../../../database/metadata/expiry.ts'
import type { PurgeExtent } from '../../../database/metadata/metadata-store.ts'
import type { MetadataStore } from '../../../database/metadata/sql-metadata-store.ts'
import type { Subject } from '../../../lexicon/subject.ts'
import { identifier } from '../../../sql/sql.ts'
import { formatInstant, now } from '../../../util/instant.ts'
import { finishDespiteClosedPipe } from '../../closed-pipe.ts'
import { type CommandContext, CommandError, notify, print } from '../../command.ts'
import {
  assertWritten,
  busily,
  findHiding,
  inSteps,
  operatorOf,
  parseOperand,
  reasonOf,
  settleStories,
  unserved,
} from '../../store/curation.ts'
import type { ProjectContext } from '../../store/project.ts'
import { lexiconDir, loadProject, openExistingBeside, openExistingStore } from '../../store/project.ts'
import { parseRetention } from '../../store/store-options.ts'
import type { Config } from '../../settings/settings.ts'
import { counted } from '../../../util/text/counted.ts'
import { measurePurge } from '../../../database/metadata/purges.ts'

export async function purge({ config, operands, root }: CommandContext): Promise<void> {
  const subjects = [...new Set(operands)].map((text) => [text, parseOperand(text)] as const)
  const project = await loadProject(lexiconDir(config, root))
  if (config['dry-run']) {
    await using database = await openExistingStore(config, project)
    return await foretell(database, subjects, config, project)
  }
  const reason = subjects.length > 0 ? reasonOf('purge', config) : ''
  const purgedBy = operatorOf(config)
  await using database = await openExistingBeside(config, project)
  const { metadata } = database.write
  for (const [text, subject] of subjects) await assertWritten(text, subject, metadata)
  const before = await metadata.unfinishedPurges()
  if (subjects.length === 0 && config.retain === null && before.length === 0)
    throw new UsageError('purge needs URI|DID, or --retain; no purge was broken off that it could finish.')
  for (const subject of before) print(`The purge of ${subject} was broken off; it is finished now.`)
  await finishDespiteClosedPipe(async () => {
    let isChanged = before.length > 0
    for (const [text, subject] of subjects) {
      const extent = await metadata.purge({ subject: text, reason, purgedBy })
      print(
        extent === null
          ? await alreadyPurged(text, database)
          : `${text} is purged: ${extentOf(extent)}${unserved(subject, project)}`,
      )
      isChanged ||= extent !== null
    }
    await inSteps((rows) => metadata.settleAccounts(rows))
    if (config.retain !== null) isChanged = (await expireAll(metadata)) > 0 || isChanged
    await settleStories(metadata)
    if (isChanged) await writeAnew(database, config)
  })
}

/** Changes nothing. */
async function foretell(
  database: ReadDatabase,
  subjects: readonly (readonly [string, Subject])[],
  config: Config,
  { tables }: ProjectContext,
): Promise<void> {
  if (subjects.length === 0 && config.retain === null)
    throw new UsageError('purge --dry-run needs URI|DID, or --retain.')
  for (const [text] of subjects)
    print(`${text} would be purged: ${extentOf(await database.readSteps(() => measurePurge(text)))}`)
  const retention = parseRetention(config.retain, tables)
  for (const { name, collection } of tables) {
    const oldest = oldestRetained(retention, collection.nsid, now())
    if (oldest === null) continue
    const count = `select count(*) as n from ${identifier(name).sql} where indexed_at < ${oldest}`
    for await (const { n } of database.readRows({ text: count, values: [] }))
      print(
        `${collection.nsid}: ${counted(Number(n), 'record')} from before ${formatInstant(oldest)} would be removed.`,
      )
  }
}

function extentOf({ collections, rejections, tombstones, jobs }: PurgeExtent): string {
  const parts = [
    ...collections.map(({ name, records }) => `${counted(records, 'record')} of ${name}`),
    ...(rejections > 0 ? [counted(rejections, 'refused record')] : []),
    ...(tombstones > 0 ? [counted(tombstones, 'tombstone')] : []),
    ...(jobs > 0
      ? [counted(jobs, 'request to fetch its repository', 'requests to fetch its repository')]
      : []),
  ]
  return parts.length === 0
    ? 'nothing of it is stored, and what arrives later is not stored either.'
    : `${parts.join(', ')}.`
}

async function alreadyPurged(text: string, { read }: Database): Promise<string> {
  const known = await findHiding(text, read)
  const purge = known?.purge ?? null
  if (purge === null) return `${text} is purged already.`
  return `${text} has been purged since ${formatInstant(purge.purgedAt)} by ${purge.purgedBy}: ${purge.reason}`
}

async function expireAll(metadata: MetadataStore): Promise<number> {
  const removed = await inSteps((rows) => metadata.expireRecords(rows))
  print(
    `${counted(removed, 'record')} ${removed === 1 ? 'was' : 'were'} older than --retain allows, and removed.`,
  )
  return removed
}

/** Removed rows remain in free space until the database is compacted. */
async function writeAnew(database: Database, config: Config): Promise<void> {
  const isFile = !isPostgres(config.database)
  notify(config, isFile ? 'The file is written anew, without what was removed.' : 'The tables are vacuumed.')
  if (!(await busily(() => database.write.compact().catch(throwUnfinished))))
    throw new CommandError(
      'The rows are removed, but their bytes cannot be erased now: another process, such as an export or a backup, reads an older state of the database, or the database is being rebuilt. Run `lexigraph purge` again when that process is done.',
    )
  await busily(() => database.write.metadata.endPurges())
  print(
    isFile
      ? 'Nothing of what was removed is left in the file.'
      : 'What was removed is free space now, which PostgreSQL overwrites by and by.',
  )
}

/** For example when the disk is full. */
function throwUnfinished(cause: unknown): never {
  if (cause instanceof DatabaseBusyError) throw cause
  throw new CommandError(
    `The rows are removed, but their bytes may be left in free space of the database, which could not be rewritten: ${asSentence((cause as Error).message)} Run \`lexigraph purge\` again when it can be.`,
    { cause },
  )
}
