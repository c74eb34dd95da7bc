/** The official client, and what a model would see of a conversation through it: calls, answers and their tokens. */
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
  type Tool,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { Json } from '../reference/shapes.ts'
import { programFile } from '../network/service.ts'
import { wholeUris } from '../support/service/agents.ts'

export type Transport = 'http' | 'stdio'

export interface AgentClient extends AsyncDisposable {
  /** Of the protocol. */
  readonly revision: string | undefined
  /** What the server tells when a client connects. */
  readonly instructions: string
  readonly tools: () => Promise<readonly Tool[]>
  /** The text of a resource. */
  readonly read: (uri: string) => Promise<string>
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

/** Over HTTP the newer revision is spoken, on standard input and output the older, as most programs do. */
export async function connectAgent(transport: Transport, url: string): Promise<AgentClient> {
  const mode = transport === 'http' ? ({ pin: '2026-07-28' } as const) : 'legacy'
  const client = new Client({ name: 'lexigraph-tests', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(transport === 'http' ? overHttp(url) : onStdio(url))
  return {
    revision: client.getNegotiatedProtocolVersion(),
    instructions: client.getInstructions() ?? '',
    tools: async () => (await client.listTools()).tools,
    read: async (uri) => {
      const [content] = (await client.readResource({ uri })).contents
      return content !== undefined && 'text' in content ? content.text : ''
    },
    begin: () => converse(client),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function overHttp(url: string): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(`${url}/mcp`))
}

function onStdio(url: string): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [programFile, 'mcp', '--endpoint', `${url}/api/graphql`],
    cwd: tmpdir(),
  })
}

function converse(client: Client): Conversation {
  let calls = 0
  let said = ''
  let tokens = 0
  const citable: [name: string, args: Json][] = []
  const ask = async (name: string, args: Json) => {
    const result = await client.callTool({ name, arguments: args })
    const [content] = result.content
    assert.equal(content?.type, 'text', name)
    calls += 1
    said = content.text
    tokens += tokensOf(name) + tokensOf(JSON.stringify(args)) + tokensOf(content.text)
    return { result, text: content.text }
  }
  return {
    async call(name, args = {}) {
      const { result, text } = await ask(name, args)
      assert.ok(!result.isError, `${name} ${JSON.stringify(args)}: ${text}`)
      if (['search_records', 'get_record', 'aggregate'].includes(name)) citable.push([name, args])
      return wholeUris(answerOf(result))
    },
    async refusal(name, args = {}) {
      const { result, text } = await ask(name, args)
      assert.equal(result.isError, true, text)
      return text
    },
    said: () => said,
    calls: () => calls,
    queries: () =>
      Promise.all(
        citable.map(async ([name, args]) => {
          const result = await client.callTool({ name, arguments: { ...args, cite: true } })
          return answerOf(result)['query']
        }),
      ),
    tokens: () => tokens,
  }
}

/** What a tool answered, which is one text of JSON. */
export function answerOf({ content, structuredContent }: CallToolResult): Json {
  assert.equal(structuredContent, undefined)
  const [block, ...others] = content
  assert.deepEqual([block?.type, others], ['text', []])
  return JSON.parse(block?.type === 'text' ? block.text : '')
}

/** Texts that look like the marks of a model's conversations are texts. */
const plain = { disallowedSpecial: new Set<string>() }

/** As the tokenizer of a model that is about has it. */
export function tokensOf(text: string): number {
  return countTokens(text, plain)
}
