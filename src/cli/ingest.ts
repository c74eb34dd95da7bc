/** What `ingest` and the thread of `serve --ingest` run: sources, and the work beside them, over one database. */
import { availableParallelism } from 'node:os'
import { fetchRepositories } from '../ingest/backfill.ts'
import { createFloodGuard } from '../ingest/flood.ts'
import { follow } from '../ingest/follow.ts'
import { keepHandles } from '../ingest/handles.ts'
import { createIdentity } from '../ingest/sources/identity.ts'
import { createHosts } from '../ingest/sources/hosts.ts'
import type { CommandContext } from './command.ts'
import { lexiconDir, loadFoundation, now, openStore } from './foundation.ts'
import { createLog, identityOptions, publishersOf } from './network.ts'
import { createSource, parseSources } from './sources.ts'

/** Ends when all sources are at their end, and then all they asked for is done; or when the signal is aborted. */
export async function runIngest(
  { config, root }: Pick<CommandContext, 'config' | 'root'>,
  from: string,
  signal: AbortSignal,
): Promise<void> {
  const parsed = await parseSources(from)
  const options = identityOptions(config)
  const foundation = await loadFoundation(lexiconDir(config, root))
  await using database = await openStore(config, foundation)
  const log = createLog(config)
  const publishers = await publishersOf(config, log, signal)
  if (publishers === 'stopped') return
  const reader = { lexicons: foundation.lexicons, tables: foundation.tables, publishers }
  const identity = createIdentity(options)
  const hosts = createHosts(identity.fetch)
  const given = {
    reader,
    identity,
    hosts,
    identityOptions: options, // Signatures take more than the writing does, and what waits for it takes nothing.
    threads: config.workers ?? availableParallelism(),
  }
  const sources = parsed.map((source) => createSource(source, given))
  const fetchWanted = (until: 'idle' | 'aborted', signal: AbortSignal) =>
    fetchRepositories(database.write, {
      kind: 'ingest',
      targets: [],
      until,
      parallel: config.parallel,
      reader,
      identity,
      hosts,
      now,
      signal,
      onNotice: log.warn,
    })
  log.info(`Following ${sources.map(({ name }) => name).join(', ')}.`)
  await follow(sources, database.write, {
    signal,
    log,
    flood: createFloodGuard(config['max-publisher-rate'], now),
    beside: [
      async (until) => void (await fetchWanted('aborted', until)),
      (until) => keepHandles(database.write.ledger, identity, { signal: until, now, onNotice: log.warn }),
    ],
  })
  if (!signal.aborted) await fetchWanted('idle', signal)
}
