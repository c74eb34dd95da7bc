/** Records that are changed in rounds, so that a backup shows whether it is the index as it was at one moment. */
import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Json } from '../../reference/shapes.ts'
import { openTestService } from '../service/service.ts'
import { openTestStore, recordLexicon } from '../store/store.ts'

export const collection = 'org.example.note'
export const properties: Json = {
  text: { type: 'string', maxGraphemes: 3000, maxLength: 30_000 },
  round: { type: 'integer' },
  tags: { type: 'array', items: { type: 'string' } },
}
export const lexicons: readonly Json[] = [recordLexicon(collection, properties)]

const uri = (rkey: string): string => `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/${collection}/${rkey}`

/** `padding` makes it long. */
export function note(rkey: string, round: number, padding = 'Wind') {
  return {
    uri: uri(rkey),
    value: { $type: collection, text: `${padding} round ${round}`, round, tags: [`r${round}`] },
  }
}

/** The round at whose end the database is, after 2,000 `old` records; fails when it is that of none. */
export async function roundOf(url: string, documents = lexicons): Promise<number> {
  await using service = await openTestService({ lexicons: documents, database: new URL(url) })
  const { all, changing, old, tagged } = await service.data(`{
    all: orgExampleNoteAggregate(groupBy: [round]) { count groupCount }
    changing: orgExampleNote(first: 100, where: {uri: {startsWith: "${uri('changing')}"}}) { nodes { round } }
    old: orgExampleNote(where: {text: {contains: "ROUND 0"}}) { totalCount }
    tagged: orgExampleNote(where: {tags: {has: "r1"}}) { totalCount }
  }`)
  const found = new Set<number>(changing.nodes.map(({ round }: Json) => round))
  assert.equal(changing.nodes.length, 20)
  assert.equal(found.size, 1)
  const [round = 0] = found
  assert.equal(all.count, 2000 + 20 + round)
  assert.equal(all.groupCount, round + 1)
  assert.equal(old.totalCount, 2000)
  assert.equal(tagged.totalCount, round === 1 ? 21 : 1)
  return round
}

/**
 * Loads the `old` records and then writes round after round until `work` is done; resolves to the number of rounds. A
 * round is a transaction: it changes all of `changing`, and adds a record.
 */
export async function whileWriting(
  path: string,
  work: () => Promise<unknown>,
  padding?: string,
): Promise<number> {
  await using store = await openTestStore({ path, lexicons })
  await store.load(Array.from({ length: 2000 }, (_, n) => note(`old${n}`, 0, padding)))
  let round = 0
  const write = async (): Promise<void> => {
    round += 1
    const changed = Array.from({ length: 20 }, (_, n) => note(`changing${n}`, round, padding))
    await store.apply(...changed, note(`new${round}`, round, padding))
  }
  await write()
  const done = new AbortController()
  const working = work().finally(() => done.abort())
  working.catch(() => undefined)
  while (!done.signal.aborted) {
    await write()
    await nextTurn()
  }
  await working
  return round
}
