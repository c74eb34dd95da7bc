/** Assembles the services that answer queries: lexicons, database, schema and engine. */
import type { Database, ReadDatabase } from '../../database/database.ts'
import { createEngine } from '../../query/execute/engine.ts'
import type { QueryEngine } from '../../query/execute/execute.ts'
import { buildGraphQLSchema } from '../../schema/graphql/graphql.ts'
import { readVersion } from '../command.ts'
import type { ProjectContext } from '../store/project.ts'
import { awaitStore, lexiconDir, loadProject, openExistingStore, openStore } from '../store/project.ts'
import { assertStarted } from '../serve/rebuild-watch.ts'
import type { Config } from '../settings/settings.ts'

export interface Service extends ReadService {
  readonly database: Database
}

/** Creates or rebuilds the store if necessary, and opens an engine over it. */
export async function openService(config: Config, root: URL): Promise<Service> {
  const project = await loadProject(lexiconDir(config, root))
  const database = await openStore(config, project)
  return {
    ...createService(config, root, project, database.read),
    database,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

export interface ReadService extends ProjectContext, AsyncDisposable {
  readonly database: Pick<Database, 'read'>
  readonly schema: ReturnType<typeof buildGraphQLSchema>
  readonly engine: QueryEngine
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
  return createService(config, root, project, await open(config, project))
}

export function createService(
  config: Config,
  root: URL,
  project: ProjectContext,
  read: ReadDatabase,
): ReadService {
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
