/** Owns the type of a checked set of lexicons and its fingerprint. `lexicons.ts` checks the set. */
import { hash } from 'node:crypto'
import type { LexiconDoc } from '@atproto/lexicon'
import { refSites } from './document.ts'
import { type Stories, storiesVersion } from './stories.ts'

export interface LexiconSet {
  /** Sorted by id in code point order; always includes com.atproto.repo.strongRef. */
  readonly documents: readonly LexiconDoc[]
  /** Declared reference targets: maps `nsid#path.of.properties` to collection NSIDs. */
  readonly targets: ReadonlyMap<string, readonly string[]>
  readonly stories: Stories
  /** One per document, in the order of `documents`. */
  readonly versions: readonly LexiconVersion[]
  /** sha-256 (hex) of the documents, targets and stories, independent of file layout and key order. */
  readonly fingerprint: string
}

export interface LexiconVersion {
  readonly nsid: string
  /** Null when the document has none. */
  readonly revision: number | null
  /** sha-256 (hex) of the document, independent of its layout and key order. */
  readonly hash: string
}

/** A copy whose references have no prefix: libraries write `lex:a.b.c`, lexicons `a.b.c`. */
export function ownCopy(document: LexiconDoc): LexiconDoc {
  const copy = structuredClone(document)
  for (const { ref, replace } of refSites(copy)) if (ref.startsWith('lex:')) replace(ref.slice(4))
  return copy
}

/** `documents`: sorted by id in code point order. */
export function setOf(
  documents: readonly LexiconDoc[],
  targets: ReadonlyMap<string, readonly string[]>,
  stories: Stories,
): LexiconSet {
  const texts = documents.map(canonicalJson)
  const versions = documents.map(({ id, revision }, index) => ({
    nsid: id,
    revision: revision ?? null,
    hash: hash('sha256', texts[index] as string),
  }))
  // Equals `canonicalJson` of the whole object, without serializing the documents again.
  const whole = `{"documents":[${texts.join(',')}],"targets":${canonicalJson(Object.fromEntries(targets))}${grouping(stories)}}`
  return { documents, targets, stories, versions, fingerprint: hash('sha256', whole) }
}

function grouping(stories: Stories): string {
  return stories.size === 0
    ? ''
    : `,"stories":${canonicalJson([storiesVersion, Object.fromEntries(stories)])}`
}

/** JSON with the keys of every object in code unit order. */
function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`
}
