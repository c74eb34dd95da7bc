/** The official client, and what a model would see of a conversation through it: calls, answers and their tokens. */
import assert from 'node:assert/strict'
import type { Client, Tool } from '@modelcontextprotocol/client'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { Json } from '../reference/shapes.ts'
import { wholeUris } from '../support/service/agents.ts'
import { connect, overHttp, textOf } from './connect.ts'

export interface AgentClient extends AsyncDisposable {
  /** What the server tells when a client connects. */
  readonly instructions: string
  readonly tools: () => Promise<readonly Tool[]>
  readonly begin: () => Conversation
}

/** What has been said since it began. */
export interface Conversation {
  /** The answer, with whole URIs of records; fails where the tool refuses. */
  readonly call: (name: string, args?: Json) => Promise<Json>
  /** What a tool says that refuses. */
  readonly refusal: (name: string, args?: Json) => Promise<string>
  /** The last answer, as it was sent. */
  readonly said: () => string
  readonly calls: () => number
  /** The GraphQL that ran: the calls that take `cite` are made again with it. */
  readonly queries: () => Promise<readonly string[]>
  readonly tokens: () => number
}

/** Over HTTP, in the newer revision. */
export async function connectAgent(url: string): Promise<AgentClient> {
  const client = await connect(overHttp(url), '2026-07-28')
  return {
    instructions: client.getInstructions() ?? '',
    tools: async () => (await client.listTools()).tools,
    begin: () => converse(client),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function converse(client: Client): Conversation {
  let calls = 0
  let said = ''
  let tokens = 0
  const citable: [name: string, args: Json][] = []
  const ask = async (name: string, args: Json) => {
    const answer = await textOf(client, name, args)
    calls += 1
    said = answer.text
    tokens += tokensOf(name) + tokensOf(JSON.stringify(args)) + tokensOf(said)
    return answer
  }
  return {
    async call(name, args = {}) {
      const { text, isError } = await ask(name, args)
      assert.ok(!isError, `${name} ${JSON.stringify(args)}: ${text}`)
      if (['search_records', 'get_record', 'aggregate'].includes(name)) citable.push([name, args])
      return wholeUris(JSON.parse(text))
    },
    async refusal(name, args = {}) {
      const { text, isError } = await ask(name, args)
      assert.equal(isError, true, text)
      return text
    },
    said: () => said,
    calls: () => calls,
    queries: () =>
      Promise.all(
        citable.map(async ([name, args]) => {
          const { text } = await textOf(client, name, { ...args, cite: true })
          return JSON.parse(text).query
        }),
      ),
    tokens: () => tokens,
  }
}

/** Texts that look like the marks of a model's conversations are texts. */
const plain = { disallowedSpecial: new Set<string>() }

/** As the tokenizer of a model that is about has it. */
export function tokensOf(text: string): number {
  return countTokens(text, plain)
}
