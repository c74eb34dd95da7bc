/** Resolves the publishers whose records are accepted: DIDs stay as given, handles are resolved once at the start. */
import { UsageError } from '../../errors.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { isValidDid, isValidHandle } from '@atproto/syntax'
import type { IngestLog } from '../log.ts'
import { type Identity, IdentityError } from './repos/identity.ts'
import { InputError } from './files/lines.ts'

/** Retries until the signal aborts. Throws an `InputError` for an unknown handle, a `UsageError` for other text. */
export async function resolvePublishers(
  names: readonly string[],
  identity: Identity,
  log: IngestLog,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const name of names) found.add(isValidDid(name) ? name : await resolve(name))
  return found

  async function resolve(name: string): Promise<string> {
    const handle = name.replace(/^@/, '')
    if (!isValidHandle(handle)) throw new UsageError(`${JSON.stringify(name)} is neither a DID nor a handle.`)
    for (let wait = 1_000; ; wait = Math.min(2 * wait, 60_000)) {
      signal.throwIfAborted()
      try {
        const did = await identity.resolveHandle(handle)
        if (did !== null) return did
        throw new InputError(`The handle ${handle} points to no account.`)
      } catch (error) {
        if (!(error instanceof IdentityError)) throw error
        log.warn(`The handle ${handle} cannot be looked up now. ${error.message} Trying again.`)
        await pause(wait, undefined, { signal })
      }
    }
  }
}
