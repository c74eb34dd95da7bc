/** What the tools share: how they are defined, and the context of one call. */
import type { FilterContext } from '../filters/filters.ts'
import type { EndpointAnswer, EndpointQuestion } from '../../endpoint/endpoint.ts'
import type { Json, Tool } from './tool.ts'

/** The context of one call, whose end cancels its queries. */
export interface Toolbox extends FilterContext {
  /** Throws an EndpointError unless the answer is complete. */
  ask(query: string): Promise<Json>
  /** Returns the errors of the service. */
  send(question: EndpointQuestion): Promise<EndpointAnswer>
}

export interface ToolDefinition extends Omit<Tool, 'run'> {
  /** The input schema declares the type of `args`. */
  run(args: Json, toolbox: Toolbox): Promise<Json>
}

/** JSON Schemas (2020-12) of members, by their short names. */
const types = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  object: { type: 'object' },
  strings: { type: 'array', items: { type: 'string' } },
  objects: { type: 'array', items: { type: 'object' } },
  lists: { type: 'array', items: { type: 'array' } },
} as const

/** The schema of each member, or its short name. */
type Members = Readonly<Record<string, Json | keyof typeof types>>

/** The JSON Schema of an object with these members. */
export function schemaOf(members: Members, required: readonly string[] = []): Json {
  const properties = Object.entries(members).map(([name, schema]) => [
    name,
    typeof schema === 'string' ? types[schema] : schema,
  ])
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  }
}

/** As `schemaOf`, but rejects other members. */
export function argumentsOf(members: Members, required?: readonly string[]): Json {
  return { ...schemaOf(members, required), additionalProperties: false }
}

/** As `schemaOf`, with the members that most answers end with. */
export function answerOf(members: Members, required: readonly string[]): Json {
  return schemaOf({ ...members, hint: 'string', query: 'string' }, required)
}

/** Omits members that are undefined, null or an empty text. */
export function present(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => (value ?? '') !== ''))
}
