import type { LexiconDoc } from '@atproto/lexicon'

/** The only built-in lexicon: records of any set use it to refer to each other. */
export const strongRefLexicon = {
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
} as const satisfies { lexicon: 1; id: string; description: string; defs: object }

/** Whether a document equals the built-in lexicon, ignoring descriptions. */
export function isStrongRefLexicon(document: LexiconDoc): boolean {
  return document.id === strongRefLexicon.id && bare(document.defs) === bare(strongRefLexicon.defs)
}

function bare(defs: object): string {
  return JSON.stringify(defs, (key, value: unknown) => {
    if (key === 'description') return undefined
    if (Array.isArray(value)) return value.toSorted()
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
