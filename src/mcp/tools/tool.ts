/** The interface of tools. It must not know the protocol that calls them. */
import type { GraphQLSchema } from 'graphql'
import type { Model } from '../../schema/model/model.ts'
import type { GivenRoles } from '../../schema/model/roles.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'

/** The dependencies of tools. */
export interface ToolsGiven {
  readonly model: Model
  /** Fields that represent records, by collection; the others are guessed. */
  readonly roles?: GivenRoles
  readonly schema: GraphQLSchema
  readonly endpoint: Endpoint
  /** The time from which "today" and "last 7 days" are computed. */
  readonly now: () => Date
  /** True to offer `search` and `fetch` too, which ChatGPT calls. */
  readonly chatgpt?: boolean
}

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Json
  /** `args` have been validated against `inputSchema`. Callers see the message of a ToolError. */
  run(args: Json, signal: AbortSignal): Promise<Json>
}

/** The message says what is wrong with a call and what to write instead, in one or two sentences. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** A sentence to append to a message; empty without a suggestion. */
export function didYouMean(suggestion: string | null): string {
  return suggestion === null ? '' : ` Did you mean "${suggestion}"?`
}
