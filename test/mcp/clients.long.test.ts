/**
 * The clients that people build agents with, over the real server: they list the tools without loss, call one, read its
 * text, and tell an error from an answer. No model is asked: where a client needs one, a scripted provider calls the
 * tool, and what the client sends to it is read.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createTools } from '../../src/mcp/tools/tools.ts'
import { closeCorpora, corpusNamed } from '../golden/corpora.ts'
import type { Json } from '../reference/shapes.ts'
import { demoDay } from '../support/service/agents.ts'
import type { HttpServer } from '../support/server/http-server.ts'
import { newsParts, startAgentServer } from './agent-server.ts'
import { clientProgram, importClient } from './client-packages.ts'
import { connect, onStdio } from './connect.ts'

/** A call that every client makes, and one that the tool refuses. */
const question = { collection: 'article', by: ['language'], limit: 3 }
const mistake = { collection: 'artcle' }
const refused = /There is no collection "artcle"\. Did you mean "article"/

const home = mkdtempSync(join(tmpdir(), 'lexigraph-clients-'))
let server: HttpServer
/** The tools as the program defines them, and the answer to `question`. */
let tools: readonly Json[] = []
let answer = ''

before(async () => {
  const { service } = await corpusNamed('demo', 'sqlite')
  server = await startAgentServer({ app: { engine: service.engine }, now: () => demoDay })
  const endpoint = { ask: () => assert.fail('Only the list is read.') }
  tools = createTools({ ...(await newsParts()), endpoint }).map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }))
  const client = await connect(onStdio(server.url))
  answer = textOf(await client.callTool({ name: 'aggregate', arguments: question }))
  assert.equal(JSON.parse(answer).rows.length, 3)
  await client.close()
})
after(async () => {
  await server.close()
  await closeCorpora()
  rmSync(home, { recursive: true, force: true })
})

test('the AI SDK gives a model of Gemini the tools without loss, and its answers', async () => {
  const [{ createMCPClient }, { createGoogleGenerativeAI }, { generateText, stepCountIs }] =
    await Promise.all(['@ai-sdk/mcp', '@ai-sdk/google', 'ai'].map(importClient))
  const { fetch, requests } = script([
    geminiSays({ functionCall: { name: 'aggregate', args: question } }),
    geminiSays({ functionCall: { name: 'aggregate', args: mistake } }),
    geminiSays({ text: 'Done.' }),
  ])
  const client = await createMCPClient({ transport: { type: 'http', url: address() } })
  const model = createGoogleGenerativeAI({ apiKey: 'none', fetch })('gemini-2.5-flash')
  const offered = await client.tools()
  const { text } = await generateText({
    model,
    tools: offered,
    prompt: 'How many?',
    stopWhen: stepCountIs(3),
  })
  await client.close()

  assert.equal(text, 'Done.')
  assert.deepEqual(declared(requests[0]?.tools[0].functionDeclarations, 'parametersJsonSchema'), tools)
  const said = requests[2]?.contents
    .flatMap(({ parts }: Json) => parts)
    .filter((part: Json) => part.functionResponse)
  const [given, second] = said.map((part: Json) => part.functionResponse.response.content)
  assert.equal(given, answer)
  assert.match(second, refused)
})

test('LangChain has the tools as its own, without loss', async () => {
  const [{ MultiServerMCPClient }, { convertToOpenAITool }] = await Promise.all(
    ['@langchain/mcp-adapters', '@langchain/core/utils/function_calling'].map(importClient),
  )
  const client = new MultiServerMCPClient({
    mcpServers: { lexigraph: { transport: 'http', url: address() } },
  })
  const offered: readonly Json[] = await client.getTools()
  const functions = offered.map((tool) => convertToOpenAITool(tool).function)
  assert.deepEqual(declared(functions, 'parameters'), tools)
  const aggregate = offered.find(({ name }) => name === 'aggregate')
  assert.equal(await aggregate?.invoke(question), answer)
  await assert.rejects(aggregate?.invoke(mistake), refused)
  await client.close()
})

test('OpenAI Agents gives a model the tools without loss, not in strict mode, and its answers', async () => {
  const [agents, { default: OpenAI }] = await Promise.all(['@openai/agents', 'openai'].map(importClient))
  const { fetch, requests } = script([
    openAiSays(callOf('1', question)),
    openAiSays(callOf('2', mistake)),
    openAiSays({
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
    }),
  ])
  agents.setTracingDisabled(true)
  agents.setDefaultOpenAIClient(new OpenAI({ apiKey: 'none', fetch }))
  const source = new agents.MCPServerStreamableHttp({ url: address(), name: 'lexigraph' })
  await source.connect()
  const agent = new agents.Agent({ name: 'Reader', instructions: 'Count.', mcpServers: [source] })
  const { finalOutput } = await agents.run(agent, 'How many?')
  await source.close()

  assert.equal(finalOutput, 'Done.')
  assert.ok(requests[0]?.tools.every(({ strict }: Json) => strict === false))
  // It opens the schemas, and names the required members of those that have none.
  const opened = tools.map(({ inputSchema, ...tool }) => ({
    ...tool,
    inputSchema: { required: [], ...inputSchema, additionalProperties: true },
  }))
  assert.deepEqual(declared(requests[0]?.tools, 'parameters'), opened)
  const outputs = requests[2]?.input.filter(({ type }: Json) => type === 'function_call_output')
  const [given, second] = outputs.map(({ output }: Json) => output[0].text)
  assert.equal(given, answer)
  assert.match(second, refused)
})

test('the official client lists and calls tools through mcp-remote', async () => {
  await using client = await connect(viaRemote())
  const { tools: listed } = await client.listTools()
  assert.deepEqual(declared(listed, 'inputSchema'), tools)
  assert.equal(textOf(await client.callTool({ name: 'aggregate', arguments: question })), answer)
  const failed = await client.callTool({ name: 'aggregate', arguments: mistake })
  assert.equal(failed.isError, true)
  assert.match(textOf(failed), refused)
})

test('Inspector finds nothing in the list of tools that a client may refuse, and calls one', async () => {
  const listed = await inspect('--method', 'tools/list', '--strict')
  assert.deepEqual([listed.status, listed.stderr.trim()], [0, ''])
  assert.deepEqual(declared(JSON.parse(listed.stdout).tools, 'inputSchema'), tools)
  const call = ['--method', 'tools/call', '--tool-name', 'aggregate']
  const given = Object.entries(question).map(([name, value]) =>
    typeof value === 'string' ? `${name}=${value}` : `${name}=${JSON.stringify(value)}`,
  )
  const called = await inspect(...call, '--tool-arg', ...given)
  assert.equal(called.status, 0, called.stderr)
  assert.equal(textOf(JSON.parse(called.stdout)), answer)
  const failed = await inspect(...call, '--tool-arg', 'collection=artcle')
  assert.equal(failed.status, 5)
  assert.match(failed.stdout.replaceAll('\\"', '"'), refused)
})

function address(): string {
  return `${server.url}/mcp`
}

/** Name, description and schema of each tool, whose schema is the member `schema` of what a client has. */
function declared(given: readonly Json[], schema: string): readonly Json[] {
  return given.map(({ name, description, [schema]: inputSchema }) => ({ name, description, inputSchema }))
}

function textOf({ content }: Json): string {
  assert.equal(content.length, 1)
  return content[0].text
}

/** A provider of models that gives these answers one after another, and remembers the requests. */
function script(answers: readonly Json[]) {
  const requests: Json[] = []
  const fetch = async (_url: unknown, { body }: { body: string }): Promise<Response> => {
    requests.push(JSON.parse(body))
    const next = answers[requests.length - 1]
    return next === undefined ? new Response('The script is over.', { status: 500 }) : Response.json(next)
  }
  return { fetch, requests }
}

function geminiSays(part: Json): Json {
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
  return { candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }], usageMetadata }
}

function openAiSays(item: Json): Json {
  const usage = {
    input_tokens: 1,
    output_tokens: 1,
    total_tokens: 2,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  }
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 0,
    status: 'completed',
    model: 'none',
    output: [item],
    usage,
  }
}

function callOf(id: string, args: Json): Json {
  const call = { id: `fc_${id}`, call_id: `call_${id}`, name: 'aggregate', status: 'completed' }
  return { type: 'function_call', ...call, arguments: JSON.stringify(args) }
}

function viaRemote(): StdioClientTransport {
  const args = [
    clientProgram('mcp-remote/dist/proxy.js'),
    address(),
    '--allow-http',
    '--transport',
    'http-only',
  ]
  const env = { ...process.env, MCP_REMOTE_CONFIG_DIR: home } as Record<string, string>
  return new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' })
}

function inspect(...args: readonly string[]): Promise<{ stdout: string; stderr: string; status: number }> {
  const program = clientProgram('@modelcontextprotocol/inspector/clients/launcher/build/index.js')
  const command = [program, '--cli', address(), '--transport', 'http', ...args]
  const env = { ...process.env, HOME: home }
  return new Promise((resolve) => {
    execFile(process.execPath, command, { env, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ stdout, stderr, status: error === null ? 0 : Number(error.code) }),
    )
  })
}
