/**
 * Asks the service for the records that may have a name: those with its words or letters, and those that most records
 * refer to, which may be called by a short form. What is referred to most comes first.
 */
import type { Catalogue, Subject } from '../../ask/collections.ts'
import { EnumValue, mergeSelections, printField, type Selection } from '../../ask/graphql-text.ts'
import { inPages } from '../graphql/ask.ts'
import { AskError } from '../../ask/ask-error.ts'
import type { Where } from '../../ask/where.ts'
import { compareNames, type Match, type MatchKind, readWanted, type WantedName } from './compare-names.ts'
import type { Asking, NamedRecord, Page } from './candidates.ts'
import {
  countReferring,
  readCandidate,
  readMostReferred,
  selectMostReferred,
  selectNames,
} from './candidates.ts'

export interface FoundNames {
  /** Equal names that are not obscure beside the others, then the others; each the most referred to first. */
  readonly found: readonly NamedRecord[]
  /** True if there may be more, because not all candidates were compared. */
  readonly isCapped: boolean
}

/** A record is obscure beside one that so many times as many records refer to: 95 % of those of both. */
const obscure = 19
/** Characters of a name that is no address. */
const longestName = 500
const mostWords = 8
/** Letters of a name that are looked for at the beginnings of domains alone. */
const fewLetters = 3
/** Records of lists that rarely have more than one. */
const few = 20
const nearMatch: Match = { kind: 'similar', isIdentifier: false, isLabel: false }

/** Finds names that are equal or have all the words; only if there are none, those that begin with them, or similar ones. */
export async function findNames(
  text: string,
  subjects: readonly Subject[],
  askFor: Asking,
): Promise<FoundNames> {
  if (text.includes('\0')) throw new AskError('A name has no NUL: leave it out.')
  const wanted = readWanted(text)
  if (wanted.address === null && text.length > longestName)
    throw new AskError(`A name has at most ${longestName} characters; this has ${text.length}.`)
  return inPages(async (size) => {
    const each = await Array.fromAsync(subjects, (subject) =>
      findIn(subject, isTitled(subject, subjects), wanted, size, askFor),
    )
    const all = each.flatMap(({ found }) => found)
    const kindsOf = (kinds: readonly MatchKind[]) =>
      kinds.flatMap((kind) => all.filter(({ match }) => match.kind === kind))
    const kinds: readonly (readonly MatchKind[])[] = [['exact', 'words'], ['starts'], ['similar']]
    const found = kinds.map(kindsOf).find(({ length }) => length > 0) ?? []
    const ofSubjects = await Array.fromAsync(subjects, (subject) => {
      const own = found.filter((record) => record.subject === subject)
      return countReferring(own.slice(0, size), subject, askFor)
    })
    const compared = ofSubjects.flat()
    // Similar ones stay in the order of the search.
    const isSimilar = found[0]?.match.kind === 'similar'
    return {
      found: isSimilar ? compared : ranked(compared),
      isCapped: compared.length < found.length || each.some(({ isCapped }) => isCapped),
    }
  })
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

export function isRecordKey(text: string): boolean {
  return /^[\w.~:@-]{1,512}$/.test(text)
}

/** Whether the text is written as a domain, an address, a handle or a URI. */
export function isWrittenIdentifier(text: string): boolean {
  return /[.:/@]/.test(text)
}

/** True for a collection with titles among collections with names: its titles are not searched. */
export function isTitled(subject: Subject, among: readonly Subject[]): boolean {
  return !subject.isNamed && among.some(({ isNamed }) => isNamed)
}

/** Equal names that no other record makes obscure. */
export function equalOf(found: readonly NamedRecord[]): readonly NamedRecord[] {
  const most = Math.max(...found.map(({ records }) => records ?? 0))
  return found.filter(
    ({ match, records }) => match.kind === 'exact' && obscure * (records ?? 0) >= most - (records ?? 0),
  )
}

/** The one that more than 95 % of the records refer to that refer to any of them, or the only one; else null. */
export function foremost(records: readonly NamedRecord[]): NamedRecord | null {
  const [first = null] = records.toSorted((a, b) => (b.records ?? 0) - (a.records ?? 0))
  if (first === null || records.length === 1) return first
  const all = records.reduce((sum, one) => sum + (one.records ?? 0), 0)
  return (first.records ?? 0) > 0.95 * all ? first : null
}

function ranked(found: readonly NamedRecord[]): readonly NamedRecord[] {
  const equal = new Set(equalOf(found))
  return found.toSorted(
    (a, b) =>
      Number(b.match.isIdentifier) - Number(a.match.isIdentifier) ||
      Number(equal.has(b)) - Number(equal.has(a)) ||
      (b.records ?? 0) - (a.records ?? 0) ||
      Number(b.match.isLabel) - Number(a.match.isLabel) ||
      (a.uri < b.uri ? -1 : 1),
  )
}

/** Candidates, whose referring records are not counted yet; those that most refer to come first. */
async function findIn(
  subject: Subject,
  isTitle: boolean,
  wanted: WantedName,
  size: number,
  askFor: Asking,
): Promise<FoundNames> {
  const { collection, display } = subject
  const list = (alias: string, given: Parameters<typeof printField>[1]): Selection => {
    const printed = printField(`${alias}: ${collection.rootField}`, given)
    return { [printed]: { nodes: selectNames(subject), pageInfo: { hasNextPage: {} } } }
  }
  const found = new Map<string, NamedRecord>()
  let isCapped = false
  const read = async (lists: readonly Selection[], as: WantedName | null = wanted): Promise<void> => {
    const data = lists.length === 0 ? {} : await askFor(mergeSelections(lists))
    const most = readMostReferred(data, subject)
    const pages = [data['i'], data['same'], data['named'], data['near']] as readonly (Page | undefined)[]
    const others = pages.flatMap((page) => page?.nodes ?? []).map((node) => readCandidate(node, 0, subject))
    for (const candidate of [...most, ...others]) {
      const match = as === null ? nearMatch : compareNames(as, candidate)
      if (match !== null && !found.has(candidate.uri))
        found.set(candidate.uri, { ...candidate, records: null, match })
    }
    isCapped ||= pages[2]?.pageInfo.hasNextPage === true
  }
  const identifiers = identifierConditions(wanted, isTitle, subject)
  const where = isTitle || wanted.address !== null ? null : nameCondition(wanted, subject)
  const byIdentifier =
    identifiers.length === 0 ? [] : [list('i', { first: Math.min(few, size), where: { OR: identifiers } })]
  const called = { [display?.name ?? '']: { eq: wanted.text } }
  const byName =
    where === null
      ? []
      : [
          list('named', { first: size, where }),
          list('same', { first: Math.min(few, size), where: called }),
          selectMostReferred(subject),
        ]
  const isWritten = isWrittenIdentifier(wanted.text)
  await read(isWritten ? byIdentifier : [...byIdentifier, ...byName])
  if (isWritten && !found.values().some(({ match }) => match.isIdentifier)) await read(byName)
  const search = where !== null && found.size === 0 ? await searchOfNear(wanted, subject, askFor) : null
  const sortBy = [{ field: new EnumValue('RELEVANCE') }]
  if (search !== null) await read([list('near', { first: Math.min(few, size), search, sortBy })], null)
  return { found: [...found.values()], isCapped }
}

/** Records with the text as key, handle, domain or address, and those whose domain it is below. */
function identifierConditions(
  { text, host, address }: WantedName,
  isTitle: boolean,
  subject: Subject,
): readonly Where[] {
  const { domains, handles, addresses, isNamed } = subject
  // Titled records, such as articles, are of a site, and none is the site itself.
  if (host !== null && address === null && !isNamed && domains.length === 0) return []
  const hosts = host === null ? [] : parentsOf(host)
  const withWww = hosts.flatMap((one) => [one, `www.${one}`])
  const urls = host === null ? [] : [...new Set(isNamed ? [text, ...hosts] : [text])]
  // Keys of titled records are made by programs, from the time.
  const isWord = isRecordKey(text) && (!isTitle || /\d/.test(text))
  return [
    ...(text.startsWith('at://') ? [{ uri: { eq: text } }] : []),
    ...(isWord ? [{ rkey: { in: [text, ...(host === null ? [] : [host])] } }] : []),
    ...(isWord ? handles.map(({ name }) => ({ [name]: { eq: text.replace(/^@/, '').toLowerCase() } })) : []),
    ...(host === null ? [] : domains.map(({ name }) => ({ [name]: { in: withWww } }))),
    ...addresses.flatMap(({ name }) => urls.map((url) => ({ [name]: { sameUrl: url } }))),
  ]
}

/** The domain itself, and at most two domains that it is below, without the top-level domain. */
function parentsOf(host: string): readonly string[] {
  const labels = host.split('.')
  const all = labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'))
  return [...new Set([...all.slice(0, 1), ...all.slice(-2)])]
}

/**
 * Names with all words, of which the last may be a beginning, and domains with the letters, or of few letters domains
 * that begin with them. Null without a name.
 */
function nameCondition(
  { text, words, whole, core }: WantedName,
  { display, domains }: Subject,
): Where | null {
  if (display === null) return null
  const isSearched = display.type.kind === 'string' && display.type.freeText && words.length > 0
  const own: Where = isSearched
    ? { [display.name]: { matches: wordSearch(words.slice(0, mostWords)) } }
    : { [display.name]: { contains: text } }
  if (core === '') return own
  const inDomains = domains.flatMap(({ name }): readonly Where[] =>
    core.length > fewLetters
      ? [{ [name]: { contains: core } }]
      : Array.from(new Set([whole, core]), (start) => ({ [name]: { gte: start, lt: `${start}{` } })),
  )
  return inDomains.length === 0 ? own : { OR: [own, ...inDomains] }
}

/** All words; a last one of one or two letters costs more as a beginning, and finds too much. */
function wordSearch(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return [...words.slice(0, -1), /^[\0-\x7f]{1,2}$/.test(last) ? last : `${last}*`].join(' ')
}

/** A search for any of the words, or for words near to them; null if names are not searched. */
async function searchOfNear({ words }: WantedName, { collection, display }: Subject, askFor: Asking) {
  const field = collection.searchFields.find(({ path }) => path.join('.') === display?.property)
  if (field === undefined || words.length === 0) return null
  const some = words.slice(0, mostWords)
  const list = printField(collection.rootField, { search: some.join(' OR '), first: 0 })
  const data = await askFor({ [list]: { didYouMean: { word: {}, nearest: { word: {} } } } })
  const { didYouMean } = data[collection.rootField] as {
    readonly didYouMean: readonly { readonly nearest: readonly { readonly word: string }[] }[]
  }
  const near = didYouMean.flatMap(({ nearest }) => nearest.map(({ word }) => word))
  return [...some, ...near.slice(0, mostWords)].map((word) => `${field.name}:${word}`).join(' OR ')
}
