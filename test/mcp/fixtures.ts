/**
 * What the conformance suite calls by name, added to the same server that the program runs: tools
 * of every shape that the protocol knows. Nothing of it is in the program.
 */
import {
  type CallToolResult,
  type JsonSchemaType,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Addition } from '../../src/mcp/protocol/server.ts'
import { say, tool } from './fixture-tool.ts'
import { registerAsking, states } from './fixtures-asking.ts'

/** A picture of one pixel, and no sound at all. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

export const fixtures: Addition = {
  options: {
    requestState: { verify: (state, context) => states.verify(state, context) },
    capabilities: {
      tools: { listChanged: false },
      logging: {},
    },
  },
  register(server) {
    registerContents(server)
    registerNotifying(server)
    registerAsking(server)
    registerSchemas(server)
  },
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
