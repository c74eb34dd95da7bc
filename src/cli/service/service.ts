/** Assembles the services that answer queries: lexicons, database, schema and engine. */
import type { ReadDatabase } from '../../database/database.ts'
import { createEngine } from '../../query/execute/engine.ts'
import { buildGraphQLSchema } from '../../schema/graphql/graphql.ts'
import { readVersion } from '../command.ts'
import type { ProjectContext } from '../store/project.ts'
import { awaitStore, lexiconDir, loadProject, openExistingStore, openStore } from '../store/project.ts'
import { assertStarted } from '../serve/rebuild-watch.ts'
import type { Config } from '../settings/settings.ts'

/** Creates or rebuilds the store if necessary, and opens an engine over it. */
export async function openService(config: Config, root: URL) {
  const project = await loadProject(lexiconDir(config, root))
  const database = await openStore(config, project)
  return {
    ...createService(config, root, project, database.read),
    database,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

/**
 * An engine over a store that is opened read-only. For a worker: whether another process updates the store to these
 * lexicons, and their fingerprint, which those in the folder must have.
 */
export async function openReader(
  config: Config,
  root: URL,
  task?: { readonly awaits: boolean; readonly fingerprint: string },
): Promise<ReadService> {
  const project = await loadProject(lexiconDir(config, root))
  if (task !== undefined) assertStarted(project, task.fingerprint)
  const open = task?.awaits === true ? awaitStore : openExistingStore
  return createService(config, root, project, await open(config, project))
}

export type ReadService = ReturnType<typeof createService>

export function createService(config: Config, root: URL, project: ProjectContext, read: ReadDatabase) {
  const schema = buildGraphQLSchema(project.model, true)
  const answerCacheBytes = config['answer-cache'] * 1024 * 1024
  return {
    ...project,
    database: { read },
    schema,
    engine: createEngine({
      ...project,
      schema,
      database: read,
      version: readVersion(root),
      answerCacheBytes,
    }),
    root,
    [Symbol.asyncDispose]: () => read[Symbol.asyncDispose](),
  }
}
