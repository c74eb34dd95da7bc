/** The interface of tools. It must not know the protocol that calls them. */
import type { GraphQLSchema } from 'graphql'
import type { Model } from '../../schema/model/model.ts'
import type { GivenRoles } from '../../schema/model/roles.ts'
import type { Json } from '../../util/is-object.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'

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

/** In an answer that has many of more rows: the query of a file, and which rows it has. It is not part of the text. */
export const file = Symbol('a file')

export type Answer = Json & { readonly [file]?: { readonly query: string; readonly rows: string } }

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Json
  /** `args` have been validated against `inputSchema`. Callers see the message of an AskError. */
  run(args: Json, signal: AbortSignal): Promise<Answer>
}
