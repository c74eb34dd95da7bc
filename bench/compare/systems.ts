/** What is compared: Lexigraph over each engine, peers by their contract, and bytes from memory as the limit. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { nextPort, type Server, type ServerOptions, startProcess, startServer } from '../support/server.ts'
import {
  type CountedCorpus,
  importInto,
  type Loaded,
  type LoadFigures,
  loadPostgres,
  loadSQLite,
  loadWith,
  type PostgresServer,
} from '../support/stores.ts'
import { startMemories, startStatements } from './limits/servers.ts'
import { nameOfPeer, type Options } from './options.ts'
import { type DeepQuestion, type Question, type QuestionName, questions, type Unable } from './questions.ts'
import type { SystemFigures } from './results.ts'

export interface System extends Pick<SystemFigures, 'title' | 'kind' | 'engine'> {
  readonly name: string
  readonly load: LoadFigures | null
  /** Of our engine, for the bare statement. */
  readonly database: string | null
  readonly start: () => Promise<Server>
  /** Of the database's server. */
  readonly databasePid: number | null
  /** The question in its language, or why it has none. */
  readonly questionOf: (name: QuestionName) => Question | DeepQuestion | Unable
}

/** Of all systems the first is the one that answers are compared with. */
export const ours = ['lexigraph-sqlite', 'lexigraph-again', 'lexigraph-postgres'] as const
export const limits = ['fastify-bytes', 'node-bytes', 'node-statement'] as const

/** What is answered without data. */
const constant: readonly QuestionName[] = ['Q13', 'Q14']

export interface Given {
  readonly options: Options
  readonly corpus: CountedCorpus
  readonly postgres: () => Promise<PostgresServer>
  /** The file of ours. */
  readonly program: string
}

/** Loads what is not loaded yet. */
export async function openSystems(given: Given): Promise<readonly System[]> {
  const { options, corpus, postgres, program } = given
  const isWanted = wanted(options.systems)
  const found: System[] = []
  const load = importInto(corpus.files, program)
  if (isWanted('lexigraph-sqlite') || isWanted('lexigraph-again')) {
    const loaded = await loadSQLite(options.work, 'lexigraph', corpus, load)
    if (isWanted('lexigraph-sqlite'))
      found.push(lexigraph('lexigraph-sqlite', 'Lexigraph on SQLite', 'sqlite', loaded, null, { program }))
    if (isWanted('lexigraph-again'))
      found.push(
        lexigraph('lexigraph-again', 'Lexigraph, asked again', 'sqlite', loaded, null, {
          program,
          answerCache: 32,
        }),
      )
  }
  if (isWanted('lexigraph-postgres')) {
    const server = await postgres()
    const loaded = await loadPostgres(server.url, 'lexigraph', corpus, load)
    found.push(
      lexigraph('lexigraph-postgres', 'Lexigraph on PostgreSQL', 'postgres', loaded, server.pid, { program }),
    )
  }
  for (const folder of options.peers) found.push(await openPeer(folder, given))
  return found
}

/** Bytes of answers from memory, and the statements that they are made by, each at a path of its own. */
export function limitSystems(
  options: Options,
  answers: ReadonlyMap<QuestionName, { readonly query: string; readonly bytes: Uint8Array }>,
  database: string | null,
): readonly System[] {
  const byPath = new Map(Array.from(answers, ([name, { bytes }]) => [pathOf(name), bytes]))
  const queries = Object.fromEntries(Array.from(answers, ([name, { query }]) => [pathOf(name), query]))
  const limit = (
    name: string,
    title: string,
    start: System['start'],
    questionOf: System['questionOf'] = (question) => questions[question],
  ): System => ({
    name,
    title,
    kind: 'limit',
    engine: null,
    load: null,
    database: null,
    databasePid: null,
    start,
    questionOf,
  })
  const withStatement: System['questionOf'] = (question) =>
    constant.includes(question) ? { unable: 'no statement answers it' } : questions[question]
  return [
    limit('fastify-bytes', 'The same bytes, Fastify', () => startMemories('memory-server', byPath)),
    limit('node-bytes', 'The same bytes, node:http', () => startMemories('bare-server', byPath)),
    ...(database === null
      ? []
      : [
          limit(
            'node-statement',
            'The bare statement, node:http',
            () => startStatements(database, queries),
            withStatement,
          ),
        ]),
  ].filter(({ name }) => wanted(options.systems)(name))
}

/** Where a system is asked a question. */
export function urlFor({ kind }: System, { url }: Server, question: QuestionName): string {
  return kind === 'limit' ? new URL(pathOf(question), url).href : url
}

export function pathOf(name: QuestionName): string {
  return `/${name.replaceAll(' ', '-')}`
}

function wanted(names: readonly string[]): (name: string) => boolean {
  const known: readonly string[] = [...ours, ...limits]
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`No system is called ${unknown}; there are ${known.join(', ')}.`)
  return (name) => names.length === 0 || names.includes(name)
}

function lexigraph(
  name: string,
  title: string,
  engine: 'sqlite' | 'postgres',
  { database, load }: Loaded,
  databasePid: number | null,
  serving: ServerOptions,
): System {
  return {
    name,
    title,
    kind: 'ours',
    engine,
    load,
    databasePid,
    database,
    start: () => startServer(database, serving),
    questionOf: (question) => questions[question],
  }
}

/** Those that are on PostgreSQL; others are given a path for a file of SQLite. */
const onPostgres: readonly string[] = ['postgraphile']

async function openPeer(folder: string, { options, corpus, postgres }: Given): Promise<System> {
  const name = nameOfPeer(folder)
  const load = loadWith(fileOf(folder, 'load'), corpus.folder)
  const engine = onPostgres.includes(name) ? 'postgres' : 'sqlite'
  const server = engine === 'postgres' ? await postgres() : null
  const loaded =
    server === null
      ? await loadSQLite(options.work, name, corpus, load)
      : await loadPostgres(server.url, name, corpus, load)
  const module = await import(pathToFileURL(fileOf(folder, 'questions')).href)
  const asked: Readonly<Record<string, Question | DeepQuestion | Unable | undefined>> = module.questions
  return {
    name,
    title: module.title ?? name,
    kind: 'peer',
    engine,
    load: loaded.load,
    database: null,
    databasePid: server?.pid ?? null,
    start: () => {
      const port = nextPort()
      const env = { PORT: String(port), DATABASE: loaded.database, NODE_ENV: 'production' }
      return startProcess({ args: [fileOf(folder, 'server')], port, env, path: '/graphql' })
    },
    questionOf: (question) => asked[question] ?? { unable: 'it is not among the questions of peers' },
  }
}

function fileOf(folder: string, name: string): string {
  const found = ['ts', 'js'].map((ending) => join(folder, `${name}.${ending}`)).find(existsSync)
  if (found === undefined) throw new Error(`The peer in ${folder} has no ${name}.ts.`)
  return found
}
