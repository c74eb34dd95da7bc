/** Tests over a store of the notes of `records/notes.ts`: on every engine, each with a database of its own. */
import assert from 'node:assert/strict'
import type { BatchOutcome } from '../../../src/database/database.ts'
import type { MetadataStore } from '../../../src/database/metadata/sql-metadata-store.ts'
import {
  apply,
  noOutcome,
  noteDatabases,
  openNotes,
  put,
  rev,
  spot,
  spotOf,
  stoppedClock,
  visibleRecords,
} from '../records/notes.ts'
import { onEveryEngine } from './databases.ts'
import type { Engine } from './postgres.ts'
import type { TestStore } from './store.ts'

export const newUrl = noteDatabases()

export interface NoteTest {
  readonly engine: Engine
  readonly metadata: MetadataStore
  /** Stands still until it is told otherwise, where the test asks for one. */
  readonly clock: ReturnType<typeof stoppedClock>
}

type Holds = (store: TestStore, given: NoteTest) => Promise<void>

function onStores(open: (path: string, now: () => bigint) => Promise<TestStore>) {
  return (sentence: string, holds: Holds): void =>
    onEveryEngine(sentence, async (engine) => {
      const clock = stoppedClock()
      await using store = await open(await newUrl(engine), clock.now)
      await holds(store, { engine, metadata: store.metadata, clock })
    })
}

/** Of an empty store. */
export const onNotes = onStores((path) => openNotes(path))
/** Of an empty store whose clock stands still. */
export const onStoppedNotes = onStores(openNotes)
/** Of a store as `threeNotes` makes it. */
export const onThreeNotes = onStores((path) => threeNotes(path))

/** With notes a and b of the first account, and c of the second. */
export async function threeNotes(path: string): Promise<TestStore> {
  const store = await openNotes(path)
  const spots = [spot('a'), spot('b'), spot('c', 1)]
  await apply(store, ...spots.map((at) => put(store, at, 0, { rev: rev(1) })))
  return store
}

/** With notes k0, k1 and so on of the first account. */
export async function numberedNotes(path: string, count: number): Promise<TestStore> {
  const store = await openNotes(path)
  const notes = Array.from({ length: count }, (_, n) => put(store, spot(`k${n}`), n % 2, { rev: rev(n + 1) }))
  await apply(store, ...notes)
  return store
}

/** What is not named has not happened. */
export async function assertOutcome(
  outcome: BatchOutcome | Promise<BatchOutcome>,
  expected: Partial<BatchOutcome>,
): Promise<void> {
  assert.deepEqual(await outcome, { ...noOutcome, ...expected })
}

export function hide({ metadata }: TestStore, subject: string): Promise<number | null> {
  return metadata.hide({ subject, reason: 'A test.', hiddenBy: 'tester' })
}

export function show({ metadata }: TestStore, subject: string): Promise<number | null> {
  return metadata.unhide(subject, 'tester')
}

export function purge({ metadata }: TestStore, subject: string) {
  return metadata.purge({ subject, reason: 'A test.', purgedBy: 'tester' })
}

/** Record keys of what can be seen, sorted. */
export async function seen(store: TestStore): Promise<string[]> {
  return [...(await visibleRecords(store)).keys()].map((uri) => spotOf(uri).rkey).toSorted()
}
