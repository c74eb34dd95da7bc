/** The lexicons of the stress set, their readers, and a record that they accept. */
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { loadLexicons } from '../../../src/lexicon/load.ts'
import { createLineReader, createRecordReader } from '../../../src/lexicon/records/validate.ts'

export const stress = fileURLToPath(new URL('../../schemas/stress/', import.meta.url))
const loaded = await loadLexicons(`${stress}lexicons`)
assert.ok(loaded.ok, JSON.stringify(loaded))
export const readLine = createLineReader(loaded.lexicons)
export const readRecord = createRecordReader(loaded.lexicons)

export const did = 'did:plc:stressstressstressstres2'
export const uri = `at://${did}/example.stress.everything/3mz5s6rqspk2a`
export const node = `at://${did}/example.stress.node/root`

/** A valid record with these properties besides. */
export function everything(more: object = {}) {
  return { $type: 'example.stress.everything', text: 'x', createdAt: '2026-11-16T13:00:00Z', ...more }
}

/** Why it is refused, null if it is not. */
export function reasonFor(line: unknown): string | null {
  const reading = readRecord(line)
  return reading.ok ? null : reading.reason
}
