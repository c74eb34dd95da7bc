/** What people name to a command: a record by its URI, or an account by its DID, as records here are called. */
import { isValidDid, isValidHandle, isValidNsid, isValidRecordKey } from '@atproto/syntax'

export type Subject =
  | { readonly kind: 'account'; readonly did: string }
  | { readonly kind: 'record'; readonly did: string; readonly collection: string; readonly rkey: string }

const form = 'Give a record as at://DID/COLLECTION/RKEY, or an account as its DID.'

/**
 * Hosts have no capitals of their own, but DIDs are compared as they are written. The DID with its host in lower
 * case; null where it is so already.
 */
export function inLowerCase(did: string): string | null {
  // What follows a percent sign is written in capitals, and what follows the host is a path.
  const lower = did.replace(/^did:web:[^:]+/, (text) =>
    text.replaceAll(/%[0-9A-F]{2}|[A-Z]+/gi, (part) => (part.startsWith('%') ? part : part.toLowerCase())),
  )
  return lower === did ? null : lower
}

/** What is wrong with it, in words, where it is neither. */
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
