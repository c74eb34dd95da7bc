/** What a tool is, whatever the protocol that calls it. */
import type { GraphQLSchema } from 'graphql'
import type { Model } from '../../schema/model/model.ts'
import type { Endpoint } from '../graphql/endpoint.ts'

/** What tools are made from. */
export interface ToolsGiven {
  readonly model: Model
  readonly schema: GraphQLSchema
  readonly endpoint: Endpoint
  /** The moment that "today" and "last 7 days" are reckoned from. */
  readonly now: () => Date
}

/** An object as JSON has it. */
export type Json = Readonly<Record<string, unknown>>

/** The JSON Schema (2020-12) of an object's members. */
export function schemaOf(properties: Json, required: readonly string[] = []): Json {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }
}

/** The same of arguments, of which there are no others. */
export function argumentsOf(properties: Json, required?: readonly string[]): Json {
  return { ...schemaOf(properties, required), additionalProperties: false }
}

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Json
  readonly outputSchema: Json
  /** Arguments have been checked against the schema. What it throws as a ToolError is told to the caller. */
  run(args: Json, signal: AbortSignal): Promise<Json>
}

/** What was wrong with a call and what to write instead, in one or two sentences. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
