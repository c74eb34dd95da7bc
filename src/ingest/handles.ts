/** Verifies the handles of accounts that have records here: daily, and when a handle may have changed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { MetadataStore } from '../database/metadata/sql-metadata-store.ts'
import type { FetchOptions } from './backfill.ts'
import { retryDelay, whileBusy } from './retries.ts'
import { type Identity, IdentityError } from './sources/repos/identity.ts'

const atOnce = 20
/** Milliseconds. */
const pollInterval = 1_000
const day = 86_400_000
/** Milliseconds before the second attempt. */
const firstDelay = 300_000
/** Half a day of attempts; the account then has no handle until the next verification. */
const maxFailures = 14
/** If so many verifications fail, the accounts are not the cause, and further accounts must wait. */
const maxPostponed = 5_000

/** Ends when the signal is aborted. */
export async function keepHandles(
  metadata: MetadataStore,
  identity: Identity,
  { now, signal, onNotice }: Pick<FetchOptions, 'now' | 'signal' | 'onNotice'>,
): Promise<void> {
  /** Accounts whose verification failed or must wait, by DID; their stored handles stay unchanged meanwhile. */
  const postponed = new Map<string, { readonly failures: number; readonly dueAt: bigint }>()
  let failing = false

  const inAbout = (milliseconds: number): bigint =>
    now() + BigInt(Math.round(milliseconds * (0.9 + Math.random() / 5))) * 1_000n
  const write = async (did: string, handle: string | null): Promise<void> => {
    await whileBusy(signal, () => metadata.writeHandle(did, handle, inAbout(day)))
    postponed.delete(did)
  }
  /** Null unless the verification failed. */
  const lookUp = async (did: string): Promise<IdentityError | null> => {
    // The cached document may be older than a change that was just reported.
    const wait = identity.untilFresh(did)
    if (wait > 0) {
      const failures = postponed.get(did)?.failures ?? 0
      postponed.set(did, { failures, dueAt: now() + BigInt(Math.ceil(wait)) * 1_000n })
      return null
    }
    try {
      await write(did, await identity.verifiedHandle(did))
      return null
    } catch (error) {
      if (!(error instanceof IdentityError)) throw error
      const failures = (postponed.get(did)?.failures ?? 0) + 1
      if (failures === maxFailures) await write(did, null)
      else postponed.set(did, { failures, dueAt: inAbout(retryDelay(firstDelay, failures)) })
      return error
    }
  }

  try {
    while (!signal.aborted) {
      const limit = postponed.size < maxPostponed ? postponed.size + atOnce : maxPostponed
      const due = await whileBusy(signal, () => metadata.dueHandles(limit))
      const ready = due.filter((did) => (postponed.get(did)?.dueAt ?? 0n) <= now()).slice(0, atOnce)
      if (ready.length === 0) {
        await sleep(pollInterval, undefined, { signal })
        continue
      }
      const outcomes = await Promise.all(ready.map(lookUp))
      const [first] = outcomes
      if (outcomes.includes(null)) failing = false
      else if (!failing && outcomes.length > 1) {
        failing = true
        onNotice(`Handles cannot be looked up now. ${first?.message ?? ''} Trying again.`)
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
