/** What a tool is, whatever the protocol that calls it. */
import type { GraphQLSchema } from 'graphql'
import type { Model } from '../schema/model.ts'
import type { Endpoint } from './endpoint.ts'

/** What tools are made from. */
export interface ToolsGiven {
  readonly model: Model
  readonly schema: GraphQLSchema
  readonly endpoint: Endpoint
  /** The moment that "today" and "last 7 days" are reckoned from. */
  readonly now: () => Date
}

/** JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema
  /** Arguments have been checked against the schema. What it throws as a ToolError is told to the caller. */
  run(
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>
}

/** What was wrong with a call and what to write instead, in one or two sentences. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
