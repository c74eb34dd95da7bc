import { GraphQLError, buildSchema, graphql } from 'graphql'
import { type ErrorCode, ServiceError } from '../../../src/errors.ts'
import {
  ExecutionReport,
  type GraphQLAnswer,
  type GraphQLRequest,
  type QueryEngine,
} from '../../../src/query/execute/execute.ts'

/**
 * A stand-in for the query engine: graphql-js over a schema of four fields, for tests of what lies around
 * the engine. It can be slow and it can fail, when asked to, which the real engine can not.
 */
export function createStandInEngine(): Pick<
  QueryEngine,
  'execute' | 'openFile' | 'describeFile' | 'price'
> & {
  /** Resolves when an operation that asks for `slow` has begun. */
  readonly begun: Promise<void>
  /** Lets `slow` answer. */
  readonly finish: () => void
} {
  const begun = Promise.withResolvers<void>()
  const finished = Promise.withResolvers<void>()
  const rootValue = {
    hello: ({ name }: { name?: string }) => `Hello, ${name ?? 'world'}`,
    text: ({ bytes }: { bytes: number }) => 'x'.repeat(bytes),
    slow: async () => {
      begun.resolve()
      await finished.promise
      return 'done'
    },
    fail: ({ code }: { code: string }) => {
      throw code === 'INTERNAL'
        ? new Error('select secret from hidden_table: disk I/O error')
        : new ServiceError(code as ErrorCode, `It is ${code}.`)
    },
  }
  async function execute(request: GraphQLRequest): Promise<GraphQLAnswer> {
    const { query: source, variables: variableValues, operationName } = request
    const { data, errors } = await graphql({ schema, rootValue, source, variableValues, operationName })
    if (errors === undefined)
      return {
        kind: 'data',
        body: new TextEncoder().encode(JSON.stringify({ data })),
        isOwn: true,
        report: new ExecutionReport(),
      }
    const [first] = errors
    const code = codeOf(first)
    const formatted = errors.map((error) => ({ ...error.toJSON(), extensions: { code } }))
    return {
      kind: 'errors',
      code,
      errors: formatted,
      cause: first?.originalError,
      report: new ExecutionReport(),
    }
  }
  const noFiles = () => Promise.reject(new Error('The stand-in has no files.'))
  return {
    execute,
    openFile: noFiles,
    describeFile: noFiles,
    price: () => 1,
    begun: begun.promise,
    finish: finished.resolve,
  }
}

const schema = buildSchema(`
  "What can be asked."
  type Query {
    hello(name: String): String
    text(bytes: Int!): String
    slow: String
    fail(code: String!): String
  }
`)

function codeOf(error: GraphQLError | undefined): ErrorCode {
  if (error?.originalError instanceof ServiceError) return error.originalError.code
  if (error?.originalError instanceof Error && !(error.originalError instanceof GraphQLError))
    return 'INTERNAL'
  return error?.message.startsWith('Syntax Error') ? 'GRAPHQL_PARSE_FAILED' : 'GRAPHQL_VALIDATION_FAILED'
}
