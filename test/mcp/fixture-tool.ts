/** How the fixtures of the conformance suite make a tool. */
import {
  type CallToolResult,
  fromJsonSchema,
  type InputRequiredResult,
  type JsonSchemaType,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'

type Answer = CallToolResult | InputRequiredResult
type Args = Readonly<Record<string, unknown>>

const nothing: JsonSchemaType = { type: 'object', properties: {} }

export function tool(
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

export function say(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] }
}
