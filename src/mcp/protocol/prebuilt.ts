/**
 * Answers that follow from the lexicons alone: `initialize`, `server/discover`, `ping` and the lists. The SDK makes each
 * once; requests in their usual form get its bytes with their own id. All other requests go to the SDK.
 */
import {
  classifyInboundRequest,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  isInitializeRequest,
  LATEST_PROTOCOL_VERSION,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server'
import { isObject } from '../../util/is-object.ts'
import { type RequestId, requestIdOf } from './refusals.ts'

/** The headers that the protocol reads. */
export interface MessageHeaders {
  readonly accept?: string | undefined
  readonly 'mcp-protocol-version'?: string | string[] | undefined
  readonly 'mcp-method'?: string | string[] | undefined
  readonly 'mcp-name'?: string | string[] | undefined
}

/** The JSON of the answer, which is empty for a notification; null where the SDK has to answer. */
export type Prebuilt = (headers: MessageHeaders, message: unknown) => Promise<string | null> | null

type Serve = (request: Request, message: object) => Promise<Response>
type Json = Readonly<Record<string, unknown>>

const newer = '2026-07-28'
const lists = ['tools/list']
/** The notification that ends the handshake; nothing follows from it. */
const initialized = 'notifications/initialized'
const olderMethods = new Set([...lists, 'ping', initialized])
const newerMethods = new Set([...lists, 'server/discover'])

/** `serve` is the SDK's. */
export function createPrebuilt(serve: Serve): Prebuilt {
  const results = new Map<string, Promise<string | null>>()
  return (headers, message) => {
    const wanted = isObject(message) ? readWanted(headers, message) : null
    if (wanted === null) return null
    const id = requestIdOf(message)
    if (id === null) return wanted.method === initialized ? Promise.resolve('') : null
    const key = `${wanted.revision} ${wanted.method}`
    let result = results.get(key)
    if (result === undefined) {
      result = makeResult(serve, wanted)
      results.set(key, result)
      result.catch(() => results.delete(key))
    }
    return result.then((text) => (text === null ? null : withId(id, text)))
  }
}

function withId(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
}

/** What an answer depends on. Revisions up to 2025-11-25 differ in the answer to `initialize` alone. */
interface Wanted {
  readonly method: string
  readonly revision: string
}

/** Null unless the SDK would answer this request as it answers `requestFor`. */
function readWanted(headers: MessageHeaders, message: Json): Wanted | null {
  const { method, params } = message
  if (typeof method !== 'string' || !hasOnly(message, ['jsonrpc', 'id', 'method', 'params'])) return null
  if (method !== 'initialize' && !olderMethods.has(method) && !newerMethods.has(method)) return null
  const version = textOf(headers['mcp-protocol-version'])
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body: message,
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...ifText('mcpMethodHeader', headers['mcp-method']),
    ...ifText('mcpNameHeader', headers['mcp-name']),
  })
  if (outcome.kind === 'modern') {
    const isWhole = version !== undefined && headers['mcp-method'] !== undefined && hasOnlyMeta(params)
    return isWhole && outcome.classification.revision === newer && newerMethods.has(method)
      ? { method, revision: newer }
      : null
  }
  if (outcome.kind !== 'legacy' || !acceptsBoth(headers.accept)) return null
  if (method === 'initialize')
    return isInitializeRequest(message) ? { method, revision: agreed(params) } : null
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return null
  return olderMethods.has(method) && (params === undefined || hasOnlyMeta(params))
    ? { method, revision: LATEST_PROTOCOL_VERSION }
    : null
}

/** An unknown revision is answered with the latest one of those that begin by `initialize`. */
function agreed(params: unknown): string {
  const asked = isObject(params) ? params['protocolVersion'] : undefined
  return typeof asked === 'string' && SUPPORTED_PROTOCOL_VERSIONS.includes(asked)
    ? asked
    : LATEST_PROTOCOL_VERSION
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header
}

function ifText<Name extends string>(
  name: Name,
  header: string | string[] | undefined,
): { [key in Name]?: string } {
  const text = textOf(header)
  return text === undefined ? {} : ({ [name]: text } as { [key in Name]?: string })
}

/** As the SDK demands it from the older revisions. */
function acceptsBoth(accept: string | undefined): boolean {
  return accept?.includes('application/json') === true && accept.includes('text/event-stream')
}

function hasOnly(value: Json, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name))
}

const knownMeta = [
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  'progressToken',
]

/** A progress token has no effect, because the answer comes at once; other parameters may have one. */
function hasOnlyMeta(params: unknown): boolean {
  if (!isObject(params) || !hasOnly(params, ['_meta'])) return false
  const meta = params['_meta']
  if (meta === undefined) return true
  if (!isObject(meta) || !hasOnly(meta, knownMeta)) return false
  const { progressToken } = meta
  return (
    progressToken === undefined || typeof progressToken === 'string' || Number.isSafeInteger(progressToken)
  )
}

/** The JSON of the SDK's result; null for an error. */
async function makeResult(serve: Serve, wanted: Wanted): Promise<string | null> {
  const { headers, message } = requestFor(wanted)
  const response = await serve(new Request('http://localhost/', { method: 'POST', headers }), message)
  const text = await response.text()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const json = isStream ? (/^data: (.+)$/m.exec(text)?.[1] ?? 'null') : text
  const result =
    response.ok && json !== '' ? (JSON.parse(json) as { result?: unknown } | null)?.result : undefined
  return result === undefined ? null : JSON.stringify(result)
}

/** The simplest request of its kind. */
function requestFor({ method, revision }: Wanted): {
  readonly headers: HeadersInit
  readonly message: object
} {
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  const message = { jsonrpc: '2.0', id: 0, method }
  const clientInfo = { name: 'lexigraph', version: '0' }
  if (method === 'initialize') {
    const params = { protocolVersion: revision, capabilities: {}, clientInfo }
    return { headers, message: { ...message, params } }
  }
  if (revision !== newer) return { headers, message }
  const _meta = {
    [PROTOCOL_VERSION_META_KEY]: revision,
    [CLIENT_INFO_META_KEY]: clientInfo,
    [CLIENT_CAPABILITIES_META_KEY]: {},
  }
  return {
    headers: { ...headers, 'mcp-protocol-version': revision, 'mcp-method': method },
    message: { ...message, params: { _meta } },
  }
}
