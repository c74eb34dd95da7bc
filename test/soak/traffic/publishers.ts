/**
 * Accounts that never rest: what they publish over a Jetstream, what becomes of the accounts, what an operator hides
 * of them, and the records that must be served once all of it has been heard.
 */
import { type FakeJetstream, startFakeJetstream } from '../../network/fake-jetstream.ts'
import type { Dice } from '../../network/fake-server.ts'
import { didOf, tid } from '../../network/follow.ts'
import type { PlainRecord } from '../../reference/dataset.ts'
import { collections } from '../../support/records/lexicons.ts'
import { buildRecord } from '../../support/records/records.ts'

/** A version of a record, without the times that the index gives it. */
export interface Version extends Omit<PlainRecord, 'indexedAt' | 'changedAt'> {
  /** How often there has been such a record that was new, and how often it became another. */
  readonly births: number
  readonly changes: number
}

export interface Publishers extends AsyncDisposable {
  /** Such as `jetstream:ws://127.0.0.1:…`. */
  readonly source: string
  readonly accounts: readonly string[]
  /** The one that nothing ever happens to. */
  readonly markerAccount: string
  readonly events: () => number
  /** One thing, whatever it is. */
  readonly act: () => void
  /** All connections break. */
  readonly disconnect: () => void
  /** Publishes what nobody published before, and tells its name. */
  readonly publishMarker: () => Promise<Version>
  /** An operator's word, told when it holds: a URI or a DID. */
  readonly hide: (subject: string) => void
  readonly unhide: (subject: string) => void
  readonly hidden: ReadonlySet<string>
  /** Tells that nothing is left to be done for what was published of accounts. */
  readonly settled: () => void
  /** By URI, what must be served. */
  readonly served: () => ReadonlyMap<string, Version>
  /** What its repository has of a record, whether it is served or not. */
  readonly find: (uri: string) => Version | undefined
}

type AccountStatus = 'active' | 'deactivated' | 'suspended' | 'takendown' | 'deleted'

/** What says whether all before it has been heard; never deleted, hidden or inactive. */
const marker = didOf(900)

export async function startPublishers(versions: readonly PlainRecord[], dice: Dice): Promise<Publishers> {
  const faults = { duplicate: 0.05, reorder: 0.2, cut: 0.000_5 }
  const stream: FakeJetstream = await startFakeJetstream({ seed: Math.floor(dice.draw() * 1e9), faults })
  const accounts = [...new Set(versions.map(({ did }) => did))].toSorted()
  const accountStatuses = new Map<string, AccountStatus>()
  const hidden = new Set<string>()
  const records = new Map<string, Version>()
  /** Deleted accounts of which nothing is left. Until then, what a return undoes depends on how far that was. */
  const purged = new Set<string>()
  /**
   * Accounts of which something has been heard. The standing of others is not kept, since a network has millions; and
   * whoever is not shown publishes nothing there, least of all for the first time.
   */
  const heard = new Set<string>()
  /** The same with those that are deleted. */
  const latest = new Map<string, Version>()
  let clock = Date.now() * 1_000
  let [events, markers] = [0, 0]

  const nextRev = (): string => {
    clock = Math.max(clock + 1, Date.now() * 1_000)
    return tid(clock)
  }
  const accountStatusOf = (did: string): AccountStatus => accountStatuses.get(did) ?? 'active'
  const put = ({
    uri,
    cid,
    did,
    collection,
    rkey,
    value,
  }: Omit<PlainRecord, 'indexedAt' | 'changedAt'>): Version => {
    const before = records.get(uri)
    const last = latest.get(uri) ?? { births: 0, changes: 0 }
    const births = last.births + (before === undefined ? 1 : 0)
    const changes = last.changes + (before?.cid === cid ? 0 : 1)
    const version: Version = { uri, cid, did, collection, rkey, value, births, changes }
    const operation = before === undefined ? 'create' : 'update'
    stream.publish({
      kind: 'commit',
      did,
      body: { operation, collection, rkey, rev: nextRev(), cid, record: value },
    })
    latest.set(uri, version)
    records.set(uri, version)
    events += 1
    return version
  }
  const remove = (did: string, collection: string, rkey: string, uri: string): void => {
    stream.publish({ kind: 'commit', did, body: { operation: 'delete', collection, rkey, rev: nextRev() } })
    records.delete(uri)
    events += 1
  }
  const setAccountStatus = (did: string, accountStatus: AccountStatus): void => {
    const active = accountStatus === 'active'
    accountStatuses.set(did, accountStatus)
    purged.delete(did)
    if (accountStatus === 'deleted')
      for (const [uri, one] of records) if (one.did === did) records.delete(uri)
    stream.publish({ kind: 'account', did, body: { active, ...(!active && { status: accountStatus }) } })
    events += 1
  }
  const served = (uri: string, did: string): boolean =>
    accountStatusOf(did) === 'active' && !hidden.has(did) && !hidden.has(uri)

  return {
    source: `jetstream:${stream.url}`,
    accounts: [...accounts, marker],
    markerAccount: marker,
    events: () => events,
    act: () => {
      const what = dice.draw()
      const { did, collection, rkey, uri } = dice.pick(versions)
      const accountStatus = accountStatusOf(did)
      const mayReturn = accountStatus === 'deleted' ? purged.has(did) : accountStatus !== 'active'
      if (mayReturn && dice.chance(0.02)) return setAccountStatus(did, 'active')
      if (what < 0.002 && heard.has(did))
        return setAccountStatus(did, dice.pick(['deactivated', 'suspended', 'takendown', 'deleted']))
      if (what < 0.005) {
        stream.publish({ kind: 'identity', did, body: {} })
        events += 1
        return
      }
      // A host tells nothing of a repository that it has deleted; what it told nevertheless, a stream that repeats
      // its last seconds would tell again once the account is back, and only its repository knows better.
      if (accountStatus === 'deleted') return
      // What an account that is not shown publishes is not seen, and is there when it is shown again.
      if (what < 0.25 && records.has(uri)) remove(did, collection, rkey, uri)
      else {
        // At its address, what any record of its kind says.
        const { cid, value } = dice.pick(versions.filter((one) => one.collection === collection))
        put({ did, collection, rkey, uri, cid, value })
      }
    },
    disconnect: stream.disconnect,
    publishMarker: async () => {
      markers += 1
      const value = { name: `Marker ${markers}` }
      return put(await buildRecord(collections.publisher, { did: marker, rkey: 'marker', value }))
    },
    hide: (subject) => void hidden.add(subject),
    unhide: (subject) => void hidden.delete(subject),
    hidden,
    settled: () => {
      for (const [did, accountStatus] of accountStatuses) if (accountStatus === 'deleted') purged.add(did)
      for (const { did } of latest.values()) heard.add(did)
    },
    served: () => new Map([...records].filter(([uri, { did }]) => served(uri, did))),
    find: (uri) => records.get(uri),
    [Symbol.asyncDispose]: () => stream[Symbol.asyncDispose](),
  }
}
