/** Hiding, showing and purging notes, and which of them can be seen. */
import type { TestStore } from '../store/store.ts'
import { apply, note, openNotes, put, rev, spot, visibleRecords } from './notes.ts'

/** With notes a and b of the first account, and c of the second. */
export async function filledAt(path: string): Promise<TestStore> {
  const store = await openNotes(path)
  const spots = [spot('a'), spot('b'), spot('c', 1)]
  await apply(store, ...spots.map((at) => put(store, at, 0, { rev: rev(1) })))
  return store
}

export function hide({ database }: TestStore, subject: string): Promise<number | null> {
  return database.write.metadata.hide({ subject, reason: 'A test.', hiddenBy: 'tester' })
}

export function show({ database }: TestStore, subject: string): Promise<number | null> {
  return database.write.metadata.unhide(subject, 'tester')
}

export function purge({ database }: TestStore, subject: string) {
  return database.write.metadata.purge({ subject, reason: 'A test.', purgedBy: 'tester' })
}

/** Record keys of the notes that can be seen. */
export async function seen(store: TestStore): Promise<string[]> {
  const uris = [...(await visibleRecords(store)).keys()].filter((uri) => uri.includes(`/${note}/`))
  return uris.map((uri) => uri.split('/').at(-1) ?? '').toSorted()
}
