/** What a page is made of. */
import type { GraphQLSchema } from 'graphql'
import type { Subjects } from './fields/subject.ts'
import type { Html } from './html.ts'
import type { Language } from './languages/language.ts'
import type { Operation } from './operation.ts'

/** What pages know besides their addresses. */
export interface Site {
  readonly schema: GraphQLSchema
  readonly subjects: Subjects
  /** The name of the service, in the head of each page. */
  readonly title: string
  /** Where scripts and styles are, with a slash at the end. */
  readonly assets: string
  /** The state of the index, which is read at most once in a second. */
  readonly readIndex: () => Promise<IndexState>
}

export interface IndexState {
  readonly collections: readonly {
    readonly name: string
    readonly records: number
    /** Microseconds since 1970; null without records. */
    readonly newestIndexedAt: bigint | null
  }[]
  readonly sources: readonly {
    readonly name: string
    readonly state: string
    readonly lagSeconds: number | null
  }[]
}

export interface PageRequest {
  /** With slashes, decoded parts: `['c', 'tech.service.news.article']`. */
  readonly parts: readonly string[]
  readonly parameters: readonly (readonly [string, string])[]
  readonly language: Language
  /** The address without host, and without the parameter of the language. */
  readonly address: string
}

export type Answer = Readonly<Record<string, unknown>>

/** A page before its data: what it asks, and how it shows the answer. */
export interface Draft {
  readonly status: 200 | 400 | 404
  readonly title: string
  /** Null where the page needs no data. */
  readonly operation: Operation | null
  /** Only unfiltered pages are for search engines. */
  readonly isIndexed: boolean
  readonly render: (answer: Answer) => Html | Promise<Html>
}
