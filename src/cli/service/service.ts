/** Assembles the services that answer queries: lexicons, database, schema and engine. */
import type { Database, ReadDatabase } from '../../database/database.ts'
import { createEngine } from '../../query/execute/engine.ts'
import type { QueryEngine } from '../../query/execute/execute.ts'
import { buildGraphQLSchema } from '../../schema/graphql/graphql.ts'
import type { CommandContext } from '../command.ts'
import {
  awaitStore,
  type ProjectContext,
  isStoreOutdated,
  lexiconDir,
  loadProject,
  openExistingStore,
  openReadyStore,
  openStore,
} from '../store/project.ts'
import { type Preparation, startPreparation } from '../background/preparation.ts'
import { assertStarted } from '../serve/rebuild-watch.ts'
import type { Config } from '../settings/settings.ts'
import { readVersion } from '../version.ts'

export interface Service extends ReadService {
  readonly database: Database
}

/** Creates or rebuilds the store if necessary, and opens an engine over it. */
export async function openService(config: Config, root: URL): Promise<Service> {
  return openOver(config, root, await loadProject(lexiconDir(config, root)))
}

async function openOver(config: Config, root: URL, project: ProjectContext): Promise<Service> {
  const database = await openStore(config, project)
  return {
    ...readerOver(config, root, project, database.read),
    database,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

export interface ReadService extends ProjectContext, AsyncDisposable {
  readonly database: Pick<Database, 'read'>
  readonly schema: ReturnType<typeof buildGraphQLSchema>
  readonly engine: QueryEngine
  /** The package's folder. */
  readonly root: URL
}

export interface ReaderGiven {
  /** Whether another process updates the store to these lexicons. */
  readonly awaits: boolean
  /** The fingerprint that the lexicons in the folder must have; absent for any. */
  readonly fingerprint?: string
}

/** An engine over a store that is opened read-only. */
export async function openReader(
  config: Config,
  root: URL,
  { awaits, fingerprint }: ReaderGiven = { awaits: false },
): Promise<ReadService> {
  const project = await loadProject(lexiconDir(config, root))
  if (fingerprint !== undefined) assertStarted(project, fingerprint)
  const open = awaits ? awaitStore : openExistingStore
  return readerOver(config, root, project, await open(config, project))
}

/** An engine, and the process that updates its store to these lexicons; null when the store is ready. */
export interface ServedService extends AsyncDisposable {
  readonly service: ReadService
  readonly preparation: Preparation | null
}

/** Creates the store if necessary. A slow update runs in another process; until it ends, queries fail as not ready. */
export async function openServed(context: CommandContext): Promise<ServedService> {
  const { config, root } = context
  await using resources = new AsyncDisposableStack()
  const project = await loadProject(lexiconDir(config, root))
  const ready = await openReadyStore(config, project)
  let preparation: Preparation | null = null
  let service: ReadService
  if (ready !== null) service = readerOver(config, root, project, ready)
  else if (await isStoreOutdated(config, project)) {
    preparation = resources.use(await startPreparation(context, project))
    service = readerOver(config, root, project, await awaitStore(config, project))
  } else service = await openOver(config, root, project)
  resources.use(service)
  const opened = resources.move()
  return { service, preparation, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

function readerOver(config: Config, root: URL, project: ProjectContext, read: ReadDatabase): ReadService {
  const { model, tables } = project
  const schema = buildGraphQLSchema(model, true)
  const answerCacheBytes = config['answer-cache'] * 1024 * 1024
  return {
    ...project,
    database: { read },
    schema,
    engine: createEngine({
      schema,
      model,
      tables,
      database: read,
      version: readVersion(root),
      answerCacheBytes,
    }),
    root,
    [Symbol.asyncDispose]: () => read[Symbol.asyncDispose](),
  }
}
