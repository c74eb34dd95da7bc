/**
 * A golden case on disk: `x.graphql`, perhaps `x.variables.json`, the answer `x.json`, perhaps its SQL: `x.sql` is SQLite's, `x.postgres.sql`
 * PostgreSQL's.
 * Comment lines of the query steer the case, and its `expect` lines survive an update of the answers:
 *   # corpus: stress                          another corpus than the demo's
 *   # operation: Name                         the operationName of the request
 *   # sql                                     `x.sql` and `x.postgres.sql` fix the statements
 *   # not judged: why                         the reference evaluator has no opinion
 *   # expect data.list.nodes.length = 3       a path, and the JSON that must be there
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Json } from '../reference/shapes.ts'
import type { CorpusName } from './corpora.ts'

export interface GoldenCase {
  /** Topic and name, such as `paging/last-page`. */
  readonly name: string
  readonly query: string
  /** As written: see `resolveVariables`. */
  readonly variables: Readonly<Record<string, unknown>> | null
  readonly operationName: string | null
  readonly corpus: CorpusName
  readonly fixesSql: boolean
  readonly isJudged: boolean
  readonly expectations: readonly Expectation[]
}

export interface Expectation {
  readonly text: string
  readonly path: readonly string[]
  readonly value: Json
}

export type Suffix = '.graphql' | '.variables.json' | '.json' | '.sql' | '.postgres.sql'

const folder = new URL('../cases/', import.meta.url)
/** A variable's value that begins like this is read from another case's answer: `answer of paging/first: data.a.b`. */
const fromAnswer = /^answer of (\S+): (\S+)$/

export function readCases(): readonly GoldenCase[] {
  return namesOf('.graphql').map(readCase)
}

/** Answers and statements that no query asks for any more. */
export function findOrphans(): readonly string[] {
  const known = new Set(namesOf('.graphql'))
  const others = (['.variables.json', '.json', '.sql', '.postgres.sql'] as const).flatMap((suffix) =>
    namesOf(suffix).map((name) => ({ name, suffix })),
  )
  return others.filter(({ name }) => !known.has(name)).map(({ name, suffix }) => `${name}${suffix}`)
}

export function readCaseFile(name: string, suffix: Suffix): string | null {
  const url = fileOf(name, suffix)
  return existsSync(url) ? readFileSync(url, 'utf8') : null
}

export function writeCaseFile(name: string, suffix: Suffix, text: string): void {
  writeFileSync(fileOf(name, suffix), text)
}

export function valueAt(answer: Json, path: readonly string[]): Json {
  return path.reduce((value, part) => value?.[part], answer)
}

/** The variables with what is to be read from other cases' answers. */
export function resolveVariables({ variables }: GoldenCase): Readonly<Record<string, unknown>> | null {
  if (variables === null) return null
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => {
      const [, other, path] = typeof value === 'string' ? (fromAnswer.exec(value) ?? []) : []
      if (other === undefined || path === undefined) return [name, value]
      const found = valueAt(JSON.parse(readCaseFile(other, '.json') ?? 'null'), path.split('.'))
      if (found === undefined) throw new Error(`The answer of ${other} has nothing at ${path}.`)
      return [name, found]
    }),
  )
}

function readCase(name: string): GoldenCase {
  const query = readCaseFile(name, '.graphql') ?? ''
  const comments = query.split('\n').flatMap((line) => /^\s*# ?(.*)$/.exec(line)?.[1] ?? [])
  const said = (word: string) => comments.find((line) => line.startsWith(word))?.slice(word.length)
  const variables = readCaseFile(name, '.variables.json')
  return {
    name,
    query,
    variables: variables === null ? null : JSON.parse(variables),
    operationName: said('operation: ') ?? null,
    corpus: (said('corpus: ') ?? 'demo') as CorpusName,
    fixesSql: comments.includes('sql'),
    isJudged: said('not judged: ') === undefined,
    expectations: comments.filter((line) => line.startsWith('expect ')).map(parseExpectation),
  }
}

function parseExpectation(text: string): Expectation {
  const [, path, json] = /^expect (\S+) = (.+)$/.exec(text) ?? []
  if (path === undefined || json === undefined) throw new Error(`Write \`expect PATH = JSON\`, not: ${text}`)
  return { text, path: path.split('.'), value: JSON.parse(json) }
}

function namesOf(suffix: Suffix): readonly string[] {
  const files = globSync(`*/*${suffix}`, { cwd: fileURLToPath(folder) }).toSorted()
  const longer = { '.json': '.variables.json', '.sql': '.postgres.sql' }[suffix as string]
  const own = files.filter((file) => longer === undefined || !file.endsWith(longer))
  return own.map((file) => file.slice(0, -suffix.length).replaceAll('\\', '/'))
}

function fileOf(name: string, suffix: Suffix): URL {
  return new URL(`${name}${suffix}`, folder)
}
