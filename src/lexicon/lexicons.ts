/**
 * A set of lexicon documents that is known to be whole: every reference resolves, every id is unique.
 * The floor everything else stands on; it knows nothing of GraphQL or of databases.
 */
import type { LexiconDoc } from '@atproto/lexicon'

export interface LexiconSet {
  /** By id, in code point order; com.atproto.repo.strongRef is always among them. */
  readonly documents: readonly LexiconDoc[]
  /** Declared reference targets: `nsid#path.of.properties` to collection NSIDs. */
  readonly targets: ReadonlyMap<string, readonly string[]>
  /** sha-256 (hex) over the documents and targets, independent of file layout and key order. */
  readonly fingerprint: string
}

/** One thing wrong with the lexicons: where, what, and what to do about it. */
export interface LexiconProblem {
  readonly file: string
  /** Path in the document, such as `defs.main.record.properties.title`; empty for the whole file. */
  readonly path: string
  readonly problem: string
  readonly remedy: string
}
