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

/** Null for messages that the SDK may answer. `named`: the revision that the head of the request names. */
export function unserved(message: unknown, named: string | null = null): RpcError | null {
  const { method, params } = isObject(message) ? message : {}
  if (!isObject(params)) return null
  const { _meta: meta, cursor } = params
  const requested = isObject(meta) ? meta[PROTOCOL_VERSION_META_KEY] : undefined
  if (typeof requested === 'string' && requested !== newest && (named ?? requested) === requested)
    return {
      code: ProtocolErrorCode.UnsupportedProtocolVersion,
      message: `Unsupported protocol version: ${requested.slice(0, 40)}. Requests may name ${newest}; initialize agrees on ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`,
      // Those that `server/discover` names.
      data: { supported: [newest], requested: requested.slice(0, 40) },
    }
  if (method !== 'tools/list' || cursor === undefined) return null
  return {
    code: INVALID_PARAMS,
    message: 'cursor is not one of this list, which has one page: leave it out.',
  }
}
