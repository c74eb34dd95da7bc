/** What the tools share: how they are defined, and the context of one call. */
import { printSelection, type Selection } from '../../ask/graphql-text.ts'
import type { FilterContext } from '../../ask/filters.ts'
import type { createReferenceTimes } from '../words/reference-time.ts'
import type { createNameResolver } from '../names/resolve-names.ts'
import { type EndpointAnswer, EndpointError, type EndpointQuestion } from '../../endpoint/endpoint.ts'
import { type budgets, mostTokens } from '../words/budget.ts'
import { isWithin, tokensOfJson } from '../words/tokens.ts'
import { AskError } from '../../ask/ask-error.ts'
import type { Json } from '../../util/is-object.ts'
import { file, type Tool } from './tool.ts'

/** The answer of a query, and how fresh the index was that it was read from. */
export interface IndexRead {
  readonly data: Json
  /** When the newest record of all collections was stored; null without records. */
  readonly asOf: string | null
  readonly query: string
}

/** The context of one call, whose end cancels its queries. */
export interface Toolbox extends FilterContext, ReturnType<typeof createReferenceTimes> {
  readonly names: ReturnType<typeof createNameResolver>
  /** Throws an EndpointError unless the answer is complete. */
  ask(selection: Selection): Promise<Json>
  /**
   * As `ask`, with the time of the index, read from the same state of the data. Of what is optional, the last is left out
   * as long as all costs more than one operation may.
   */
  read(wanted: Selection, optional?: Selection): Promise<IndexRead>
  /** Maximum tokens of the answer, as JSON. */
  readonly budget: number
  /** Returns the errors of the service. */
  send(question: EndpointQuestion): Promise<EndpointAnswer>
}

export interface ToolDefinition extends Omit<Tool, 'run'> {
  readonly name: keyof typeof budgets
  /** The input schema declares the type of `args`. */
  run(args: Json, toolbox: Toolbox): Promise<Json>
}

/** The JSON Schema (2020-12) of each member, or its type alone. */
type Members = Readonly<Record<string, Json | 'string' | 'integer' | 'boolean'>>

/** The JSON Schema of a tool's arguments: these, the argument that all tools take, and no others. */
export function argumentsOf(members: Members, required: readonly string[] = []): Json {
  const properties = Object.entries({ ...members, max_tokens: 'integer' as const }).map(([name, schema]) => [
    name,
    typeof schema === 'string' ? { type: schema } : schema,
  ])
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

/** The parts of an answer by which it is cited. */
export type Citation = ReturnType<typeof citationOf>

/** `query`: null unless the argument `cite` asks for it. Throws an AskError if that leaves no room for what it finds. */
export function citationOf(
  { asOf, query }: IndexRead,
  { cite = false }: { readonly cite?: boolean },
  { budget }: Pick<Toolbox, 'budget'>,
) {
  if (!cite) return { asOf, query: null }
  if (isWithin(query, budget / 2)) return { asOf, query }
  const wanted = Math.min(mostTokens, 2 * tokensOfJson(query))
  throw new AskError(`cite takes more than half of ${budget} tokens: give max_tokens, ${wanted} or more.`)
}

/** `-publishedAt`, or `publishedAt desc`, which people write too. */
export function readOrder(text: string): { readonly name: string; readonly isDescending: boolean } {
  const [, before, way] = /^(.*\S)\s+(asc|desc)(?:ending)?$/i.exec(text.trim()) ?? []
  const written = `${way?.toLowerCase() === 'desc' ? '-' : ''}${before ?? text.trim()}`
  return { name: written.replace(/^[-+]/, ''), isDescending: written.startsWith('-') }
}

/** Omits members that are undefined, null or an empty text. */
export function present(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => (value ?? '') !== ''))
}

/** Fewer rows are read sooner than a file of all. */
const manyRows = 20

/**
 * The answer with the query of the file of its rows, if it has many, and others follow. `named`: which rows these are;
 * `lists`: the columns that the file lacks, because a row of a file has none for lists.
 */
export function withFile(answer: Json, query: Selection, named: string, lists: readonly string[]): Json {
  const shown = answer['records'] ?? answer['rows']
  const isCut = Array.isArray(shown) && shown.length >= manyRows && answer['after'] !== undefined
  const rows = lists.length === 0 ? named : `${named}, without ${lists.join(', ')}`
  return isCut ? { ...answer, [file]: { query: printSelection(query), rows } } : answer
}

export function sentences(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(' ')
}

/** `at://DID/NSID/` if several URIs begin with it, and all do; else null. */
export function sharedPrefix(uris: readonly unknown[]): string | null {
  const prefixes = new Set(uris.map((uri) => /^at:\/\/[^/]+\/[^/]+\//.exec(String(uri))?.[0] ?? null))
  return prefixes.size === 1 && uris.length > 1 ? ([...prefixes][0] ?? null) : null
}

export function withoutPrefix(record: Json, prefix: string | null): Json {
  return prefix === null ? record : { ...record, uri: String(record['uri']).slice(prefix.length) }
}

/** The longest of some cursors, for which an answer must have room. */
export function longestOf(texts: readonly string[]): string | undefined {
  return texts.toSorted((one, other) => other.length - one.length)[0]
}

/** The argument `after` that goes on behind so many rows, of a list that is ordered here and not by the service. */
export function printPosition(rows: number): string {
  return `rows:${rows}`
}

export function parsePosition(after: string | undefined): number {
  if (after === undefined) return 0
  const [, rows] = /^rows:(\d{1,4})$/.exec(after) ?? []
  if (rows === undefined) throw noCursor()
  return Number(rows)
}

/** Cursors of the service are bound to the groups and their order. */
export function throwCursorError(error: unknown): never {
  throw error instanceof EndpointError && error.code === 'INVALID_CURSOR' ? noCursor() : error
}

function noCursor(): AskError {
  return new AskError('after is not a cursor of this list: repeat all arguments of the call that gave it.')
}
