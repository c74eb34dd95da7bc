/** Hiding and purging notes, and which of them can be seen. */
import type { TestStore } from '../store/store.ts'
import { note, visibleRecords } from './notes.ts'

export function hide({ database }: TestStore, subject: string): Promise<number | null> {
  return database.write.metadata.hide({ subject, reason: 'A test.', hiddenBy: 'tester' })
}

export function purge({ database }: TestStore, subject: string) {
  return database.write.metadata.purge({ subject, reason: 'A test.', purgedBy: 'tester' })
}

/** Record keys of the notes that can be seen. */
export async function seen(store: TestStore): Promise<string[]> {
  const uris = [...(await visibleRecords(store)).keys()].filter((uri) => uri.includes(`/${note}/`))
  return uris.map((uri) => uri.split('/').at(-1) ?? '').toSorted()
}
