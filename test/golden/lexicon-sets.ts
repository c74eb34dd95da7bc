/** Every set of lexicons that schemas are made of, and over which the tools have to work. */
import { schemas as networkDocuments } from '@atproto/api'
import type { Json, References } from '../reference/shapes.ts'
import { libraryLexicons, libraryReferences } from '../support/records/lexicons.ts'
import { newsLexicons, oddLexicons, siteLexicons, stressLexicons } from './corpora.ts'

export const lexiconSets: readonly (readonly [
  name: string,
  documents: readonly Json[],
  references: References,
  stories?: Json,
])[] = [
  ['news', newsLexicons.documents, newsLexicons.references, newsLexicons.stories],
  ['library', libraryLexicons as readonly Json[], libraryReferences],
  ['stress', stressLexicons.documents, stressLexicons.references],
  ['odd', oddLexicons.documents, oddLexicons.references],
  ['site-standard', siteLexicons.documents, siteLexicons.references],
  ['network', networkDocuments as readonly Json[], {}],
]
