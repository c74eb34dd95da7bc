/** Finds definitions in a set of lexicon documents by `a.b.c`, `a.b.c#def`, or `#def` within a document. */
import { isDeepStrictEqual } from 'node:util'
import type { LexArray, LexiconDoc, LexObject, LexUserType } from '@atproto/lexicon'

export type LexType = LexObject['properties'][string] | LexArray['items'] | LexUserType

export interface FoundDef {
  /** `a.b.c` for the main definition, otherwise `a.b.c#def`. */
  readonly origin: string
  readonly document: LexiconDoc
  readonly def: LexUserType
}

export interface DocumentSet {
  readonly documents: readonly LexiconDoc[]
}

/** The definition that a `ref` in the document `fromDocId` points to; null when there is none. */
export function resolveRef(set: DocumentSet, fromDocId: string, ref: string): FoundDef | null {
  return findDef(set, ref.startsWith('#') ? fromDocId + ref : ref)
}

/** The definition that `a.b.c` or `a.b.c#def` names; null when there is none. */
export function findDef(set: DocumentSet, origin: string): FoundDef | null {
  const [id = '', name = 'main', ...rest] = origin.split('#')
  const document = findDocument(set, id)
  if (document === null || rest.length > 0 || !Object.hasOwn(document.defs, name)) return null
  return { origin: name === 'main' ? id : `${id}#${name}`, document, def: document.defs[name]! }
}

export function findDocument({ documents }: DocumentSet, id: string): LexiconDoc | null {
  return documents.find((document) => document.id === id) ?? null
}

/** Whether the document's main definition is a record, so that the document defines a collection. */
export function isRecordLexicon({ defs }: LexiconDoc): boolean {
  return Object.hasOwn(defs, 'main') && defs['main']!.type === 'record'
}

export function collectionsOf({ documents }: DocumentSet): string[] {
  return documents.filter(isRecordLexicon).map(({ id }) => id)
}

/** The files at the root of a directory of lexicons that are not lexicon documents: reference targets. */
export const referencesFile = 'references.json'
/** Collections whose records are grouped into stories. */
export const storiesFile = 'stories.json'
/** How records are shown to people; its content has no meaning here. */
export const displayFile = 'display.json'

/** The only built-in lexicon: records of any set use it to refer to each other. */
export const strongRefLexicon: LexiconDoc = {
  lexicon: 1,
  id: 'com.atproto.repo.strongRef',
  description: 'A URI with a content-hash fingerprint.',
  defs: {
    main: {
      type: 'object',
      required: ['uri', 'cid'],
      properties: {
        uri: { type: 'string', format: 'at-uri' },
        cid: { type: 'string', format: 'cid' },
      },
    },
  },
}

/** Whether a document equals the built-in lexicon, ignoring descriptions. */
export function isStrongRefLexicon({ id, defs }: LexiconDoc): boolean {
  return id === strongRefLexicon.id && isDeepStrictEqual(bare(defs), bare(strongRefLexicon.defs))
}

function bare(defs: object): unknown {
  const text = JSON.stringify(defs, (key, value: unknown) => {
    if (key === 'description') return undefined
    return Array.isArray(value) ? value.toSorted() : value
  })
  return JSON.parse(text)
}

/** A `ref`, or one member of a `union`, with its position in the document. */
export interface RefSite {
  /** Such as `defs.main.record.properties.source.ref`. */
  readonly path: string
  readonly ref: string
  readonly within: 'an open union' | 'a closed union' | null
  /** Replaces the text of the reference; only for a document that the caller owns. */
  readonly replace: (ref: string) => void
}

/** Every reference of a document. A property named `type` is not mistaken for one, because its value is an object. */
export function* refSites(document: LexiconDoc): Generator<RefSite> {
  yield* sitesBelow(document.defs, 'defs')
}

function* sitesBelow(node: object, path: string): Generator<RefSite> {
  if ('type' in node && node.type === 'ref' && 'ref' in node && typeof node.ref === 'string') {
    yield { path: `${path}.ref`, ref: node.ref, within: null, replace: (ref) => (node.ref = ref) }
  } else if ('type' in node && node.type === 'union' && 'refs' in node && Array.isArray(node.refs)) {
    const refs: string[] = node.refs
    const within = 'closed' in node && node.closed === true ? 'a closed union' : 'an open union'
    for (const [at, ref] of refs.entries())
      yield { path: `${path}.refs.${at}`, ref, within, replace: (other) => (refs[at] = other) }
  } else {
    for (const [key, value] of Object.entries(node))
      if (typeof value === 'object' && value !== null) yield* sitesBelow(value, `${path}.${key}`)
  }
}
