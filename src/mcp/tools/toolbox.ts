/** What the tools share: how they are defined, and the context of one call. */
import type { FilterContext } from '../filters/filters.ts'
import type { EndpointAnswer, EndpointQuestion } from '../graphql/endpoint.ts'
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

/** JSON Schemas (2020-12) of members. */
export const types = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  object: { type: 'object' },
  strings: { type: 'array', items: { type: 'string' } },
  objects: { type: 'array', items: { type: 'object' } },
} as const

/** The JSON Schema of an object's members. */
export function schemaOf(properties: Json, required: readonly string[] = []): Json {
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

/** As `schemaOf`, but rejects other members. */
export function argumentsOf(properties: Json, required?: readonly string[]): Json {
  return { ...schemaOf(properties, required), additionalProperties: false }
}

/** Omits members that are undefined, null or an empty text. */
export function present(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => (value ?? '') !== ''))
}
