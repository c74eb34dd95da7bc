/** The engine over a database with news, in this process, for benches that measure it without a server. */
import type { GraphQLSchema } from 'graphql'
import { parseConfig } from '../../src/cli/settings/config.ts'
import { loadProject, openExistingStore } from '../../src/cli/store/project.ts'
import type { ReadDatabase } from '../../src/database/database.ts'
import { createEngine } from '../../src/query/execute/engine.ts'
import type { QueryEngine } from '../../src/query/execute/execute.ts'
import { buildGraphQLSchema } from '../../src/schema/graphql/graphql.ts'
import type { Model } from '../../src/schema/model/model.ts'

export interface OpenEngine extends AsyncDisposable {
  readonly engine: QueryEngine
  readonly database: ReadDatabase
  readonly model: Model
  readonly schema: GraphQLSchema
}

/** `readThrough`: what the engine reads through instead of the database. */
export async function openEngine(
  url: string,
  readThrough: (database: ReadDatabase) => ReadDatabase = (database) => database,
): Promise<OpenEngine> {
  const { config } = parseConfig('query', ['--database', url, '{ __typename }'], {})
  const project = await loadProject(new URL('../../lexicons', import.meta.url).pathname)
  const { model } = project
  const database = await openExistingStore(config, project)
  const schema = buildGraphQLSchema(model)
  const engine = createEngine({ ...project, schema, database: readThrough(database), version: '0.0.0' })
  return { engine, database, model, schema, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}
