/** Builds all that answers questions, floor by floor. */
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

/** A store that is made or rebuilt when need be, and the engine over it. */
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
  /** Whether another process brings the store to these lexicons. */
  readonly awaits: boolean
  /** Of the lexicons that the folder must have; any, when absent. */
  readonly fingerprint?: string
}

/** An engine over a store that is only read, and left as it is. */
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

/** An engine, and the process that first brings its store to these lexicons; null when that is done. */
export interface ServedService extends AsyncDisposable {
  readonly service: ReadService
  readonly preparation: Preparation | null
}

/** The same over a store that is made before, when need be. What may take long is done beside it: it answers so then. */
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
