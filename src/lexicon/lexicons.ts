/**
 * Builds a consistent set of lexicon documents, with its fingerprint: every reference resolves, every id is unique.
 * It must not know GraphQL or databases.
 */
import { hash } from 'node:crypto'
import { type LexiconDoc, lexiconDoc } from '@atproto/lexicon'
import { nearest } from '../util/text/nearest.ts'
import { type DocumentSet, findDef, findDocument, isRecordLexicon, isStrongRefLexicon } from './document.ts'
import {
  type RefSite,
  referencesFile,
  refSites,
  resolveRef,
  storiesFile,
  strongRefLexicon,
} from './document.ts'
import { invalidDocument, type Problem } from './invalid-document.ts'
import { buildTargets } from './references.ts'
import { buildStories, type Stories, storiesVersion } from './stories.ts'

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
  readonly revision: number | null
  /** sha-256 (hex) of the document, independent of its layout and key order. */
  readonly hash: string
}

/** A parsed JSON file, expected to be a lexicon document. */
export interface LexiconFile {
  readonly file: string
  readonly document: unknown
}

export interface LexiconProblem extends Problem {
  readonly file: string
}

export type LexiconResult =
  | { readonly ok: true; readonly lexicons: LexiconSet }
  | { readonly ok: false; readonly problems: readonly LexiconProblem[] }

/** Checks documents, reference targets and stories against each other; reports all problems together. */
export function buildLexicons(
  files: readonly LexiconFile[],
  references: unknown,
  given?: unknown,
): LexiconResult {
  const problems: LexiconProblem[] = []
  const { documents, origins, refused } = buildDocuments(files, problems)
  const set: DocumentSet = { documents }
  for (const document of documents) {
    const file = origins.get(document.id) ?? ''
    for (const site of refSites(document)) {
      const problem = checkRef(set, document, site, refused)
      if (problem !== null) problems.push({ file, ...problem })
    }
    problems.push(...endlessArrays(set, document).map((path) => ({ file, path, ...endlessArray })))
  }
  if (refused.size === 0 && !documents.some(isRecordLexicon)) problems.push(noRecords)
  const { targets, problems: targetProblems } = buildTargets(set, references, refused)
  problems.push(...targetProblems.map((problem) => ({ file: referencesFile, ...problem })))
  const { stories, problems: storyProblems } = buildStories(set, given, refused)
  problems.push(...storyProblems.map((problem) => ({ file: storiesFile, ...problem })))
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, lexicons: setOf(documents, targets, stories) }
}

const noRecords: LexiconProblem = {
  file: '',
  path: '',
  problem: 'No lexicon defines a record type, so there is nothing to serve.',
  remedy: 'Add a lexicon whose definition "main" is of type "record".',
}

/** Valid documents, sorted by id, their files, and the ids of invalid ones, references to which are no problems. */
function buildDocuments(files: readonly LexiconFile[], problems: LexiconProblem[]) {
  const byId = new Map([[strongRefLexicon.id, structuredClone(strongRefLexicon)]])
  const origins = new Map<string, string>()
  const refused = new Set<string>()
  for (const { file, document } of files) {
    const result = lexiconDoc.safeParse(document)
    if (!result.success) {
      for (const issue of result.error.issues)
        problems.push(...invalidDocument(document, issue).map((problem) => ({ file, ...problem })))
      const id: unknown =
        typeof document === 'object' && document !== null && 'id' in document ? document.id : null
      refused.add(typeof id === 'string' ? id : file)
      continue
    }
    const copy = structuredClone(document as LexiconDoc)
    // Libraries write `lex:a.b.c`, lexicons `a.b.c`.
    for (const { ref, replace } of refSites(copy)) if (ref.startsWith('lex:')) replace(ref.slice(4))
    const first = origins.get(copy.id)
    if (first !== undefined)
      problems.push({
        file,
        path: 'id',
        problem: `The id "${copy.id}" is already that of ${first}.`,
        remedy: 'Remove one of the two files, or give it an id of its own.',
      })
    else if (copy.id === strongRefLexicon.id && !isStrongRefLexicon(copy))
      problems.push({
        file,
        path: '',
        problem: `"${copy.id}" is built in, and this document says something else.`,
        remedy: 'Remove the file, or replace it by the published lexicon.',
      })
    else if (copy.id !== strongRefLexicon.id) byId.set(copy.id, copy)
    if (first === undefined) origins.set(copy.id, file)
  }
  const documents = [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return { documents, origins, refused }
}

function checkRef(
  set: DocumentSet,
  document: LexiconDoc,
  site: RefSite,
  refused: ReadonlySet<string>,
): Problem | null {
  const found = resolveRef(set, document.id, site.ref)
  const [id = ''] = (site.ref.startsWith('#') ? document.id : site.ref).split('#')
  if (found === null) return refused.has(id) ? null : unresolved(set, document, site, id)
  if (!unreferable.has(found.def.type)) return null
  return {
    path: site.path,
    problem: `"${site.ref}" is a ${found.def.type}, which is no type of data.`,
    remedy: 'Refer to an object, an array, a string or another type of data.',
  }
}

const unreferable: ReadonlySet<string> = new Set(['query', 'procedure', 'subscription', 'permission-set'])

function unresolved(set: DocumentSet, document: LexiconDoc, site: RefSite, id: string): Problem {
  const target = findDocument(set, id)
  const own = Object.keys(document.defs).map((name) => `#${name}`)
  const candidates =
    target === null
      ? [...set.documents.map((other) => other.id), ...own]
      : Object.keys(target.defs).map((name) =>
          site.ref.startsWith('#') ? `#${name}` : name === 'main' ? id : `${id}#${name}`,
        )
  const suggestion = nearest(site.ref, candidates)
  const missing = target === null ? 'no lexicon of that id is here' : `"${id}" has no such definition`
  const member = site.within === null ? '' : ` (a member of ${site.within})`
  const drop =
    site.within === 'an open union'
      ? ' or leave the member out: an open union accepts types it does not name'
      : ''
  return {
    path: site.path,
    problem: `"${site.ref}"${member} does not resolve: ${missing}.`,
    remedy: `${suggestion === null ? '' : `Did you mean "${suggestion}"? `}${target === null ? 'Add the lexicon' : 'Add the definition'}, or correct the reference${drop && `,${drop}`}.`,
  }
}

const endlessArray = {
  problem: 'This array can hold nothing but arrays of itself.',
  remedy: 'Let its items be an object, a union or a scalar.',
}

/** Paths of array definitions whose items refer back to themselves through arrays only. */
function endlessArrays(set: DocumentSet, document: LexiconDoc): string[] {
  return Object.keys(document.defs)
    .filter((name) => {
      const start = findDef(set, `${document.id}#${name}`)
      const seen = new Set<string>()
      for (let at = start; at !== null && at.def.type === 'array'; ) {
        if (seen.has(at.origin)) return at.origin === start!.origin
        seen.add(at.origin)
        const { items } = at.def
        at = items.type === 'ref' ? resolveRef(set, at.document.id, items.ref) : null
      }
      return false
    })
    .map((name) => `defs.${name}.items`)
}

/** `documents`: sorted by id in code point order. */
function setOf(
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
  const grouping =
    stories.size === 0 ? '' : `,"stories":${canonicalJson([storiesVersion, Object.fromEntries(stories)])}`
  // Equals `canonicalJson` of the whole object, without serializing the documents again.
  const whole = `{"documents":[${texts.join(',')}],"targets":${canonicalJson(Object.fromEntries(targets))}${grouping}}`
  return { documents, targets, stories, versions, fingerprint: hash('sha256', whole) }
}

/** JSON with the keys of every object in code unit order. */
function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`
}
