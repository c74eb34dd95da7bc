/** Reviews of books by authors who live somewhere: collections whose sums are kept by what lies two references away. */
import type { Json, References } from '../../reference/shapes.ts'
import type { StoredLine } from '../service/engine.ts'
import { openTestStore, recordLexicon, type TestStore } from '../store/store.ts'

export const review = 'org.example.review'
export const book = 'org.example.book'
export const author = 'org.example.author'
export const place = 'org.example.place'

const strongRef = { type: 'ref', ref: 'com.atproto.repo.strongRef' }

/** A book is in between a review and an author, and a review between a book and an author. */
export const reviewLexicons: readonly Json[] = [
  recordLexicon(review, {
    stars: { type: 'integer', minimum: 0, maximum: 5 },
    mood: { type: 'integer', minimum: -2_000_000_000, maximum: -1_999_999_990 },
    far: { type: 'integer', minimum: 9_007_199_254_740_000, maximum: 9_007_199_254_740_009 },
    many: { type: 'integer', minimum: 0, maximum: 100_000 },
    book: strongRef,
    answers: strongRef,
    by: strongRef,
  }),
  recordLexicon(book, {
    pages: { type: 'integer', minimum: 1, maximum: 9_000 },
    author: { type: 'string', format: 'at-uri' },
    best: strongRef,
    prior: strongRef,
    either: strongRef,
    any: strongRef,
    more: { type: 'array', items: strongRef },
  }),
  recordLexicon(author, {
    country: { type: 'string', minLength: 2, maxLength: 2 },
    mentor: strongRef,
    book: strongRef,
    home: strongRef,
  }),
  recordLexicon(place, { name: { type: 'string' } }),
]

export const reviewReferences: References = {
  [`${review}#book`]: [book],
  [`${review}#answers`]: [review],
  [`${review}#by`]: [author],
  [`${book}#author`]: [author],
  [`${book}#best`]: [review],
  [`${book}#prior`]: [book],
  [`${book}#either`]: [review, author],
  [`${book}#more`]: [author],
  [`${author}#mentor`]: [author],
  [`${author}#book`]: [book],
  [`${author}#home`]: [place],
}

const cid = 'bafyreibjk2zm52hfizr454i2vrctndr2q2oimlwxu36s3or2icabptr6by'
const [here, there] = ['did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', 'did:web:b.example']

export function link(collection: string, rkey: string, did = here) {
  return { uri: `at://${did}/${collection}/${rkey}`, cid }
}

/** In the first repository; what it refers to may be in the other. */
export function reviewLine(collection: string, rkey: string, value: Json): StoredLine {
  return { uri: link(collection, rkey).uri, value: { $type: collection, ...value } }
}

/** An author of one book in the other repository, and reviews before it and after, one of a book that is not there. */
export const reviewLines: readonly StoredLine[] = [
  reviewLine(review, '1', { stars: 2, book: link(book, '1') }),
  reviewLine(book, '1', { pages: 9, author: link(author, '1', there).uri }),
  reviewLine(review, '2', { stars: 5, book: link(book, '1') }),
  reviewLine(review, '3', { book: link(book, '1') }),
  reviewLine(review, '4', { stars: 1, book: link(book, '2') }),
]

/** The book that was missing, of the same author. */
export const laterReviewLines: readonly StoredLine[] = [
  reviewLine(book, '2', { author: link(author, '1', there).uri }),
]

export function openReviews(path: string, lexicons: readonly Json[] = reviewLexicons): Promise<TestStore> {
  return openTestStore({ path, lexicons, references: reviewReferences })
}
