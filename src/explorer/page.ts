/** What a page is made of. */
import type { GraphQLSchema } from 'graphql'
import type { ChartRenderer } from './charts/chart-renderer.ts'
import type { Subjects } from './fields/subject.ts'
import type { Html } from './html.ts'
import type { Language } from './languages/language.ts'
import type { Operation } from '../ask/operation.ts'

/** What pages know besides their addresses. */
export interface Site {
  readonly schema: GraphQLSchema
  readonly subjects: Subjects
  readonly charts: Pick<ChartRenderer, 'draw'>
  /** The name of the service, in the head of each page. */
  readonly title: string
  readonly operator: SiteOperator
  /** Where scripts and styles are, with a slash at the end. */
  readonly assets: string
  /** Points that an operation costs; null for one that is refused for another reason, which its answer tells. */
  readonly price: (operation: Operation) => number | null
  /** The state of the index, which is read at most once in a second; null if it is not known. */
  readonly readIndex: () => Promise<IndexState | null>
}

/** What the operator says of the service. */
export interface SiteOperator {
  /** The path of the image at the head of pages. */
  readonly logo: string | null
  /** An address with `https:` or `mailto:`. */
  readonly contact: string | null
  /** Paragraphs on terms and provenance. */
  readonly note: readonly string[]
  /** The public address without a path, such as `https://news.example`. */
  readonly origin: string | null
  /** Hosts whose images pages may show: `*` for every one, `*.example.org` for all below one. */
  readonly imageHosts: readonly string[]
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
  }[]
}

/** When the newest record of the index was stored, as RFC 3339; null if that is not known. */
export function newestIndexed(index: IndexState | null): string | null {
  const times = index?.collections.map(({ newestIndexedAt }) => newestIndexedAt ?? 0n) ?? []
  const newest = times.reduce((one, other) => (one > other ? one : other), 0n)
  return newest === 0n ? null : instantOf(newest)
}

/** The last right time of records, in milliseconds since 1970: those after the newest of the index, or now, are wrong. */
export function lastTime(index: IndexState | null, now: number): number {
  return Math.min(now, Date.parse(newestIndexed(index) ?? '') || now)
}

/** `time`: microseconds since 1970. */
export function instantOf(time: bigint): string {
  return new Date(Number(time / 1000n)).toISOString()
}

export interface PageRequest {
  /** With slashes, decoded parts: `['c', 'tech.service.news.article']`. */
  readonly parts: readonly string[]
  readonly parameters: readonly (readonly [string, string])[]
  readonly language: Language
  /** The address without host, and without the parameter of the language. */
  readonly address: string
  /** The address of the service without a path, such as `https://news.example`. */
  readonly origin: string
  /** Maximum number of rows of the reader's files. */
  readonly exportRows: number
  /** Maximum price of an operation of the reader, in points. */
  readonly queryPoints: number
}

/** One operation, or several where one would cost too much. */
export type Asked = Operation | readonly Operation[]
export type Answer = Readonly<Record<string, unknown>>

/** A page before its data: what it asks, and how it shows the answer. */
export interface Draft {
  /** Absent for 200. */
  readonly status?: number
  readonly title: string
  /** The title, where it has names that only the answer tells; then the start of the page is sent without it. */
  readonly titleFrom?: (answer: Answer) => string
  /** A better address of the page, for one that a form has made. */
  readonly location?: string | null
  /** For search engines and previews of links; absent for that of the service. */
  readonly description?: string
  /** A function where it depends on the state of the index. */
  readonly operation: Asked | (() => Promise<Asked>) | null
  /** What is asked next, with what the answer says; the answers are added to it. */
  readonly more?: (answer: Answer) => readonly Operation[] | Promise<readonly Operation[]>
  /** Whether the page is shown without these answers where they fail. */
  readonly isMoreOptional?: boolean
  /** Whether it is for search engines: only unfiltered pages are. */
  readonly isIndexed?: boolean
  /** Whether pages of others may include it; it then has no frame. */
  readonly isEmbedded?: boolean
  /** The address of a feed of what the page shows. */
  readonly feed?: string | null
  /** What only the answer tells; such a page is sent as a whole, because its head depends on its data. */
  readonly known?: (answer: Answer) => Pick<Draft, 'status' | 'title' | 'description'>
  /** Seconds; null or absent for pages that are not asked for again. */
  readonly retryAfter?: number | null
  /** `index`: null if its state is not known. `leftOut`: says what optional answers lack for a while, in their place. */
  readonly render: (answer: Answer, index: IndexState | null, leftOut: Html) => Html | Promise<Html>
}

/** A file made of an answer, such as a feed or a chart as SVG, instead of a page. */
export interface FileDraft {
  /** The value of `Content-Type`. */
  readonly media: string
  readonly operation: Asked
  /** As of a page. */
  readonly more?: (answer: Answer) => readonly Operation[]
  /** The name under which a browser stores the file; absent for a file that browsers show. */
  readonly name?: string
  /** Null if there is no such file after all. `ask` gives what a further operation answers. */
  readonly write: (
    answer: Answer,
    ask: (operation: Asked) => Promise<Answer>,
    index: IndexState | null,
  ) => string | Promise<string | Uint8Array | null>
}
