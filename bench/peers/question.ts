/** What a system must say to be asked the bench's questions; README.md beside this file tells what each answer is. */

export const names = [
  'Q1',
  'Q2',
  'Q3 rare',
  'Q3 middling',
  'Q3 common',
  'Q3 none',
  'Q3 two characters',
  'Q4',
  'Q5',
  'Q6',
  'Q7',
  'Q8',
  'Q8 many',
  'Q9',
  'Q10',
  'Q11',
  'Q12',
  'Q12 many',
  'Q13',
  'Q14',
  'Q15',
  'Q16',
] as const
export type Name = (typeof names)[number]

// biome-ignore lint/suspicious/noExplicitAny: answers have the shape of each system's own schema.
export type Read = (data: any) => unknown

/** One document, asked again and again. */
export interface Question {
  /** A whole GraphQL document. */
  readonly query: string
  /** Brings the answer's data into the plain form. */
  readonly read: Read
}

/**
 * A page deep in a list. `page(null)` is asked first, then `page(next(data))`, until `pages` pages have been read;
 * what is measured is the page behind the last of those cursors.
 */
export interface DeepQuestion {
  readonly pages: number
  /** Document of one of the pages on the way. */
  readonly page: (cursor: string | null) => string
  readonly next: Read
  /** Document of the page that is measured. */
  readonly queryAfter: (cursor: string) => string
  readonly read: Read
}

/** The system cannot express the question. */
export interface Unable {
  readonly unable: string
}

export type Questions = Readonly<Record<Name, Question | DeepQuestion | Unable>>
