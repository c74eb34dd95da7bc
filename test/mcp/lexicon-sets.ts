/** Every set of lexicons over which the tools have to work. */
import { schemas as networkDocuments } from '@atproto/api'
import { newsLexicons, readLexiconFolder, stressLexicons } from '../golden/corpora.ts'
import type { Json, References } from '../reference/shapes.ts'
import { libraryLexicons, libraryReferences } from '../support/records/lexicons.ts'

export const standardLexicons = readLexiconFolder(
  new URL('../schemas/site-standard/lexicons/', import.meta.url),
)

export const lexiconSets: readonly (readonly [
  name: string,
  documents: readonly Json[],
  references: References,
  stories?: Json,
])[] = [
  ['news', newsLexicons.documents, newsLexicons.references, newsLexicons.stories],
  ['library', libraryLexicons as readonly Json[], libraryReferences],
  ['stress', stressLexicons.documents, stressLexicons.references],
  ['site-standard', standardLexicons.documents, standardLexicons.references],
  ['network', networkDocuments as readonly Json[], {}],
]
