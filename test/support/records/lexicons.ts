/**
 * Four collections with every kind of field, for tests that draw records and questions at random. A library on purpose:
 * nothing in the program may know about news. `share` of a review clashes with a field of groups, which are by
 * `record_share`; `mention` and `about` of a book have no declared target: any record may be at the other end.
 */
import { readFileSync } from 'node:fs'
import type { Json, References, Stories } from '../../reference/shapes.ts'

const folder = new URL('../../schemas/library/lexicons/', import.meta.url)
const read = (name: string): Json => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))

export const collections = {
  book: 'org.example.library.book',
  person: 'org.example.library.person',
  publisher: 'org.example.library.publisher',
  review: 'org.example.library.review',
} as const

/** Records may refer to those of collections before theirs. */
export const libraryLexicons: readonly Json[] = ['publisher', 'person', 'book', 'review'].map(read)
export const libraryReferences: References = read('references')
/** For the random questions: records are grouped by `story` too. */
export const libraryStories: Stories = read('stories')
