/** The one place that knows how the program's parts are put together for tests. */
import type { GraphQLSchema } from 'graphql'
import type { Change, Database, ReadDatabase, Statistics } from '../../../src/database/database.ts'
import type { Table } from '../../../src/database/layout/tables.ts'
import { deriveRow } from '../../../src/database/derive.ts'
import { openDatabase } from '../../../src/database/open.ts'
import { defaultQueryOptions } from '../../../src/database/postgres/read/servers.ts'
import { createRecordReader } from '../../../src/lexicon/records/validate.ts'
import { createEngine } from '../../../src/query/execute/engine.ts'
import { type QueryEngine, type RequestLimits, unlimited } from '../../../src/query/execute/execute.ts'
import type { Model } from '../../../src/schema/model/model.ts'
import { buildGraphQLSchema } from '../../../src/schema/graphql/graphql.ts'
import { schemaText } from '../../../src/schema/schema-text.ts'
import type { Json, References } from '../../reference/shapes.ts'
import { printInstant } from '../../reference/values.ts'
import type { PlainRecord } from '../../reference/dataset.ts'
import { understand } from '../records/understand.ts'
import { smallOf } from '../store/postgres.ts'
import { patience } from '../until.ts'

/** A line of an import. */
export interface StoredLine {
  readonly uri: string
  readonly cid?: string
  readonly rev?: string
  readonly indexedAt?: string | bigint
  readonly value: Json
}

export interface OpenedEngine extends AsyncDisposable {
  readonly engine: QueryEngine
  readonly schema: GraphQLSchema
  readonly tables: readonly Table[]
  /** As `import` does: into an empty store at once. A refused record is an error here. */
  load(records: readonly (PlainRecord | StoredLine)[]): Promise<void>
  /** As a live source does: one batch, one transaction. */
  apply(records: readonly (PlainRecord | StoredLine)[]): Promise<void>
  /** A record as a change of a batch. A refused record is an error here. */
  readonly changeOf: (record: PlainRecord | StoredLine) => Change
  /** For what no record says: statuses of accounts, handles, where sources are. */
  readonly database: Database
  /** How many statements the database has run for answers. */
  readonly statements: () => number
  /** The text of the latest of them. */
  readonly lastStatement: () => string
  /** Whether the latest of them was one that others may wait for. */
  readonly lastKind: () => 'short' | 'long'
  /** The schema as `lexigraph schema` prints it. */
  readonly schemaText: string
  /** From now on every statement fails. */
  readonly breakDatabase: () => Promise<void>
}

/** `estimated` chooses what the planner believes of the data; no answer may depend on it. `now` is the writer's clock. */
export async function openEngine(
  documents: readonly Json[],
  references: References,
  url: string,
  estimated: keyof typeof estimates = 'true',
  now = () => BigInt(Date.now()) * 1000n,
  stories: Json = undefined,
): Promise<OpenedEngine> {
  const { set, model, tables } = understand(documents, references, stories)
  const schema = schemaOf(model)
  const readRecord = createRecordReader(set)
  const database = await openDatabase(url, {
    tables,
    small: smallOf(tables),
    fingerprint: set.fingerprint,
    check: (uri, json) => {
      const reading = readRecord({ uri, value: JSON.parse(json) })
      return reading.ok ? null : reading
    },
    now,
    // A server that is held up is not too slow.
    reading: { ...defaultQueryOptions, statementTimeout: patience },
  })
  const watched = watch(database.read, estimates[estimated](database.read.statistics))
  const whole = createEngine({
    schema,
    model,
    tables,
    database: watched.read,
    version: '0.0.0',
    answerCacheBytes: 1_000_000,
  })
  const engine: QueryEngine = {
    ...whole,
    execute: (request, terms = unchargedLimits) => whole.execute(request, terms),
  }
  await engine.execute({ query: '{ __typename }' })

  const changeOf = (given: PlainRecord | StoredLine): Change => {
    const reading = readRecord(lineOf(given))
    if (!reading.ok) throw new Error(`${given.uri} was refused: ${reading.message}`)
    const { record } = reading
    const table = tables.find(({ collection }) => collection.nsid === record.collection)
    if (table === undefined) throw new Error(`${record.collection} has no table.`)
    return { kind: 'put', ...record, ...deriveRow(table, record.value) }
  }
  let closed = false
  const close = async () => {
    if (!closed) await database[Symbol.asyncDispose]()
    closed = true
  }
  return {
    engine,
    schema,
    tables,
    load: async (records) => void (await database.write.load(oneBatch(records.map(changeOf)))),
    apply: async (records) => void (await database.write.applyBatch(records.map(changeOf))),
    changeOf,
    database,
    statements: () => watched.seen.length,
    lastStatement: () => watched.seen.at(-1)?.text ?? '',
    lastKind: () => watched.seen.at(-1)?.kind ?? 'short',
    schemaText: schemaText(schema).text,
    breakDatabase: close,
    [Symbol.asyncDispose]: close,
  }
}

const schemas = new WeakMap<Model, GraphQLSchema>()

function schemaOf(model: Model): GraphQLSchema {
  const schema = schemas.get(model) ?? buildGraphQLSchema(model)
  schemas.set(model, schema)
  return schema
}

/** As large a page as callers get, without a charge. */
export const unchargedLimits: RequestLimits = { ...unlimited, pageSize: 100 }

interface Seen {
  readonly text: string
  readonly kind: 'short' | 'long'
}

/** The same database, keeping the texts of what it is asked. */
function watch(read: ReadDatabase, statistics: Statistics): { read: ReadDatabase; seen: Seen[] } {
  const seen: Seen[] = []
  const readAnswer: ReadDatabase['readAnswer'] = (statement, terms) => {
    seen.push({ text: statement.text, kind: terms.kind })
    return read.readAnswer(statement, terms)
  }
  const own = { statistics, readAnswer }
  const watched = new Proxy(read, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name)
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { read: watched, seen }
}

/** True, nothing known, everything common, everything rare, and texts that are candidates and still found often. */
export const estimates = {
  true: (statistics: Statistics) => statistics,
  none: invented({ count: Infinity, trigram: null, prefix: null }),
  common: invented({ count: Infinity, trigram: 500_000, prefix: { terms: 5_000, records: 900_000 } }),
  rare: invented({ count: 1, trigram: 1, prefix: { terms: 1, records: 1 } }),
  some: invented({ count: Infinity, trigram: 1_000, prefix: { terms: 3, records: 1_000 } }),
} as const

/** The same numbers for all values, but for those that no true statistics have either. */
function invented({ count, trigram, prefix }: Invented): (statistics: Partial<Statistics>) => Statistics {
  return (statistics) => ({
    rows: () => 1_000_000,
    countUpTo: (_, limit) => Math.min(count, limit),
    trigram: (...asked) => (statistics.trigram?.(...asked) === null ? null : trigram),
    word: () => trigram ?? Infinity,
    prefix: (...asked) => (statistics.prefix?.(...asked) === null ? null : prefix),
  })
}

interface Invented {
  readonly count: number
  readonly trigram: number | null
  readonly prefix: { readonly terms: number; readonly records: number } | null
}

/** What a line of an import holds; a plain record's own address and instants are derived, not given. */
function lineOf(given: PlainRecord | StoredLine): Json {
  const { uri, cid, rev, indexedAt, value } = given as StoredLine
  const instant = typeof indexedAt === 'bigint' ? printInstant(indexedAt) : indexedAt
  return JSON.parse(JSON.stringify({ uri, cid, rev, indexedAt: instant, value }))
}

async function* oneBatch(changes: readonly Change[]): AsyncIterable<readonly Change[]> {
  yield changes
}
