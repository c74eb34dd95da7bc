/** Real news in a folder next to the checkout, if it is there: 17,000 articles in thirty languages, with their outlets and analyses. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadProject } from '../../../src/cli/store/project.ts'
import { openDatabase } from '../../../src/database/open.ts'
import { type ImportResult, importRecords } from '../../../src/ingest/sources/files/import.ts'
import { fileInput } from '../../../src/ingest/sources/files/lines.ts'
import { createEngine } from '../../../src/query/execute/engine.ts'
import type { QueryEngine } from '../../../src/query/execute/execute.ts'
import { buildGraphQLSchema } from '../../../src/schema/graphql/graphql.ts'
import type { Model } from '../../../src/schema/model/model.ts'

const folder = fileURLToPath(new URL('../../../../shared/corpus/dev/', import.meta.url))

/** The option `skip` of tests that need it. */
export const skip = existsSync(folder) ? false : 'the corpus is not next to the checkout'

export const devFiles = ['sources', 'articles', 'enrichments'] as const

export function devFile(name: (typeof devFiles)[number]): string {
  return `${folder}${name}.jsonl.gz`
}

export interface DevCorpus extends AsyncDisposable {
  readonly imported: ImportResult
  readonly model: Model
  readonly engine: QueryEngine
}

export async function importDevCorpus(): Promise<DevCorpus> {
  const project = await loadProject(fileURLToPath(new URL('../../../lexicons/', import.meta.url)))
  const { lexicons, model, tables } = project
  const database = await openDatabase('sqlite::memory:', {
    tables,
    fingerprint: lexicons.fingerprint,
    check: () => null,
    now: () => BigInt(Date.now()) * 1000n,
  })
  const inputs = devFiles.map((name) => fileInput(devFile(name), null))
  const imported = await importRecords(database.write, inputs, { ...project, workers: 1 })
  const schema = buildGraphQLSchema(model)
  const engine = createEngine({ schema, model, tables, database: database.read, version: '0.0.0' })
  return { imported, model, engine, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}
