/** Finds the page of an address, asks what it needs, and renders it. */
import { setImmediate } from 'node:timers/promises'
import type { EndpointAnswer, EndpointFault, EndpointQuestion } from '../endpoint/endpoint.ts'
import { fileFormats } from '../files/file-spec.ts'
import { isDid, recordAddress } from './addresses.ts'
import { type Html, toText } from './html.ts'
import { chooseLanguage, languages } from './languages/language.ts'
import type { PageSubject } from './fields/subject.ts'
import type { Answer, Asked, Draft, FileDraft, IndexState, PageRequest, Site } from './page.ts'
import { accountPage } from './pages/account.ts'
import { chartDrawing, chartsPage, chartValues, embeddedChart } from './pages/charts.ts'
import { collectionPage, embeddedList } from './pages/collection.ts'
import { leftOutNote, notFoundPage, problemPage, refusedPage } from './pages/failure.ts'
import { facetsPage } from './pages/facets.ts'
import { feedPage } from './pages/feed.ts'
import { filterPage } from './pages/filter.ts'
import { homePage } from './pages/home.ts'
import { recordPage } from './pages/record.ts'
import { searchPage } from './pages/search.ts'
import { topicPage } from './pages/topic.ts'
import { frameEnd, frameHead, frameStart } from './parts/frame.ts'
import { nsidOfSitemap, recordsSitemap, robotsText, type Sitemap, sitemapText } from './robots.ts'
import { unknownChoice } from './view/problem.ts'
import { queryText } from './view/view.ts'

export interface ExplorerRequest extends Pick<PageRequest, 'parameters' | 'exportRows' | 'queryPoints'> {
  /** Without query. */
  readonly path: string
  /** The header `Accept-Language`. */
  readonly accepted: string | undefined
  /** The address that the reader knows the service by, without a path. */
  readonly origin: string
  /** Why the reader is not let in; null for a reader who is. */
  readonly refusal: EndpointFault | null
}

/** Sends the operation on behalf of the reader. */
export type Ask = (question: EndpointQuestion) => Promise<EndpointAnswer>

export type Timed = <Result>(work: () => Result) => Result
const untimed: Timed = (work) => work()

export interface OpenPage {
  readonly status: number
  /** BCP 47. */
  readonly language: string
  /** A better address of the page, to which the reader is sent instead; null if it has none. */
  readonly location: string | null
  /** Whether pages of others may include it. */
  readonly isEmbedded: boolean
  /** The beginning of the page, which needs no data and is sent first; blank where the page is sent as a whole. */
  readonly start: string
  /** The rest of the page; asks when called. Work is done in `timed`, which measures how long it blocks the thread. */
  readonly finish: (ask: Ask, timed?: Timed) => Promise<FinishedPage>
}

export interface FinishedPage {
  /** Of the whole page, if its start has not been sent yet. */
  readonly status: number
  /** The value of `Content-Type`. */
  readonly media: string
  /** The name under which a browser stores the file; null for a page or file that browsers show. */
  readonly name: string | null
  /** The start with what the answer tells, such as the title of a failure; blank for a file. */
  readonly start: string
  readonly rest: string | Uint8Array
  /** Seconds after which the same address has more; null where it has all. */
  readonly retryAfter: number | null
}

export type Explorer = ReturnType<typeof createExplorer>

export function createExplorer(given: Site) {
  // What pages say of the index is left out where its state cannot be read.
  const site: Site = { ...given, readIndex: () => given.readIndex().catch(() => null) }
  const robots = robotsText(site)
  return {
    /** The text of `robots.txt`. */
    robots: () => robots,
    /** XML; null where the public address is not known. */
    async sitemap(which: Sitemap): Promise<string | null> {
      return sitemapText(site, which, await site.readIndex())
    },
    open(asked: ExplorerRequest): OpenPage {
      const { path, parameters, accepted, origin, refusal, exportRows, queryPoints } = asked
      const chosen = parameters.findLast(([name]) => name === 'lang')?.[1] ?? null
      const language = chooseLanguage(chosen, accepted)
      const own = parameters.filter(([name]) => name !== 'lang')
      const query = queryText(own)
      // What begins with two slashes leads to another host.
      const localPath = path.replace(/^\/+/, '/')
      const request: PageRequest = {
        parts: partsOf(path),
        parameters: own,
        language,
        address: query === '' ? localPath : `${localPath}?${query}`,
        origin: site.operator.origin ?? origin,
        exportRows,
        queryPoints,
      }
      const draft =
        refusal === null
          ? (unknownLanguage(chosen, request) ?? draftOf(site, request))
          : refusedPage(refusal, request)
      return 'media' in draft ? openFile(draft, request, site) : openPage(draft, request, site)
    },
  }
}

function openPage(draft: Draft, request: PageRequest, site: Site): OpenPage {
  const { status = 200, isIndexed = false, isEmbedded = false, feed = null } = draft
  const isWhole = draft.known !== undefined || isRefused(draft, request, site)
  const early = draft.titleFrom === undefined ? frameStart : frameHead
  return {
    status,
    language: request.language.tag,
    location: draft.location ?? null,
    isEmbedded,
    start: isWhole ? '' : early(request, site, draft),
    async finish(ask, timed = untimed) {
      const { html, known, index } = await complete(draft, request, site, ask, timed)
      const { status = 200 } = known
      const shown = { ...known, feed, isEmbedded, isIndexed: isIndexed && status === 200 }
      return {
        status,
        media: 'text/html; charset=utf-8',
        name: null,
        start: frameStart(request, site, shown),
        rest: html + frameEnd(request, site, isEmbedded, index),
        retryAfter: known.retryAfter ?? null,
      }
    },
  }
}

/**
 * Whether the service refuses an operation of the page, such as a search without words or one that costs too much: the
 * page then waits for the answer, to have its status. An address without parameters asks for nothing that is refused.
 */
function isRefused({ operation }: Draft, { parameters, queryPoints }: PageRequest, { price }: Site): boolean {
  if (parameters.length === 0 || operation === null || typeof operation === 'function') return false
  return [operation].flat().some((each) => (price(each) ?? Number.POSITIVE_INFINITY) > queryPoints)
}

/** Null for a language that there is, or none. */
function unknownLanguage(chosen: string | null, request: PageRequest): Draft | null {
  if (chosen === null || chosen.trim() === '' || request.language.isChosen) return null
  const choices = languages.map(({ tag }) => tag)
  const problem = unknownChoice('lang', chosen, choices)
  return {
    ...problemPage([problem], request.language.text.wrongAddress, request),
    isEmbedded: request.parts[0] === 'embed',
  }
}

function openFile(draft: FileDraft, request: PageRequest, site: Site): OpenPage {
  const { media, name = null, operation, more, write } = draft
  const status = 200
  return {
    status,
    language: request.language.tag,
    location: null,
    isEmbedded: false,
    start: '',
    async finish(ask, timed = untimed) {
      let failure = notFoundPage(request)
      try {
        const first = await answerTo(operation, ask)
        const answer = { ...first, ...(await answerTo(more?.(first) ?? [], ask)) }
        const index = await site.readIndex()
        const rest = await timed(() => write(answer, (each) => answerTo(each, ask), index))
        if (rest !== null) return { status, media, name, start: '', rest, retryAfter: null }
      } catch (error) {
        if (!(error instanceof FailedOperation)) throw error
        failure = refusedPage(error.cause, request)
      }
      return openPage(failure, request, site).finish(ask, timed)
    },
  }
}

/** Its cause is the fault; null if the answer names none. */
class FailedOperation extends Error {
  declare readonly cause: EndpointFault | null
}

async function complete(
  draft: Draft,
  request: PageRequest,
  site: Site,
  ask: Ask,
  timed: Timed,
): Promise<{ readonly html: string; readonly index: IndexState | null; readonly known: Draft }> {
  const operation = typeof draft.operation === 'function' ? await draft.operation() : draft.operation
  try {
    const first = await answerTo(operation ?? [], ask)
    let leftOut: Html = null
    let { retryAfter = null } = draft
    const onFault = (fault: EndpointFault | null) => {
      const note = leftOutNote(fault, request)
      leftOut = note ?? leftOut
      if (note !== null) retryAfter = Math.max(retryAfter ?? 1, fault?.retryAfter ?? 1)
    }
    const asked = (await draft.more?.(first)) ?? []
    const further = await answerTo(asked, ask, draft.isMoreOptional === true ? onFault : undefined)
    const data = { ...first, ...further }
    const index = await site.readIndex()
    const content = await timed(() => draft.render(data, index, leftOut))
    // Of a large chart, making and printing the page take some 10 ms each.
    await setImmediate()
    return {
      html: timed(() => toText(content)),
      index,
      // With what only the answer tells.
      known: {
        ...draft,
        retryAfter,
        ...(draft.known?.(data) ?? { title: draft.titleFrom?.(data) ?? draft.title }),
      },
    }
  } catch (error) {
    if (!(error instanceof FailedOperation)) throw error
    return complete(refusedPage(error.cause, request), request, site, ask, timed)
  }
}

/** Operations are asked one after the other: a reader may have few at a time. With `onFault`, those that fail are left out. */
async function answerTo(
  asked: Asked,
  ask: Ask,
  onFault?: (fault: EndpointFault | null) => void,
): Promise<Answer> {
  let answer: Answer = {}
  for (const operation of [asked].flat()) {
    const { data, errors } = await ask(operation)
    const fault = errors[0] ?? null
    if (data !== null && fault === null) answer = { ...answer, ...data }
    else if (onFault === undefined) throw new FailedOperation(fault?.message, { cause: fault })
    else onFault(fault)
  }
  return answer
}

/** By the part of the address after the collection's name. */
type CollectionPage = (site: Site, subject: PageSubject, request: PageRequest) => Draft | FileDraft
const collectionPages: ReadonlyMap<string, CollectionPage> = new Map<string, CollectionPage>([
  ['', collectionPage],
  ['charts', chartsPage],
  ['chart.svg', chartDrawing],
  ...fileFormats.map((format) => [`chart.${format}`, chartValues(format)] as const),
  ['facets', facetsPage],
  ['filter', filterPage],
  ['topic', topicPage],
  ['feed.atom', feedPage],
])

function draftOf(site: Site, request: PageRequest): Draft | FileDraft {
  const [first, second, third = '', fourth, ...rest] = request.parts
  if (first === undefined) return homePage(site, request)
  if (first === 'search' && second === undefined) return searchPage(site, request)
  const { origin } = site.operator
  const listed = second === undefined && origin !== null ? nsidOfSitemap(first) : null
  const crawled = listed === null ? null : site.subjects.of(listed)
  if (crawled !== null && origin !== null) return recordsSitemap(site, crawled, origin)
  if (first === 'c' && second !== undefined && fourth === undefined) {
    const subject = site.subjects.of(second)
    const page = collectionPages.get(third)
    if (subject !== null && page !== undefined) return page(site, subject, request)
  }
  if (first === 'embed' && second === 'c' && rest.length === 0) {
    const subject = site.subjects.of(third)
    const page = fourth === undefined ? embeddedList : fourth === 'chart' ? embeddedChart : null
    if (subject !== null && page !== null) return page(site, subject, request)
  }
  if (first === 'at' && second !== undefined && third === '' && isDid(second))
    return accountPage(site, second, request)
  if (first === 'at' && second !== undefined && fourth !== undefined && rest.length === 0) {
    const uri = `at://${second}/${third}/${fourth}`
    const subject = site.subjects.of(third)
    if (subject !== null && recordAddress(uri) !== null) return recordPage(site, subject, uri, request)
  }
  return notFoundPage(request)
}

function partsOf(path: string): readonly string[] {
  return path
    .split('/')
    .slice(1)
    .filter((part) => part !== '')
    .map((part) => {
      try {
        return decodeURIComponent(part)
      } catch {
        return part
      }
    })
}
