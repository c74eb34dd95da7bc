/**
 * The lexicons of a directory as they are if nothing is wrong with them, at a tenth of what it takes to check that. They
 * are for whoever finds their fingerprint where it is written for lexicons that were checked: any other that is not
 * whole has another fingerprint.
 */
import type { LexiconDoc } from '@atproto/lexicon'
import { builtIn, type LexiconSet, ownCopy, setOf, sortById } from './lexicon-set.ts'
import { type LexiconDirectory, readDirectory } from './read-directory.ts'
import { isStrongRefLexicon, strongRefLexicon } from './strong-ref.ts'

/** Null when something is wrong that the fingerprint would not tell. */
export async function readUnchecked(dir: string): Promise<LexiconSet | null> {
  const found = await readDirectory(dir)
  if (typeof found === 'string' || found.unreadable.length > 0) return null
  try {
    return assemble(found)
  } catch {
    // What is no lexicon may not have what is looked for in one.
    return null
  }
}

function assemble({ files, references }: LexiconDirectory): LexiconSet | null {
  const targets = targetsOf(references)
  const documents = new Map<string, LexiconDoc>()
  for (const { document } of files) {
    const copy = ownCopy(document as LexiconDoc)
    if (documents.has(copy.id)) return null
    documents.set(copy.id, copy)
  }
  const strongRef = documents.get(strongRefLexicon.id)
  if (targets === null || (strongRef !== undefined && !isStrongRefLexicon(strongRef))) return null
  documents.set(strongRefLexicon.id, builtIn())
  return setOf(sortById(documents.values()), targets)
}

function targetsOf(references: unknown): ReadonlyMap<string, readonly string[]> | null {
  if (references === undefined) return new Map()
  if (typeof references !== 'object' || references === null || Array.isArray(references)) return null
  const entries = Object.entries(references).toSorted(([a], [b]) => (a < b ? -1 : 1))
  if (!entries.every(([, targets]) => Array.isArray(targets))) return null
  return new Map(entries.map(([key, targets]) => [key, [...new Set<string>(targets)]]))
}
