/** Writes what the URIs of an answer begin with once. */
import type { Json } from '../../util/is-object.ts'

/** `at://DID/NSID/` if several URIs begin with it, and all do; else null. */
export function sharedPrefix(uris: readonly unknown[]): string | null {
  const prefixes = new Set(uris.map((uri) => /^at:\/\/[^/]+\/[^/]+\//.exec(String(uri))?.[0] ?? null))
  return prefixes.size === 1 && uris.length > 1 ? ([...prefixes][0] ?? null) : null
}

/** The record with what follows the prefix as `uri`. */
export function withoutPrefix(record: Json, prefix: string | null): Json {
  return prefix === null ? record : { ...record, uri: String(record['uri']).slice(prefix.length) }
}
