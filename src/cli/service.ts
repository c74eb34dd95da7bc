/** Builds all that answers questions, floor by floor. */
import type { Database } from '../database/database.ts'
import { createEngine } from '../query/engine.ts'
import type { QueryEngine } from '../query/execute.ts'
import { buildGraphQLSchema } from '../schema/graphql.ts'
import { type Foundation, lexiconDir, loadFoundation, openExistingStore, openStore } from './foundation.ts'
import type { Config } from './settings.ts'

export interface Service extends Foundation, AsyncDisposable {
  readonly database: Database
  readonly engine: QueryEngine
}

export async function openService(
  config: Config,
  root: URL,
  { create }: { create: boolean },
): Promise<Service> {
  const foundation = await loadFoundation(lexiconDir(config, root))
  const database = await (create ? openStore : openExistingStore)(config, foundation)
  const { model, tables } = foundation
  const engine = createEngine({
    schema: buildGraphQLSchema(model),
    model,
    tables,
    database: database.read,
    maxPageSize: config['max-page-size'],
  })
  return { ...foundation, database, engine, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}
