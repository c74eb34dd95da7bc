/** The real program, wired as the command line wires it, over a database of its own: for tests that cross folders. */
import { pre } from 'fast-check'
import { after } from 'node:test'
import type { Change } from '../../../src/database/database.ts'
import type { QueryEngine } from '../../../src/query/execute/execute.ts'
import type { Json, References } from '../../reference/shapes.ts'
import type { PlainRecord } from '../../reference/dataset.ts'
import { unchargedLimits, estimates, type OpenedEngine, openEngine, type StoredLine } from './engine.ts'
import {
  type Engine,
  type FreshDatabase,
  freshDatabase,
  isRefusedOnClusters,
  isSpread,
} from '../store/postgres.ts'

export interface TestServiceGiven {
  /** Lexicon documents as plain JSON; com.atproto.repo.strongRef need not be among them. */
  readonly lexicons: readonly Json[]
  readonly references?: References
  readonly records?: readonly (PlainRecord | StoredLine)[]
  /** A number that chooses how records get into the store (at once, in batches) and what the planner estimates. */
  readonly loading?: number
  /** Accounts whose records are to be out of sight, but still in the tables. */
  readonly hidden?: readonly string[]
  /** Of which engine its database is, SQLite by default; or the URL of one that is there. */
  readonly database?: Engine | URL
  /** The content of `stories.json`. */
  readonly stories?: Json
  /** The clock of what is written, in microseconds. */
  readonly now?: () => bigint
  /** How many points a request may cost, if there is a limit. */
  readonly points?: number
}

export interface TestService extends AsyncDisposable {
  readonly engine: QueryEngine
  readonly opened: OpenedEngine
  /** The response's JSON: `{data}`, or `{errors, code}` when the request was refused. */
  query(text: string, variables?: Readonly<Record<string, unknown>>): Promise<Json>
  /** The data of a request that must be answered. */
  data(text: string, variables?: Readonly<Record<string, unknown>>): Promise<Json>
  /** The code of a request that must be refused. */
  refusal(
    text: string,
    variables?: Readonly<Record<string, unknown>>,
  ): Promise<{ code: string; message: string }>
  /** Puts further records into the store, in one batch. */
  store(records: readonly (PlainRecord | StoredLine)[]): Promise<void>
}

export async function openTestService(given: TestServiceGiven): Promise<TestService> {
  const { database = 'sqlite' } = given
  const own = database === 'postgres' ? await laidOutDatabase(given) : null
  const opened = await openEngine(
    given.lexicons,
    given.references ?? {},
    own?.url ?? (database === 'sqlite' ? 'sqlite::memory:' : String(database)),
    estimatesOf(given.loading ?? 0),
    given.now,
    given.stories,
  )
  const query = async (text: string, variables?: Readonly<Record<string, unknown>>): Promise<Json> => {
    const limits = { ...unchargedLimits, ...(given.points !== undefined && { points: given.points }) }
    const answer = await opened.engine.execute({ query: text, ...(variables && { variables }) }, limits)
    if (answer.kind === 'data')
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(answer.body))
    return { errors: answer.errors, code: answer.code, cause: answer.cause }
  }
  for (const batch of batchesOf(given.records ?? [], given.loading ?? 0)) await opened.load(batch)
  if (given.hidden !== undefined)
    await opened.database.write.applyBatch(given.hidden.map((did) => accountStatus(did, false)))
  while (given.stories && (await opened.database.write.metadata.deriveStories(1_000)));
  return {
    engine: opened.engine,
    opened,
    query,
    async data(text, variables) {
      const answer = await query(text, variables)
      // A property then draws another question.
      if (isSpread && isRefusedOnClusters(answer.errors)) pre(false)
      if (answer.data === undefined || answer.errors !== undefined)
        throw unexpected('refused', answer, text, variables)
      return answer.data
    },
    async refusal(text, variables) {
      const answer = await query(text, variables)
      if (answer.errors === undefined || 'data' in answer)
        throw unexpected('answered', answer, text, variables)
      if (answer.code === 'INTERNAL') throw unexpected('not understood', answer, text, variables)
      return { code: answer.code, message: answer.errors.map((error: Json) => error.message).join('\n') }
    },
    store: (records) => opened.apply(records),
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      await own?.[Symbol.asyncDispose]()
    },
  }
}

/** One service of each engine for all tests of a file that only read. */
export function sharedService(
  given: () => Promise<Omit<TestServiceGiven, 'database'>>,
): (database: Engine) => Promise<TestService> {
  const opened = new Map<Engine, Promise<TestService>>()
  after(async () => {
    for (const service of opened.values()) await (await service)[Symbol.asyncDispose]()
  })
  return (database) => {
    const service = opened.get(database) ?? given().then((more) => openTestService({ ...more, database }))
    opened.set(database, service)
    return service
  }
}

const layouts = new WeakMap<readonly Json[], Promise<FreshDatabase> | 'wanted once'>()

/** From the second time on a copy for the same lexicons, because laying one out takes twice as long. */
async function laidOutDatabase(given: TestServiceGiven): Promise<FreshDatabase> {
  const { lexicons } = given
  const known = layouts.get(lexicons)
  if (known === undefined) {
    layouts.set(lexicons, 'wanted once')
    return freshDatabase()
  }
  const layout = known === 'wanted once' ? layOut(given) : known
  layouts.set(lexicons, layout)
  return freshDatabase(await layout)
}

async function layOut({ lexicons, references = {}, stories }: TestServiceGiven): Promise<FreshDatabase> {
  const database = await freshDatabase()
  await (await openEngine(lexicons, references, database.url, 'true', undefined, stories))[
    Symbol.asyncDispose
  ]()
  return database
}

/** What an account's host says of it. */
export function accountStatus(did: string, active: boolean): Change {
  const eventAt = BigInt(Date.now()) * 1000n
  return { kind: 'account', did, active, status: active ? null : 'deactivated', eventAt }
}

/** What differs in how `loading` says that records get into the store. */
export const waysOfLoading = 3

/** An empty store takes the first load at once; later ones, and unsorted ones, are inserted otherwise. */
function batchesOf<T>(records: readonly T[], loading: number): T[][] {
  const way = loading % waysOfLoading
  if (way === 0) return [[...records]]
  if (way === 1) return [records.slice(0, records.length / 2), records.slice(records.length / 2)]
  const odd = records.filter((_, index) => index % 2 === 1)
  return [odd, ...records.filter((_, index) => index % 2 === 0).map((record) => [record])]
}

function estimatesOf(loading: number): keyof typeof estimates {
  const names = Object.keys(estimates) as (keyof typeof estimates)[]
  return names[Math.floor(loading / waysOfLoading) % names.length] ?? 'true'
}

/** With the cause in the message too, because a property's report keeps nothing else. */
function unexpected(how: string, answer: Json, text: string, variables: unknown): Error {
  const got = JSON.stringify(answer.errors ?? answer.data)
  const why = answer.cause === undefined ? '' : `\nbecause of ${String(answer.cause)}`
  const what = `${text}\nwith ${JSON.stringify(variables ?? {})}\nwas ${how}: ${got}${why}`
  return new Error(what, { cause: answer.cause })
}
