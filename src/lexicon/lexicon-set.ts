/**
 * What lexicons are to everything above, once they are known to be whole, and the fingerprint they are known by.
 * Whether they are whole is judged elsewhere.
 */
import { createHash } from 'node:crypto'
import type { LexiconDoc } from '@atproto/lexicon'
import { refSites } from './document.ts'
import { strongRefLexicon } from './strong-ref.ts'

export interface LexiconSet {
  /** By id, in code point order; com.atproto.repo.strongRef is always among them. */
  readonly documents: readonly LexiconDoc[]
  /** Declared reference targets: `nsid#path.of.properties` to collection NSIDs. */
  readonly targets: ReadonlyMap<string, readonly string[]>
  /** Of each document, in their order. */
  readonly versions: readonly LexiconVersion[]
  /** sha-256 (hex) over the documents and targets, independent of file layout and key order. */
  readonly fingerprint: string
}

export interface LexiconVersion {
  readonly nsid: string
  /** As the document names it; null when it names none. */
  readonly revision: number | null
  /** sha-256 (hex) over what the document says, independent of its layout and key order. */
  readonly hash: string
}

/** The lexicon that is built in, as a copy of its own. */
export function builtIn(): LexiconDoc {
  return structuredClone<LexiconDoc>(strongRefLexicon as never)
}

/** Libraries write references as `lex:a.b.c`; lexicons write `a.b.c`. */
export function ownCopy(document: LexiconDoc): LexiconDoc {
  const copy = structuredClone(document)
  for (const { ref, replace } of refSites(copy)) if (ref.startsWith('lex:')) replace(ref.slice(4))
  return copy
}

export function sortById(documents: Iterable<LexiconDoc>): LexiconDoc[] {
  return [...documents].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** Documents by id in code point order. */
export function setOf(
  documents: readonly LexiconDoc[],
  targets: ReadonlyMap<string, readonly string[]>,
): LexiconSet {
  const texts = documents.map(canonicalJson)
  const versions = documents.map(({ id, revision }, index) => ({
    nsid: id,
    revision: revision ?? null,
    hash: sha256(texts[index] as string),
  }))
  // The same text as of all documents at once.
  const whole = `{"documents":[${texts.join(',')}],"targets":${canonicalJson(Object.fromEntries(targets))}}`
  return { documents, targets, versions, fingerprint: sha256(whole) }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** JSON with the keys of every object in code unit order. */
function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`
}
