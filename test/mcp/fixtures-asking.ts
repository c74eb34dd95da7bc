/** Tools for the conformance suite that ask back: the client's user, its model, or for its roots. */
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type McpServer,
} from '@modelcontextprotocol/server'
import { say, tool } from './fixture-tool.ts'

export const states = createRequestStateCodec<string>({ key: 'a key for tests, of 32 bytes or more' })

export function registerAsking(server: McpServer): void {
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
