/** Builds all that answers questions, floor by floor. */
import type { Database, ReadDatabase } from '../database/database.ts'
import { createEngine } from '../query/engine.ts'
import type { QueryEngine } from '../query/execute.ts'
import { buildGraphQLSchema } from '../schema/graphql.ts'
import { type Foundation, lexiconDir, loadFoundation, openExistingStore, openStore } from './foundation.ts'
import type { Config } from './settings.ts'

export interface Service extends Foundation, AsyncDisposable {
  readonly database: Database
  readonly engine: QueryEngine
  /** The package's folder. */
  readonly root: URL
}

/** A store that is made or rebuilt when need be, and the engine over it. */
export async function openService(config: Config, root: URL): Promise<Service> {
  const foundation = await loadFoundation(lexiconDir(config, root))
  const database = await openStore(config, foundation)
  const engine = engineOver(database.read, foundation, config)
  return {
    ...foundation,
    database,
    engine,
    root,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

export interface ReadService extends Foundation, AsyncDisposable {
  readonly database: Pick<Database, 'read'>
  readonly engine: QueryEngine
  readonly root: URL
}

/** An engine over a store that is only read, and left as it is. */
export async function openReader(config: Config, root: URL): Promise<ReadService> {
  const foundation = await loadFoundation(lexiconDir(config, root))
  const read = await openExistingStore(config, foundation)
  const engine = engineOver(read, foundation, config)
  return {
    ...foundation,
    database: { read },
    engine,
    root,
    [Symbol.asyncDispose]: () => read[Symbol.asyncDispose](),
  }
}

function engineOver(database: ReadDatabase, { model, tables }: Foundation, config: Config): QueryEngine {
  const keptBytes = config['answer-cache'] * 1024 * 1024
  const schema = buildGraphQLSchema(model)
  return createEngine({ schema, model, tables, database, keptBytes })
}
