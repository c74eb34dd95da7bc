/** Outlets that keep writing on a Jetstream, and what an index that follows it must hold and have counted. */
import { type FakeJetstream, startFakeJetstream } from '../network/fake-jetstream.ts'
import { createDice, membersOf, type Publication } from '../network/fake-server.ts'
import { didOf, tid } from '../network/follow.ts'
import type { Records } from '../network/support-index.ts'
import { collections, outlet } from '../network/support-news.ts'
import { repeatedly } from '../network/support-publisher.ts'
import { moment } from '../support/until.ts'

export interface Outlets extends AsyncDisposable {
  /** As `--from` takes it. */
  readonly source: string
  readonly server: FakeJetstream
  /** By URI. */
  readonly records: Records
  /** What comes of all events when each is applied once, however often it is told. */
  readonly counts: Readonly<Record<'stored' | 'updated' | 'deleted', number>>
  /** From now on they write, which nobody follows who comes later and has no cursor. */
  readonly begin: () => void
  /** Resolves when nothing is written any more. */
  readonly rest: () => Promise<void>
}

const accounts = 5
const keysOfEach = 20
/** Milliseconds between some writes, and how many these are at most. */
const interval = 50
const atOnce = 5

export async function startOutlets(seed: number): Promise<Outlets> {
  const dice = createDice(seed)
  const faults = { duplicate: 0.05, reorder: 0.2, garbage: 0.01 }
  const server = await startFakeJetstream({ seed, faults })
  const records = new Map<string, { readonly cid: string; readonly value: object }>()
  const counts = { stored: 0, updated: 0, deleted: 0 }
  let commits = 0

  const write = (): void => {
    const did = didOf(Math.floor(dice.draw() * accounts))
    const rkey = `outlet-${Math.floor(dice.draw() * keysOfEach)}`
    const uri = `at://${did}/${collections.source}/${rkey}`
    const isThere = records.has(uri)
    commits += 1
    // No two of them are alike, so that each counts.
    const record = isThere && dice.chance(0.2) ? null : outlet(`Outlet ${commits}`)
    const rev = tid(firstRev + commits)
    const publication: Publication = {
      did,
      collection: collections.source,
      rkey,
      rev,
      record,
      update: isThere,
    }
    counts[record === null ? 'deleted' : isThere ? 'updated' : 'stored'] += 1
    if (record === null) records.delete(uri)
    else records.set(uri, { cid: String(membersOf(publication)['cid']), value: record })
    server.publishRecord(publication)
  }
  let rest = async (): Promise<void> => {}
  return {
    source: `jetstream:${server.url}`,
    server,
    records,
    counts,
    begin: () => {
      rest = repeatedly(async () => {
        for (let left = Math.ceil(atOnce * dice.draw()); left > 0; left -= 1) write()
        await moment(interval)
      })
    },
    rest: () => rest(),
    [Symbol.asyncDispose]: async () => {
      await rest()
      await server[Symbol.asyncDispose]()
    },
  }
}

const firstRev = Date.UTC(2026, 0, 1) * 1000
