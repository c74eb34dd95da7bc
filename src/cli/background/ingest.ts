/** Runs sources and their background work over one database, for `ingest` and the thread of `serve --ingest`. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Database, Writer } from '../../database/database.ts'
import type { MetadataStore } from '../../database/metadata/sql-metadata-store.ts'
import { fetchRepositories } from '../../ingest/backfill.ts'
import { createFloodGuard, follow } from '../../ingest/pump.ts'
import { whileBusy } from '../../ingest/retries.ts'
import { keepHandles } from '../../ingest/handles.ts'
import { createFirehoseSource } from '../../ingest/sources/firehose/firehose.ts'
import { createImportSource } from '../../ingest/sources/files/import.ts'
import { createJetstreamSource } from '../../ingest/sources/messages/jetstream.ts'
import { createTapSource } from '../../ingest/sources/messages/tap.ts'
import { createRepoExportSource } from '../../ingest/sources/repos/repo-export.ts'
import type { IngestLog } from '../../ingest/log.ts'
import type { Source } from '../../ingest/source.ts'
import type { CommandContext } from '../command.ts'
import { type ProjectContext, lexiconDir, loadProject } from '../store/project.ts'
import { threadsOf } from '../settings/inputs.ts'
import { createLog, identityOptions, openNetwork } from './network.ts'
import { withoutPassword } from '../../database/postgres/url.ts'
import { UsageError } from '../../errors.ts'
import type { Config } from '../settings/settings.ts'
import { type ParsedSource, parseSources } from './sources.ts'
import { now } from '../../util/instant.ts'
import { counted } from '../../util/text/counted.ts'

export interface IngestGiven {
  readonly open: (config: Config, project: ProjectContext) => Promise<Database>
  /** Called once the database is open: until then, the default handling of signals suffices. */
  readonly signal: () => AbortSignal
}

type Upkeep = (metadata: MetadataStore, signal: AbortSignal, log: IngestLog) => Promise<void>

function upkeep({ retain: ages }: Config, { tables }: ProjectContext): readonly Upkeep[] {
  return [
    ...(ages === null ? [] : [retain]),
    ...(tables.every(({ stories }) => stories === null) ? [] : [keepStories]),
  ]
}

/** Rows per transaction; small, so that events do not wait long. */
const rowsAtOnce = 200
/** Milliseconds between two transactions, and between two polls: retention is in hours. */
const breath = 30
const pollInterval = 60_000

/** Removes expired records in small transactions; ends when the signal is aborted. */
async function retain(metadata: MetadataStore, signal: AbortSignal, log: IngestLog): Promise<void> {
  let removed = 0
  while (!signal.aborted) {
    const some = await whileBusy(signal, () => metadata.expireRecords(rowsAtOnce))
    removed += some
    if (some === 0 && removed > 0) {
      const were = removed === 1 ? 'was' : 'were'
      log.info(`${counted(removed, 'record')} ${were} older than --retain allows, and removed.`)
      removed = 0
    }
    await pause(some === 0 ? pollInterval : breath, undefined, { signal }).catch(() => {})
  }
}

/** Records per transaction; milliseconds between two looks for records whose stories are to be derived. */
const storiesAtOnce = 100
const storiesInterval = 500
/** The pause after a transaction is so many times as long, so that events have nine tenths of the time. */
const storiesRest = 9
/** Milliseconds. */
const longestRest = 500

/** Derives stories in small transactions; ends when the signal is aborted. */
export async function keepStories(
  metadata: Pick<MetadataStore, 'deriveStories'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const start = performance.now()
    const isMore = await whileBusy(signal, () => metadata.deriveStories(storiesAtOnce))
    const rest = Math.min(storiesRest * (performance.now() - start), longestRest)
    await pause(isMore === true ? rest : storiesInterval, undefined, { signal }).catch(() => {})
  }
}

/** Processes that change records derive stories, so nothing is missing where a role may only read. */
function leaveWork({ database, retain }: Config, from: string | null): void {
  if (from === null && retain === null) return
  throw new UsageError(
    `The user of ${withoutPassword(database)} may not change records, which ${from === null ? '--retain' : 'following sources'} takes. Connect as the role that owns the database.`,
  )
}

/**
 * Ends when all sources have ended and their requested work is done, or when the signal is aborted. Without sources
 * (`from` is null) it does the rest of the work of `serve`, as far as there is any.
 */
export async function runIngest(
  { config, root }: Pick<CommandContext, 'config' | 'root'>,
  from: string | null,
  { open, signal: stopped }: IngestGiven,
): Promise<void> {
  const parsed = from === null ? [] : await parseSources(from)
  // Invalid settings fail before anything is opened.
  if (from !== null) identityOptions(config)
  const project = await loadProject(lexiconDir(config, root))
  await using database = await open(config, project)
  const signal = stopped()
  const log = createLog(config)
  if (!(await whileBusy(signal, () => database.write.mayWrite()))) return leaveWork(config, from)
  if (from === null) {
    await Promise.all(upkeep(config, project).map((work) => work(database.write.metadata, signal, log)))
    return
  }
  const network = await openNetwork(config, project, log, signal)
  if (network === null) return
  const { reader, identity, clock, hosts } = network
  const fetching = { ...network, kind: 'ingest' as const, targets: [] }
  let before = ''
  while (!signal.aborted) {
    const onWaiting = (why: string): void => {
      log.info(`Waits: ${why}`)
      before = 'Took over. '
    }
    await using leaderLock = await database.write.leaderLock({ signal, onWaiting })
    if (leaderLock === null) return
    // State in memory is invalid under another leader lock, so all of it is created again.
    const sources = parsed.map(createSource)
    log.info(`${before}Following ${sources.map(({ name }) => name).join(', ')}.`)
    try {
      await followAll(sources, leaderLock, AbortSignal.any([signal, leaderLock.lost]))
      if (!leaderLock.lost.aborted) return
    } catch (error) {
      if (!leaderLock.lost.aborted || signal.aborted) throw error
    }
    log.warn('The connection to the database is lost; following starts anew from the cursors stored there.')
  }

  function createSource(source: ParsedSource): Source {
    const { name } = source
    const threads = threadsOf(config)
    const shared = { name, reader, clock, threads }
    switch (source.kind) {
      case 'firehose':
        // Threads resolve identities themselves.
        return createFirehoseSource({ ...shared, url: source.url, identity: identityOptions(config) })
      case 'jetstream':
        return createJetstreamSource({ ...shared, url: source.url })
      case 'tap':
        return createTapSource({ ...shared, url: source.url })
      case 'repo-export':
        return createRepoExportSource({ name, target: source.target, reader, identity, clock, hosts })
      case 'import':
        return createImportSource(name, source.inputs, { ...reader, workers: threads })
    }
  }

  /** Ends when the sources do, or when the signal is aborted. */
  async function followAll(sources: readonly Source[], writer: Writer, until: AbortSignal): Promise<void> {
    for (const { name, publicName } of parsed)
      await whileBusy(until, () => writer.metadata.nameSource(name, publicName))
    const fetchWanted = (end: 'idle' | 'aborted', signal: AbortSignal) =>
      fetchRepositories(writer, { ...fetching, until: end, signal })
    await follow(sources, writer, {
      signal: until,
      log,
      flood: createFloodGuard(config['max-publisher-rate'], now),
      beside: [
        async (until) => void (await fetchWanted('aborted', until)),
        ...upkeep(config, project).map((work) => (until: AbortSignal) => work(writer.metadata, until, log)),
        (until) => keepHandles(writer.metadata, identity, { signal: until, now, onNotice: log.warn }),
      ],
    })
    if (!until.aborted) await fetchWanted('idle', until)
    while ((await whileBusy(until, () => writer.metadata.deriveStories(rowsAtOnce))) === true);
  }
}
