/** Parses the subject of a command: a record's URI or an account's DID. Handles are refused. */
import { isValidDid, isValidHandle, isValidNsid, isValidRecordKey } from '@atproto/syntax'

export type Subject =
  | { readonly kind: 'account'; readonly did: string }
  | { readonly kind: 'record'; readonly did: string; readonly collection: string; readonly rkey: string }

const form = 'Give a record as at://DID/COLLECTION/RKEY, or an account as its DID.'

/**
 * The DID with its host name in lower case; null when it is in lower case already. Host names are case-insensitive, but
 * DIDs are compared byte by byte.
 */
export function inLowerCase(did: string): string | null {
  // Percent-encoded bytes are spelled in capitals; the path after the host is case-sensitive.
  const lower = did.replace(/^did:web:[^:]+/, (text) =>
    text.replaceAll(/%[0-9A-F]{2}|[A-Z]+/gi, (part) => (part.startsWith('%') ? part : part.toLowerCase())),
  )
  return lower === did ? null : lower
}

/** The subject, or a sentence that says what is wrong with the text. */
export function parseSubject(text: string): Subject | string {
  if (isValidDid(text)) return { kind: 'account', did: text }
  const shown = JSON.stringify(text)
  if (isValidHandle(text.replace(/^@/, '')))
    return `${shown} is a handle, which may pass to another account. Give the account's DID.`
  if (!text.startsWith('at://')) return `${shown} is no AT-URI and no DID. ${form}`
  const [did = '', collection, rkey, ...rest] = text.slice('at://'.length).split('/')
  if (isValidHandle(did))
    return `${shown} names its account by a handle, which may pass to another. Give the URI with the account's DID.`
  if (!isValidDid(did)) return `${shown} is no AT-URI of a record. ${form}`
  if (!collection || !rkey || rest.length > 0) return `${shown} names no record. ${form}`
  if (!isValidNsid(collection) || !isValidRecordKey(rkey)) return `${shown} is no AT-URI of a record. ${form}`
  return { kind: 'record', did, collection, rkey }
}
