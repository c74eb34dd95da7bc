/**
 * What the conformance suite calls by name, added to the same server that the program runs: tools, resources and
 * prompts of every shape that the protocol knows. Nothing of it is in the program.
 */
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type CallToolResult,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type JsonSchemaType,
  type McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Addition } from '../../src/mcp/server.ts'

/** A picture of one pixel, and no sound at all. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

const states = createRequestStateCodec<string>({ key: 'a key for tests, of 32 bytes or more' })

export const fixtures: Addition = {
  options: {
    requestState: { verify: (state, context) => states.verify(state, context) },
    capabilities: {
      tools: { listChanged: false },
      resources: { listChanged: false, subscribe: true },
      prompts: { listChanged: false },
      logging: {},
    },
  },
  register(server) {
    registerContents(server)
    registerNotifying(server)
    registerAsking(server)
    registerSchemas(server)
    registerResources(server)
    registerPrompts(server)
  },
}

type Answer = CallToolResult | InputRequiredResult
type Args = Readonly<Record<string, unknown>>

const nothing: JsonSchemaType = { type: 'object', properties: {} }

function tool(
  server: McpServer,
  name: string,
  run: (context: ServerContext, args: Args) => Answer | Promise<Answer>,
  schema: JsonSchemaType = nothing,
): void {
  const inputSchema = fromJsonSchema<Args>(schema)
  server.registerTool(
    name,
    { description: `For the conformance suite: ${name}.`, inputSchema },
    (args, context) => run(context, args),
  )
}

function say(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] }
}

function registerContents(server: McpServer): void {
  const image = { type: 'image', data: png, mimeType: 'image/png' } as const
  tool(server, 'test_simple_text', () => say('This is a simple text response for testing.'))
  tool(server, 'test_image_content', () => ({ content: [image] }))
  tool(server, 'test_audio_content', () => ({
    content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  }))
  tool(server, 'test_embedded_resource', () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }))
  tool(server, 'test_multiple_content_types', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }))
  tool(server, 'test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
}

function embedded(uri: string, mimeType: string, text: string) {
  return { type: 'resource', resource: { uri, mimeType, text } } as const
}

function registerNotifying(server: McpServer): void {
  const log = async ({ mcpReq }: ServerContext): Promise<CallToolResult> => {
    for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
      await mcpReq.log('info', said)
    return say('Logged.')
  }
  tool(server, 'test_tool_with_logging', log)
  tool(server, 'test_logging_tool', log)
  tool(server, 'test_tool_with_progress', async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100])
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        })
    return say('Done.')
  })
}

/** Ask back: the client's user, its model, or for its roots. */
function registerAsking(server: McpServer): void {
  const name = elicit('What is your name?', 'name', { type: 'string' })
  const confirm = elicit('Please confirm', 'ok', { type: 'boolean' })
  const capital = sample('What is the capital of France?')

  tool(server, 'test_input_required_result_elicitation', ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, 'user_name')
    return given === undefined
      ? inputRequired({ inputRequests: { user_name: name } })
      : say(`Hello, ${given['name']}!`)
  })
  tool(server, 'test_input_required_result_sampling', ({ mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, 'capital_question')
    return given.kind === 'sampling'
      ? say(JSON.stringify(given.result.content))
      : inputRequired({ inputRequests: { capital_question: capital } })
  })
  tool(server, 'test_input_required_result_list_roots', ({ mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, 'client_roots')
    return given.kind === 'roots'
      ? say(given.roots.map(({ uri }) => uri).join(' '))
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  })
  for (const called of [
    'test_input_required_result_request_state',
    'test_input_required_result_tampered_state',
  ])
    tool(server, called, async ({ mcpReq }) =>
      acceptedContent(mcpReq.inputResponses, 'confirm') !== undefined && mcpReq.requestState() === 'begun'
        ? say('state-ok')
        : inputRequired({ inputRequests: { confirm }, requestState: await states.mint('begun') }),
    )
  tool(server, 'test_input_required_result_multiple_inputs', async ({ mcpReq }) => {
    const wanted = ['user_name', 'greeting', 'client_roots']
    if (wanted.every((key) => mcpReq.inputResponses?.[key] !== undefined)) return say('All are there.')
    return inputRequired({
      inputRequests: {
        user_name: name,
        greeting: sample('Generate a greeting'),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await states.mint('all'),
    })
  })
  tool(server, 'test_input_required_result_multi_round', async ({ mcpReq }) => {
    const [first, second] = ['step1', 'step2'].map((key) => acceptedContent(mcpReq.inputResponses, key))
    if (second !== undefined && mcpReq.requestState() === 'two')
      return say(`The colour is ${second['color']}.`)
    return first === undefined
      ? inputRequired({
          inputRequests: { step1: elicit('Step 1: What is your name?', 'name', { type: 'string' }) },
          requestState: await states.mint('one'),
        })
      : inputRequired({
          inputRequests: {
            step2: elicit('Step 2: What is your favorite color?', 'color', { type: 'string' }),
          },
          requestState: await states.mint('two'),
        })
  })
  tool(server, 'test_input_required_result_capabilities', ({ mcpReq }) => {
    const envelope = mcpReq.envelope as Readonly<Record<string, ClientCapabilities | undefined>> | undefined
    const able = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
    return inputRequired({
      inputRequests: {
        ...(able.elicitation !== undefined && { user_name: name }),
        ...(able.sampling !== undefined && { capital_question: capital }),
      },
      requestState: 'asked',
    })
  })
  tool(server, 'test_missing_capability', () =>
    inputRequired({ inputRequests: { capital_question: capital } }),
  )
  tool(server, 'test_streaming_elicitation', ({ mcpReq }) =>
    acceptedContent(mcpReq.inputResponses, 'user_name') === undefined
      ? inputRequired({ inputRequests: { user_name: name } })
      : say('Hello.'),
  )
}

function elicit(message: string, field: string, type: { type: 'string' } | { type: 'boolean' }) {
  return inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: type }, required: [field] },
  })
}

function sample(text: string) {
  return inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text } }],
    maxTokens: 100,
  })
}

function registerSchemas(server: McpServer): void {
  tool(server, 'json_schema_2020_12_tool', () => say('Valid.'), {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema.
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  })
  tool(server, 'test_headers', (_context, args) => say(JSON.stringify(args)), {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    required: ['region'],
  } as JsonSchemaType)
}

function registerResources(server: McpServer): void {
  server.registerResource(
    'static-text',
    'test://static-text',
    { mimeType: 'text/plain' },
    ({ href: uri }) => ({
      contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
    }),
  )
  server.registerResource(
    'static-binary',
    'test://static-binary',
    { mimeType: 'image/png' },
    ({ href: uri }) => ({
      contents: [{ uri, mimeType: 'image/png', blob: png }],
    }),
  )
  server.registerResource(
    'watched',
    'test://watched-resource',
    { mimeType: 'text/plain' },
    ({ href: uri }) => ({
      contents: [{ uri, mimeType: 'text/plain', text: 'It never changes.' }],
    }),
  )
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    ({ href: uri }, { id }) => {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
      return { contents: [{ uri, mimeType: 'application/json', text }] }
    },
  )
  server.server.setRequestHandler('resources/subscribe', () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', () => ({}))
}

function registerPrompts(server: McpServer): void {
  const description = 'For the conformance suite.'
  const user = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } })
  const strings = (...names: readonly string[]) =>
    fromJsonSchema<Readonly<Record<string, string>>>({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      required: [...names],
    })
  server.registerPrompt('test_simple_prompt', { description }, () => ({
    messages: [user('This is a simple prompt for testing.')],
  }))
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description, argsSchema: strings('arg1', 'arg2') },
    ({ arg1, arg2 }) => ({
      messages: [user(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
    }),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description, argsSchema: strings('resourceUri') },
    ({ resourceUri = '' }) => ({
      messages: [
        {
          role: 'user',
          content: embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        },
        user('Please process the embedded resource above.'),
      ],
    }),
  )
  server.registerPrompt('test_prompt_with_image', { description }, () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: png, mimeType: 'image/png' } },
      user('Please analyze the image above.'),
    ],
  }))
  server.registerPrompt('test_input_required_result_prompt', { description }, ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, 'user_context')
    return given === undefined
      ? inputRequired({
          inputRequests: {
            user_context: elicit('What context should the prompt use?', 'context', { type: 'string' }),
          },
        })
      : { messages: [user(`The context is ${given['context']}.`)] }
  })
}
