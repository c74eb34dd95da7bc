/** A collection of things, with or without a size, for tests of what becomes of databases when lexicons change. */
import type { Json } from '../../reference/shapes.ts'
import type { StoredLine } from '../service/engine.ts'
import { openTestStore, recordLexicon, type TestStore } from '../store/store.ts'

export const size = { size: { type: 'integer' } }

export function thing(properties: Json, id = 'org.example.thing'): Json {
  return recordLexicon(id, properties)
}

export function thingUri(key: string, collection = 'org.example.thing'): string {
  return `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/${collection}/${key}`
}

export function line(
  key: string,
  value: Json,
  more: { rev?: string; indexedAt?: string } = {},
  collection = 'org.example.thing',
): StoredLine {
  return { uri: thingUri(key, collection), ...more, value: { $type: collection, ...value } }
}

/** Opens the database, imports the lines and closes it. */
export async function fill(
  path: string,
  lexicons: readonly Json[],
  lines: readonly StoredLine[],
): Promise<void> {
  await using store = await openTestStore({ path, lexicons })
  await store.load(lines)
}

export function open(path: string, lexicons: readonly Json[]): Promise<TestStore> {
  return openTestStore({ path, lexicons })
}
