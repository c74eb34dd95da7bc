/** Requests that the SDK answers, but not as the protocol asks: cursors that no list gave, and unknown revisions. */
import {
  INVALID_PARAMS,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server'
import { isObject } from '../../util/is-object.ts'
import type { RpcError } from './refusals.ts'

/** The revision whose requests name it in `_meta`. The others are agreed on when a client connects. */
const newest = '2026-07-28'

/** Null for messages that the SDK may answer. */
export function unserved(message: unknown): RpcError | null {
  const { method, params } = isObject(message) ? message : {}
  if (!isObject(params)) return null
  const { _meta: meta, cursor } = params
  const requested = isObject(meta) ? meta[PROTOCOL_VERSION_META_KEY] : undefined
  if (typeof requested === 'string' && requested !== newest)
    return {
      code: ProtocolErrorCode.UnsupportedProtocolVersion,
      message: `Unsupported protocol version: ${requested.slice(0, 40)}`,
      data: { supported: [newest, ...SUPPORTED_PROTOCOL_VERSIONS], requested: requested.slice(0, 40) },
    }
  if (method !== 'tools/list' || cursor === undefined) return null
  return {
    code: INVALID_PARAMS,
    message: 'cursor is not one of this list, which has one page: leave it out.',
  }
}
