/** The agents' tools over an engine, without anything between them. */
import { buildLexicons } from '../../../src/lexicon/lexicons.ts'
import { type Endpoint, EndpointError, type EndpointQuestion } from '../../../src/endpoint/endpoint.ts'
import { AskError } from '../../../src/ask/ask-error.ts'
import type { Tool, ToolsGiven } from '../../../src/mcp/tools/tool.ts'
import { createTools } from '../../../src/mcp/tools/tools.ts'
import { answerText } from '../../../src/mcp/words/plain-text.ts'
import { priceOf, type QueryEngine, type RequestLimits } from '../../../src/query/execute/execute.ts'
import { buildModel } from '../../../src/schema/model/build-model.ts'
import { buildGraphQLSchema } from '../../../src/schema/graphql/graphql.ts'
import type { Model } from '../../../src/schema/model/model.ts'
import { defaultTiers } from '../../../src/server/admission/tiers.ts'
import type { Json, References } from '../../reference/shapes.ts'
import { unchargedLimits } from './engine.ts'

/** What a tool answers; fails when it refuses. */
export type Call = (tool: string, args?: Json) => Promise<Json>

export interface Agent {
  readonly tools: readonly Tool[]
  /** What has been asked of the service, in order. */
  readonly asked: readonly EndpointQuestion[]
  /** What a tool answers, as it is sent. */
  text(name: string, args?: Json): Promise<string>
  /** The same, with whole URIs of records. */
  readonly call: Call
  /** What a tool says that does not answer. */
  refusal(name: string, args?: Json): Promise<string>
}

/** The answers of all pages, each asked for with the cursor of the one before. */
export async function readPages(call: Call, tool: string, args: Json): Promise<readonly Json[]> {
  const answers = [await call(tool, args)]
  for (let after = answers[0]?.['after']; after !== undefined; after = answers.at(-1)?.['after'])
    answers.push(await call(tool, { ...args, after }))
  return answers
}

/** The day after the demo corpus ends. */
export const demoDay = new Date('2026-11-16T09:30:00Z')

export function modelOf(documents: readonly Json[], references: References, stories?: Json): Model {
  const files = documents.map((document) => ({
    file: `${document.id}.json`,
    document: structuredClone(document),
  }))
  const built = buildLexicons(files, references, stories)
  if (!built.ok) throw new Error(JSON.stringify(built.problems))
  return buildModel(built.lexicons)
}

/** The answer with the prefix of its URIs before each of them again, as one cites a record. */
export function wholeUris({ prefix = '', ...answer }: Json): Json {
  const whole = (record: Json): Json => ({ ...record, uri: `${prefix}${record.uri}` })
  const { columns = [] } = answer
  const samples = columns.findLastIndex((name: string) => /^samples_?$/.test(name))
  const rows = answer['rows']?.map((row: Json[]) =>
    Array.isArray(row[samples]) ? row.with(samples, row[samples].map(whole)) : row,
  )
  // Records of a name by their columns.
  const matches: readonly Json[] | undefined = columns.includes('match')
    ? rows.map((row: readonly unknown[]) =>
        whole(Object.fromEntries(columns.map((name: string, at: number) => [name, row[at]]))),
      )
    : undefined
  const records = Array.isArray(answer['records']) ? answer['records'].map(whole) : null
  return { ...answer, ...(rows && { rows }), ...(records && { records }), ...(matches && { matches }) }
}

const publicTier = defaultTiers.find(({ name }) => name === 'public')
/** What an operation of callers without a key may cost, in points. */
export const publicPoints = publicTier?.pointsPerQuery ?? 0

/** As the tier of callers without a key allows, whose pages an operator may have made smaller. */
export function engineEndpoint(
  engine: QueryEngine,
  pageSize?: number,
  more: Partial<RequestLimits> = {},
): Endpoint {
  if (publicTier === undefined) throw new Error('There is no public tier.')
  const requestLimits = {
    ...unchargedLimits,
    pageSize: pageSize ?? publicTier.pageSize,
    points: publicPoints,
    ...more,
  }
  return {
    price: (question) => priceOf(question, engine),
    async ask(question) {
      const answer = await engine.execute(question, requestLimits)
      if (answer.kind === 'data') {
        const { data, errors, extensions } = JSON.parse(Buffer.from(answer.body).toString())
        return { data, errors: errors ?? [], cost: extensions?.cost ?? null }
      }
      const errors = answer.errors.map(({ message, extensions }) => {
        const { retryAfter } = { ...extensions }
        return { message, code: answer.code, retryAfter: typeof retryAfter === 'number' ? retryAfter : null }
      })
      return { data: null, errors, cost: null }
    },
  }
}

export function createAgent(
  model: Model,
  endpoint: Endpoint,
  now = () => demoDay,
  given: Pick<ToolsGiven, 'chatgpt'> = {},
): Agent {
  const asked: EndpointQuestion[] = []
  const watched: Endpoint = {
    ...endpoint,
    ask(question, signal) {
      asked.push(question)
      return endpoint.ask(question, signal)
    },
  }
  const tools = createTools({ model, schema: buildGraphQLSchema(model), endpoint: watched, now, ...given })
  const text = async (name: string, args: Json = {}): Promise<string> => {
    const tool = tools.find((one) => one.name === name)
    if (tool === undefined) throw new Error(`There is no tool ${name}.`)
    return answerText(await tool.run(args, new AbortController().signal))
  }
  const call = async (name: string, args?: Json): Promise<Json> =>
    wholeUris(JSON.parse(await text(name, args)))
  return {
    tools,
    asked,
    text,
    call,
    async refusal(name, args) {
      try {
        const answer = await call(name, args)
        throw new Error(`It answered: ${JSON.stringify(answer)}`)
      } catch (error) {
        if (error instanceof AskError || error instanceof EndpointError) return (error as Error).message
        throw error
      }
    },
  }
}
