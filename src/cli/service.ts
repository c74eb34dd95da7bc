/** Builds all that answers questions, floor by floor. */
import type { Database } from '../database/database.ts'
import { createEngine } from '../query/engine.ts'
import type { QueryEngine } from '../query/execute.ts'
import { buildGraphQLSchema } from '../schema/graphql.ts'
import {
  type Foundation,
  lexiconDir,
  loadFoundation,
  openExistingStore,
  openReadyStore,
  openStore,
  type ReadyStore,
} from './foundation.ts'
import type { Config } from './settings.ts'
import { readVersion } from './version.ts'

export interface Service extends ReadService {
  readonly database: Database
}

/** A store that is made or rebuilt when need be, and the engine over it. */
export async function openService(config: Config, root: URL): Promise<Service> {
  const foundation = await loadFoundation(lexiconDir(config, root))
  const database = await openStore(config, foundation)
  return {
    ...readerOver(config, root, { foundation, read: database.read }),
    database,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

export interface ReadService extends Foundation, AsyncDisposable {
  readonly database: Pick<Database, 'read'>
  readonly schema: ReturnType<typeof buildGraphQLSchema>
  readonly engine: QueryEngine
  /** The package's folder. */
  readonly root: URL
}

/** An engine over a store that is only read, and left as it is. */
export async function openReader(config: Config, root: URL): Promise<ReadService> {
  const ready = await openReadyStore(config, root)
  if (ready !== null) return readerOver(config, root, ready)
  const foundation = await loadFoundation(lexiconDir(config, root))
  return readerOver(config, root, { foundation, read: await openExistingStore(config, foundation) })
}

/** The same over a store that is made or rebuilt before, when need be: otherwise there is nothing to write. */
export async function openServed(config: Config, root: URL): Promise<ReadService> {
  const ready = await openReadyStore(config, root)
  return ready === null ? openService(config, root) : readerOver(config, root, ready)
}

function readerOver(config: Config, root: URL, { foundation, read }: ReadyStore): ReadService {
  const { model, tables } = foundation
  const schema = buildGraphQLSchema(model, true)
  const keptBytes = config['answer-cache'] * 1024 * 1024
  return {
    ...foundation,
    database: { read },
    schema,
    engine: createEngine({ schema, model, tables, database: read, version: readVersion(root), keptBytes }),
    root,
    [Symbol.asyncDispose]: () => read[Symbol.asyncDispose](),
  }
}
