/** Asks the service for the records that may have a name, compares them, and ranks those that do. */
import type { Catalogue, Subject } from '../../ask/collections.ts'
import { EnumValue, mergeSelections, printField, type Selection } from '../../ask/graphql-text.ts'
import { packOperations } from '../../ask/operation.ts'
import { inPages } from '../graphql/ask.ts'
import { AskError } from '../../ask/ask-error.ts'
import type { Json } from '../../util/is-object.ts'
import {
  compareNames,
  type Match,
  type MatchKind,
  matches,
  type Names,
  readAddress,
  readWanted,
  type WantedName,
} from './compare-names.ts'
import { comparesSpaces, listsOf, type NameList, type Step } from './name-lists.ts'

export interface NamedRecord {
  readonly subject: Subject
  readonly uri: string
  readonly key: string
  /** The URI if the record has no name. */
  readonly name: string
  /** The value of the subject's field `apart`; of an address of a site, the host. */
  readonly apart: string | null
  /** The number of records that refer to it; null if its collection is not referred to. */
  readonly records: number | null
  readonly match: Match
}

export interface FoundNames {
  /** The best match first; of equal matches, those with the most records first. */
  readonly found: readonly NamedRecord[]
  /** True if there may be more, because not all candidates were compared. */
  readonly isCapped: boolean
  /** Labels of collections whose names may be equal but for spaces, which were not compared. */
  readonly unspaced: readonly string[]
}

export type Asking = (selection: Selection) => Promise<Json>

/** Pages of one list. */
const mostPages = 5
/** Points of one operation, below the 250 that callers without a key may spend on one. */
const mostPoints = 200
/** Characters of a name that is no address. */
const longestName = 500
/** Names below this similarity are different names. */
const leastScore = 0.35

/** Finds names that are equal, or have all the words, or begin with them; only if there are none, similar ones. */
export async function findNames(
  text: string,
  subjects: readonly Subject[],
  askFor: Asking,
): Promise<FoundNames> {
  if (text.includes('\0')) throw new AskError('A name has no NUL: leave it out.')
  const wanted = readWanted(text)
  if (wanted.address === null && text.length > longestName)
    throw new AskError(`A name has at most ${longestName} characters; this has ${text.length}.`)
  return inPages((size) => find(wanted, subjects, size, askFor))
}

async function find(
  wanted: WantedName,
  subjects: readonly Subject[],
  size: number,
  askFor: Asking,
): Promise<FoundNames> {
  const known = new Map<string, NamedRecord>()
  const has = (...kinds: readonly MatchKind[]): boolean =>
    known.values().some(({ match }) => kinds.includes(match.kind))
  const take = async (step: Step, more: readonly Step[] = []): Promise<boolean> => {
    const lists = subjects.flatMap((subject) =>
      [step, ...more]
        .filter((each) => each === 'identifiers' || !isTitled(subject, subjects))
        .flatMap((each) => listsOf(each, wanted, subject, size)),
    )
    const { found, isCapped } = await readLists(lists, wanted, askFor)
    for (const record of found) known.set(record.uri, record)
    return isCapped
  }
  let isCapped = await take('identifiers', ['names'])
  // Without names that are written with other spaces there may be few enough.
  const isSpaced = !isCapped
  if (isCapped) isCapped = await take('words')
  // The records that others refer to most must not be missing from a part of the candidates.
  if (isCapped) await take('most')
  if (!has('exact')) await take('labels')
  const isFound = () => has('exact', 'domain', 'words', 'starts')
  if (!isFound()) isCapped = (await take('alike')) && !isFound()
  const [isSure, isPart] = [isFound(), has('contains')]
  const found = [...known.values()].filter(({ match: { kind, score } }) => {
    if (kind === 'contains') return !isSure
    return kind !== 'similar' || (!isSure && !isPart && score >= leastScore)
  })
  const isIdentified = known.values().some(({ match }) => match.isIdentifier)
  const unspaced = subjects.filter(
    (subject) =>
      subject.isNamed && subject.display !== null && !(isSpaced && comparesSpaces(subject, wanted)),
  )
  return {
    found: found.toSorted(byMatch),
    isCapped,
    unspaced: isIdentified || wanted.address !== null ? [] : unspaced.map(({ label }) => label),
  }
}

/** Where a name is looked for: in collections that references lead to, and an address wherever there are addresses. */
export function collectionsFor(text: string, { subjects, referred }: Catalogue): readonly Subject[] {
  if (readWanted(text).address === null) return referred
  return subjects.filter((subject) => referred.includes(subject) || subject.addresses.length > 0)
}

/** Whether the text is an address below that of a site. */
export function isPageAddress(text: string): boolean {
  const { address, host } = readWanted(text)
  return address !== null && address !== host
}

/** True for a collection with titles among collections with names: its titles are not searched. */
export function isTitled(subject: Subject, among: readonly Subject[]): boolean {
  return !subject.isNamed && among.some(({ isNamed }) => isNamed)
}

function byMatch(a: NamedRecord, b: NamedRecord): number {
  const score = a.match.kind === 'similar' ? b.match.score - a.match.score : 0
  return (
    matches.indexOf(a.match.kind) - matches.indexOf(b.match.kind) ||
    score ||
    // The very name before one that lacks its article.
    (a.match.kind === 'exact' ? b.match.score - a.match.score : 0) ||
    (b.records ?? 0) - (a.records ?? 0) ||
    b.match.score - a.match.score ||
    (a.uri < b.uri ? -1 : 1)
  )
}

interface Page {
  readonly nodes: readonly Json[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** The records of all pages of the lists, several lists in one operation. */
async function readLists(
  lists: readonly NameList[],
  wanted: WantedName,
  askFor: Asking,
): Promise<Omit<FoundNames, 'unspaced'>> {
  const found: NamedRecord[] = []
  let isCapped = false
  let left: readonly (readonly [list: NameList, after: string | undefined])[] = lists.map((list) => [
    list,
    undefined,
  ])
  for (let page = 0; left.length > 0; page += 1) {
    const next: (readonly [NameList, string])[] = []
    for (const group of packOperations(left, mostPoints, ([list]) => pointsOf(list))) {
      const fields = group.map(([{ subject, where, first, most }, after], at): Selection => {
        const sortBy =
          most === null ? null : [{ field: new EnumValue(most), direction: new EnumValue('DESC') }]
        const field = printField(`c${at}: ${subject.collection.rootField}`, { first, where, after, sortBy })
        return { [field]: { nodes: selectNames(subject), pageInfo: { hasNextPage: {}, endCursor: {} } } }
      })
      const data = await askFor(mergeSelections(fields))
      for (const [at, [list]] of group.entries()) {
        const { nodes, pageInfo } = data[`c${at}`] as Page
        found.push(...nodes.map((node) => readRecord(node, list.subject, wanted)))
        if (!pageInfo.hasNextPage || pageInfo.endCursor === null) continue
        if (list.isPaged && page + 1 < mostPages) next.push([list, pageInfo.endCursor])
        else isCapped = true
      }
    }
    left = next
  }
  return { found, isCapped }
}

/** A count of referring records has the size 120, any other value 1. */
function pointsOf({ subject: { counted }, points, first }: NameList): number {
  return points + (first * (8 + 120 * counted.length)) / 1000
}

function selectNames({ display, domains, handles, addresses, apart, counted }: Subject): Selection {
  const fields = [display, ...domains, ...handles, ...addresses, apart].filter((field) => field !== null)
  return {
    uri: {},
    rkey: {},
    ...Object.fromEntries(fields.map(({ name }) => [name, {}])),
    ...Object.fromEntries(
      counted.map(({ viaField }) => [printField(viaField, { first: 0 }), { totalCount: {} }]),
    ),
  }
}

function readRecord(node: Json, subject: Subject, wanted: WantedName): NamedRecord {
  const { display, domains, handles, addresses, apart, counted } = subject
  const texts = (fields: readonly { readonly name: string }[]): string[] =>
    fields.flatMap(({ name }) => (typeof node[name] === 'string' ? [node[name]] : []))
  const [name = null] = display === null ? [] : texts([display])
  const names: Names = {
    name,
    key: String(node.rkey),
    domains: texts(domains),
    handles: texts(handles),
    addresses: texts(addresses),
  }
  const counts = counted.map(({ viaField }) => (node[viaField] as { readonly totalCount: number }).totalCount)
  const value = apart === null ? null : ((node[apart.name] ?? null) as string | null)
  const address = value === null ? null : readAddress(value)
  return {
    subject,
    uri: String(node.uri),
    key: names.key,
    name: name ?? String(node.uri),
    apart: address !== null && address.rest === address.host ? address.host : value,
    records: counted.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0),
    match: compareNames(wanted, names),
  }
}
