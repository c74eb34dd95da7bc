/** Outlets that a stream brings to a program that follows it, for tests of what happens beside. */
import assert from 'node:assert/strict'
import type { FakeJetstream } from './fake-jetstream.ts'
import { didOf, tid } from './follow.ts'
import type { Service } from './service.ts'
import { collections, outlet } from './support-news.ts'

/** Settings of a program that asks nobody about accounts. */
export const asksNobody = {
  LEXIGRAPH_PLC: 'http://127.0.0.1:1',
  LEXIGRAPH_HANDLE_RESOLVER: 'http://127.0.0.1:1',
}

/** The outlet of that number, of one of three accounts. */
export function publishOutlet(network: FakeJetstream, number: number): void {
  network.publishRecord({
    did: didOf(number % 3),
    collection: collections.source,
    rkey: `r${number}`,
    rev: tid(number + 1),
    record: outlet(`Outlet ${number}`),
  })
}

/** Publishes one version of an outlet after the other. */
export function createTeller(network: FakeJetstream): (did: string, rkey: string, name: string) => void {
  let at = Date.now() * 1_000
  const known = new Set<string>()
  return (did, rkey, name) => {
    at += 1
    const update = known.has(did + rkey)
    known.add(did + rkey)
    network.publishRecord({
      did,
      collection: collections.source,
      rkey,
      rev: tid(at),
      record: outlet(name),
      update,
    })
  }
}

/** The names of all outlets that are served, sorted. */
export async function outletNames(service: Service): Promise<readonly string[]> {
  const { techServiceNewsSource } = await service.query(
    '{ techServiceNewsSource { totalCount nodes { displayName } } }',
  )
  assert.equal(techServiceNewsSource.totalCount, techServiceNewsSource.nodes.length)
  return techServiceNewsSource.nodes.map((node: { displayName: string }) => node.displayName).toSorted()
}
