/** Documents of lexicons with records and references in them, and what checking them tells. */
import assert from 'node:assert/strict'
import { buildLexicons, type LexiconProblem } from '../../../src/lexicon/lexicons.ts'

/** A document with these definitions; `main` is a record with these properties. */
export function recordDoc(id: string, properties: object, defs: object = {}) {
  const record = { type: 'object', properties }
  return { lexicon: 1, id, defs: { main: { type: 'record', key: 'any', record }, ...defs } }
}

export function problemsOf(documents: readonly object[], references?: unknown): readonly LexiconProblem[] {
  const files = documents.map((document, at) => ({ file: `${at}.json`, document }))
  const result = buildLexicons(files, references)
  return result.ok ? [] : result.problems
}

export function lexiconsOf(documents: readonly object[], references?: unknown) {
  const result = buildLexicons(
    documents.map((document, at) => ({ file: `${at}.json`, document })),
    references,
  )
  assert.ok(result.ok, JSON.stringify(result))
  return result.lexicons
}

export const ref = (to: string) => ({ type: 'ref', ref: to })
export const strongRef = ref('com.atproto.repo.strongRef')
export const text = { type: 'string' }
