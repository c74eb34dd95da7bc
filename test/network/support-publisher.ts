/**
 * Publishers that never rest, on a real PDS: what they do next is drawn from a seed, what came of it is what
 * their repositories hold. Streams of another kind are told of it in the order in which it happened.
 */
import type { Json } from '../reference/shapes.ts'
import { cidOf, otherCid } from '../support/records/records.ts'
import type { FakeJetstream } from './fake-jetstream.ts'
import type { Dice, Publication } from './fake-server.ts'
import type { FakeTap } from './fake-tap.ts'
import { tid } from './follow.ts'
import type { Account, Network, Write } from './network.ts'
import type { Records } from './support-index.ts'
import { article, collections, enrichment, outlet, type Strong, unfit } from './support-news.ts'

export type Happening =
  | ({ readonly kind: 'record' } & Publication)
  | {
      readonly kind: 'account'
      readonly did: string
      readonly handle: string
      /** `active`, `deactivated`, `takendown` or `deleted`. */
      readonly status: AccountStatus
    }

type AccountStatus = 'active' | 'deactivated' | 'takendown' | 'deleted'

export type Publishers = Awaited<ReturnType<typeof startPublishers>>

interface Publisher {
  readonly account: Account
  /** By collection, record keys that are in use. */
  readonly used: ReadonlyMap<string, Set<string>>
  accountStatus: AccountStatus
}

const collectionsDrawn = [collections.source, ...Array(6).fill(collections.article), collections.enrichment]
const words = ['storm', 'sea', 'election', 'música', 'Straße', '選挙', 'İstanbul', 'ab', 'x', '100%', 'a_b']
const tags = ['sea', 'moon', 'vote', 'música']
/** So many that most are written again, and few so often that what was lost is written again. */
const keysOfEach = 300
/** More than leave the tables in one step. */
const recordsOfCrowd = 220

/** The first of the accounts has many records from the start. */
export async function startPublishers(
  network: Network,
  names: readonly string[],
  dice: Dice,
  tell: (happening: Happening) => void,
) {
  const publishers: Publisher[] = []
  /** The last version of what may be referred to. */
  const versions = new Map<string, Strong>()
  let isOneDeleted = false

  const drawText = (): string =>
    Array.from({ length: 1 + Math.floor(dice.draw() * 4) }, () => dice.pick(words)).join(' ')
  const drawVersion = (collection: string): Strong => {
    const some = [...versions.values()].filter(({ uri }) => uri.includes(collection))
    return some.length === 0 ? strange : dice.pick(some)
  }
  const drawRecord = (collection: string): Json => {
    switch (collection) {
      case collections.source:
        return outlet(drawText(), { country: dice.pick(['DE', 'JP', 'BR']), description: drawText() })
      case collections.enrichment:
        return enrichment(drawText(), drawVersion(collections.article), {
          impactLevel: 1 + Math.floor(dice.draw() * 10),
        })
      default:
        if (dice.chance(0.05)) return unfit(drawVersion(collections.source))
        return article(drawText(), drawVersion(collections.source), {
          ...(dice.chance(0.7) && { language: dice.pick(['en', 'pt', 'ja']) }),
          ...(dice.chance(0.7) && { tags: tags.filter(() => dice.chance(0.5)) }),
          ...(dice.chance(0.2) && { duplicateOf: drawVersion(collections.article).uri }),
          ...(dice.chance(0.9) && { publishedAt: `2026-11-1${Math.floor(dice.draw() * 6)}T12:00:00Z` }),
          wordCount: Math.floor(dice.draw() * 1000),
        })
    }
  }
  const drawKey = (collection: string): string => {
    const number = Math.floor(dice.draw() * keysOfEach)
    return collection === collections.source ? `outlet-${number}` : tid(firstKey + number * 1_000)
  }
  /** Of each record at most one change, as a commit has them. */
  const drawWrites = (publisher: Publisher, count: number): Write[] => {
    const paths = new Map(
      Array.from({ length: count }, () => {
        const collection = dice.pick(collectionsDrawn)
        const rkey = drawKey(collection)
        return [`${collection}/${rkey}`, { collection, rkey }]
      }),
    )
    return [...paths.values()].map((place) => {
      const isThere = publisher.used.get(place.collection)?.has(place.rkey) === true
      if (isThere && dice.chance(0.3)) return { kind: 'delete', ...place }
      return { kind: isThere ? 'update' : 'create', ...place, record: drawRecord(place.collection) }
    })
  }
  const commit = async (publisher: Publisher, writes: readonly Write[]): Promise<void> => {
    const { account, used } = publisher
    const { rev } = await account.applyWrites(writes)
    for (const { kind, collection, rkey = '', record = null } of writes) {
      const { did } = account
      const uri = `at://${did}/${collection}/${rkey}`
      if (record === null) used.get(collection)?.delete(rkey)
      else {
        used.get(collection)?.add(rkey)
        if (collection !== collections.enrichment) versions.set(uri, { uri, cid: await cidOf(record) })
      }
      tell({ kind: 'record', did, collection, rkey, rev, record, update: kind === 'update' })
    }
  }
  const setAccountStatus = async (publisher: Publisher, accountStatus: AccountStatus): Promise<void> => {
    const { account, accountStatus: before } = publisher
    if (before === accountStatus) return
    if (before === 'takendown') await account.undoTakeDown()
    if (before === 'deactivated') await account.activate()
    if (accountStatus === 'takendown') await account.takeDown()
    if (accountStatus === 'deactivated') await account.deactivate()
    if (accountStatus === 'deleted') await account.deleteAccount()
    publisher.accountStatus = accountStatus
    tell({ kind: 'account', did: account.did, handle: account.handle, status: accountStatus })
  }
  const hideOrShow = async (publisher: Publisher): Promise<void> => {
    if (publisher.accountStatus === 'deleted') return
    const hide = dice.pick<AccountStatus>(['deactivated', 'takendown'])
    await setAccountStatus(publisher, publisher.accountStatus === 'active' ? hide : 'active')
  }
  const act = async (): Promise<void> => {
    const publisher = dice.pick(publishers)
    const what = dice.draw()
    if (what < 0.006 || publisher.accountStatus !== 'active') {
      // Who is hidden stays so for a while.
      if (publisher.accountStatus === 'active' || dice.chance(0.2)) await hideOrShow(publisher)
    } else if (what < 0.008 && !isOneDeleted && publisher !== publishers[0]) {
      isOneDeleted = true
      await setAccountStatus(publisher, 'deleted')
    } else await commit(publisher, drawWrites(publisher, what < 0.8 ? 1 : 2 + Math.floor(dice.draw() * 20)))
  }

  for (const name of names) {
    const account = await network.createAccount(name)
    const used = new Map(Object.values(collections).map((collection) => [collection, new Set<string>()]))
    publishers.push({ account, used, accountStatus: 'active' })
  }
  const [crowd] = publishers as [Publisher]
  const all = Array.from(
    { length: recordsOfCrowd },
    (_, number): Write => ({
      kind: 'create',
      collection: collections.article,
      rkey: tid(firstKey + (keysOfEach + number) * 1_000),
      record: drawRecord(collections.article),
    }),
  )
  for (let from = 0; from < all.length; from += 200) await commit(crowd, all.slice(from, from + 200))

  let last: Promise<void> = Promise.resolve()
  const inTurn = (work: () => Promise<void>) => (): Promise<void> => {
    last = last.then(work)
    return last
  }
  return {
    /** One thing, whatever it is. */
    act: inTurn(act),
    /** An account with many records vanishes, or is back. */
    hideOrShow: inTurn(() => hideOrShow(crowd)),
    /** All accounts are active that are not deleted. */
    revive: inTurn(async () => {
      for (const publisher of publishers)
        if (publisher.accountStatus !== 'deleted') await setAccountStatus(publisher, 'active')
    }),
    /** What an index must hold. */
    published: async (): Promise<Records> => {
      const shown = publishers.filter(({ accountStatus }) => accountStatus === 'active')
      const repositories = await Promise.all(shown.map(({ account }) => account.records()))
      return new Map(
        repositories.flatMap((records) =>
          [...records].filter(([uri, { value }]) => !uri.includes(collections.article) || 'title' in value),
        ),
      )
    },
  }
}

/** The events of what has happened. */
export function tellJetstream(server: FakeJetstream, happening: Happening): void {
  if (happening.kind === 'record') return server.publishRecord(happening)
  const { did, status } = happening
  const active = status === 'active'
  server.publish({ kind: 'account', did, body: { active, ...(!active && { status }) } })
}

/** The same in the words of Tap. */
export function tellTap(server: FakeTap, happening: Happening): void {
  if (happening.kind === 'record') return server.publishRecord(happening)
  const { did, handle, status } = happening
  server.publishIdentity({ did, handle, is_active: status === 'active', status })
}

/** Does it again and again; returns what ends that, which fails when the doing has failed. */
export function repeatedly(work: () => Promise<unknown>): () => Promise<void> {
  const stop = new AbortController()
  const working = (async () => {
    while (!stop.signal.aborted) await work()
  })()
  // It is told where its end is waited for.
  working.catch(() => {})
  return () => {
    stop.abort()
    return working
  }
}

const firstKey = Date.UTC(2026, 0, 1) * 1000
/** Of no record that is there. */
const strange: Strong = {
  uri: `at://did:plc:${'z'.repeat(24)}/${collections.source}/strange`,
  cid: otherCid,
}
