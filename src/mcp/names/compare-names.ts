/**
 * Compares what a caller calls a record with the names that the record has. Case, accents, punctuation, spaces and a
 * leading article make no difference. docs/agents-filters.md states the rules.
 */
import { plainWordsOf } from '../../search/words.ts'
import { foldText } from '../../util/text/fold.ts'
import { normalizeUrl, normalizeWrittenUrl } from '../../util/text/normalize-url.ts'

/**
 * The best match first. `domain`: the name is the main part of a domain, or the domain is above the wanted one; `words`:
 * all words; `starts`: beginnings of words; `contains`: a part of a word.
 */
export const matches = ['exact', 'domain', 'words', 'starts', 'contains', 'similar'] as const
export type MatchKind = (typeof matches)[number]

export interface Match {
  readonly kind: MatchKind
  /** Similarity of the spellings, 0 to 1. */
  readonly score: number
  /** True if a domain, handle, key or address is equal; these are written to tell equal names apart. */
  readonly isIdentifier: boolean
}

/** The names of one record. */
export interface Names {
  readonly name: string | null
  readonly key: string
  readonly domains: readonly string[]
  readonly handles: readonly string[]
  readonly addresses: readonly string[]
}

/** What a caller wrote, read once for all comparisons. */
export interface WantedName {
  readonly text: string
  /** Folded words without a leading article. */
  readonly words: readonly string[]
  /** The words with the article, and without it, each written together. */
  readonly whole: string
  readonly core: string
  /** First letters of the words; null for fewer than two words. */
  readonly initials: string | null
  /** The host of an address, or a domain, without `www.`; null for other texts. */
  readonly host: string | null
  /** The normal form of an address by `sameUrl`; null for other texts. */
  readonly address: string | null
}

/** Articles that may be left out at the beginning of a name; `L'` is the word `l`. */
const articles = new Set('the a an der die das le la les l el los las il lo gli o os as de het'.split(' '))

/** Scripts that are written without spaces, in which a word cannot be told from a part of one. */
const unspaced = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u9fff\uac00-\ud7af]/

export function readWanted(given: string): WantedName {
  const text = given.trim()
  const all = plainWordsOf(text)
  const words = withoutArticle(all)
  const normal = normalizeWrittenUrl(text)
  const isDomain = /^(?:[\p{L}\p{N}-]{1,63}\.)+\p{L}{2,63}$/u.test(text)
  const isAddress = normal !== null && /[/:]/.test(text)
  return {
    text,
    words,
    whole: all.join(''),
    core: words.join(''),
    initials: words.length > 1 ? words.map((word) => [...word][0]).join('') : null,
    host: normal !== null && (isDomain || isAddress) ? normal.replace(/[/?].*/s, '') : null,
    address: isAddress ? normal : null,
  }
}

/** Null if nothing is alike. */
export function compareNames(wanted: WantedName, names: Names): Match {
  if (isIdentifier(wanted, names)) return { kind: 'exact', score: 1, isIdentifier: true }
  const spelt = names.name === null ? null : plainWordsOf(names.name)
  if (spelt !== null && isSame(wanted, spelt))
    return { kind: 'exact', score: lacksArticle(wanted, spelt) ? 0.95 : 1, isIdentifier: false }
  const hosts = hostsOf(names)
  const labels = [...hosts, names.name].flatMap(labelOf)
  const together = [spelt?.join('') ?? '', ...labels]
  const score = Math.max(...together.map((one) => similarity(wanted.whole, one)))
  const of = (kind: MatchKind): Match => ({ kind, score, isIdentifier: false })
  if (isInside(wanted, hosts)) return of('domain')
  const parts = [...(spelt ?? []), ...names.domains.flatMap(plainWordsOf)]
  if (wanted.words.length > 0) {
    if (labels.some((label) => label === wanted.core || label === wanted.whole)) return of('domain')
    if (wanted.words.every((word) => parts.includes(word))) return of('words')
    if (wanted.words.every((word) => parts.some((part) => part.startsWith(word)))) return of('starts')
    const isPart = (one: string) => one.startsWith(wanted.core) || unspaced.test(wanted.core)
    const containing = together.filter((one) => one.includes(wanted.core))
    if (containing.length > 0) return of(containing.some(isPart) ? 'starts' : 'contains')
  }
  return { ...of('similar'), score: Math.max(score, initialsScore(wanted, labels)) }
}

/** An address with a path equals only the same address, because its domain alone is the address of a site. */
function isIdentifier({ text, host, address }: WantedName, names: Names): boolean {
  if (names.key === text) return true
  const handle = text.replace(/^@/, '').toLowerCase()
  if (names.handles.some((one) => one.toLowerCase() === handle)) return true
  const addresses = names.addresses.flatMap((one) => readAddress(one) ?? [])
  if (address !== null && addresses.some(({ rest }) => rest === address)) return true
  if (host === null || (address !== null && address !== host)) return false
  if (names.key === host || names.domains.some((domain) => bareHost(domain) === host)) return true
  return addresses.some(({ rest }) => rest === host)
}

/** Whether the host is a domain of the record or below it, as `edition.cnn.com` is below `cnn.com`. */
function isInside({ host }: WantedName, hosts: readonly string[]): boolean {
  return host !== null && hosts.some((own) => own !== '' && (host === own || host.endsWith(`.${own}`)))
}

/** The domains of the record, and the hosts of addresses without a path. */
function hostsOf({ domains, addresses }: Names): readonly string[] {
  const sites = addresses.flatMap((one) => readAddress(one) ?? []).filter(({ rest, host }) => rest === host)
  return [...domains.map(bareHost), ...sites.map(({ host }) => host)]
}

/** Equal words, one of which may have an article that the other lacks; two different articles differ. */
function isSame({ whole, core }: WantedName, spelt: readonly string[]): boolean {
  const [all, bare] = [spelt.join(''), withoutArticle(spelt).join('')]
  return all !== '' && (all === whole || all === core || bare === whole)
}

/** Whether the wanted name has an article that the other lacks. */
function lacksArticle({ whole, core }: WantedName, spelt: readonly string[]): boolean {
  return whole !== core && spelt.join('') === core
}

function withoutArticle(words: readonly string[]): readonly string[] {
  const [first = '', ...rest] = words
  return rest.length > 0 && articles.has(first) ? rest : words
}

/** `cnn` of `www.cnn.com` and of `cnn.co.uk`; nothing of `us.cnn.com`, or of a text that is not a domain. */
function labelOf(domain: string | null): string[] {
  const parts = /^(?:www\.)?([\p{L}\p{N}-]+)(?:\.(?:com?|org|net|gov|edu|ac))?\.\p{L}{2,}$/u
  const [, label] = parts.exec(foldText((domain ?? '').trim())) ?? []
  return label === undefined ? [] : [plainWordsOf(label).join('')]
}

export interface Address {
  readonly host: string
  /** The normal form of `sameUrl`. */
  readonly rest: string
}

/** Null if the text is no `http` address. */
export function readAddress(text: string): Address | null {
  const rest = normalizeUrl(text)
  return rest === null ? null : { host: rest.replace(/[/?].*/s, ''), rest }
}

function bareHost(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/^www\./, '')
}

/** Domains such as `faz.net` for names whose words begin with its letters, with at most one letter more. */
function initialsScore({ initials }: WantedName, labels: readonly string[]): number {
  if (initials === null) return 0
  if (labels.includes(initials)) return 0.9
  return labels.some((label) => label.startsWith(initials) && label.length === initials.length + 1) ? 0.7 : 0
}

/** Dice coefficient of the pairs of adjacent letters. */
function similarity(a: string, b: string): number {
  const [left, right] = [pairsOf(a), pairsOf(b)]
  if (left.length === 0 || right.length === 0) return 0
  const rest = [...right]
  const shared = left.filter((pair) => {
    const at = rest.indexOf(pair)
    return at !== -1 && rest.splice(at, 1)
  })
  return (2 * shared.length) / (left.length + right.length)
}

function pairsOf(text: string): string[] {
  const letters = Array.from(text.slice(0, 200))
  if (letters.length === 1) return letters
  return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`)
}

/** Maximum number of letters of the first and the last word of a name that is found from its letters alone. */
const longestEnd = { plain: 24, withArticle: 16 } as const

/**
 * A search for names with the same letters and other spaces: they have a word that the wanted name begins with, and one
 * that it ends with. Null if the name has too few letters, or is written without spaces anyway.
 */
export function searchOfSpaces({ whole, core }: WantedName): string | null {
  if (!/^[\p{L}\p{M}\p{N}]{2,}$/u.test(whole) || unspaced.test(whole)) return null
  const most = whole === core ? longestEnd.plain : longestEnd.withArticle
  const [letters, bare] = [[...whole], [...core]]
  const article = letters.length - bare.length
  const lengths = Array.from({ length: Math.min(most, bare.length - 1) }, (_, at) => at + 1)
  const ends = lengths
    .map((length) => bare.slice(-length).join(''))
    .filter((end) => /^[\p{L}\p{N}]/u.test(end))
  const starts = new Set(
    lengths.flatMap((length) => [
      bare.slice(0, length).join(''),
      letters.slice(0, article + length).join(''),
    ]),
  )
  // A word that is at both ends would find every name that has it once, such as `com`.
  const both = ends.filter((end) => starts.delete(end))
  const around = both.slice(0, 2).map((end) => `"${end} ${core.slice(end.length, -end.length)} ${end}"`)
  const together = [...new Set([whole, core])]
  const apart = starts.size === 0 ? [] : [`((${[...starts].join(' OR ')}) (${ends.join(' OR ')}))`]
  return [...together, ...apart, ...around].join(' OR ')
}

const mostPieces = 6

/** Beginnings, ends and middles of the longest words: one wrong letter leaves most of them intact. */
export function piecesOf({ words }: WantedName): readonly string[] {
  const pieces = words
    .filter((word) => word.length > 1)
    .toSorted((a, b) => b.length - a.length)
    .flatMap((word) => {
      const size = unspaced.test(word) ? 2 : 3
      if (word.length <= size) return [word]
      const middle = Math.floor((word.length - size) / 2)
      return [word.slice(0, size), word.slice(-size), word.slice(middle, middle + size)]
    })
  return [...new Set(pieces)].slice(0, mostPieces)
}
