/** Stores of the collections in `notes.ts`, over databases of their own: empty, or with notes of an account. */
import type { Engine } from '../store/postgres.ts'
import type { TestStore } from '../store/store.ts'
import { apply, noteDatabases, openNotes, put, rev, spot } from './notes.ts'

export const newUrl = noteDatabases()

export async function open(database: Engine): Promise<TestStore> {
  return openNotes(await newUrl(database))
}

/** With notes k0, k1 and so on of the first account. */
export async function filled(database: Engine, count: number): Promise<TestStore> {
  return filledAt(await newUrl(database), count)
}

export async function filledAt(path: string, count: number): Promise<TestStore> {
  const store = await openNotes(path)
  const notes = Array.from({ length: count }, (_, n) => put(store, spot(`k${n}`), n % 2, { rev: rev(n + 1) }))
  await apply(store, ...notes)
  return store
}
