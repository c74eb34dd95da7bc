/**
 * Compares what a caller calls a record with the names that the record has. Case, accents, punctuation, spaces and a
 * leading article make no difference. docs/agents-filters.md states the rules.
 */
import { plainWordsOf } from '../../search/words.ts'
import { foldText } from '../../util/text/fold.ts'
import { normalizeUrl, normalizeWrittenUrl } from '../../util/text/normalize-url.ts'

/**
 * The best match first. `exact`: a name, domain or other identifier is equal, or shortened to the letters; `words`: all
 * words; `starts`: beginnings of words; `similar`: another spelling, or a part of a word.
 */
export type MatchKind = 'exact' | 'words' | 'starts' | 'similar'

export interface Match {
  readonly kind: MatchKind
  /** True if a domain, handle, key or address is equal. */
  readonly isIdentifier: boolean
  /** True if the name has the same words, article included, as labels in answers have. */
  readonly isLabel: boolean
}

/** Articles that may be left out at the beginning of a name; `L'` is the word `l`. */
const articles = new Set('the a an der die das le la les l el los las il lo gli o os as de het'.split(' '))
/** Of these, a domain such as `theguardian.com` is called without it. */
const inDomains = /^(?:the|der|die|das|les|los|las)/

export type WantedName = ReturnType<typeof readWanted>

/** What a caller wrote, read once for all comparisons. */
export function readWanted(given: string) {
  // Answers cut long names.
  const text = given.trim().replace(/…$/, '')
  const all = plainWordsOf(text)
  const words = withoutArticle(all)
  const normal = normalizeWrittenUrl(text)
  const isDomain = /^(?:[\p{L}\p{N}-]{1,63}\.)+\p{L}{2,63}$/u.test(text)
  const isAddress = normal !== null && /[/:]/.test(text)
  return {
    text,
    /** Folded words, with a leading article and without it. */
    all,
    words,
    /** The words with the article, and without it, each written together. */
    whole: all.join(''),
    core: words.join(''),
    /** The host of an address, or a domain, without `www.`; null for other texts. */
    host: normal !== null && (isDomain || isAddress) ? hostOf(normal) : null,
    /** The normal form of an address by `sameUrl`; null for other texts. */
    address: isAddress ? normal : null,
  }
}

type Texts = readonly string[]
export type OwnNames = ReturnType<typeof readOwnNames>

/** The names of one record, read once for all comparisons. `name`: the URI if it has none; `ids`: URI and key. */
export function readOwnNames(name: string, ids: Texts, domains: Texts, handles: Texts, addresses: Texts) {
  const bare = domains.map(bareHost)
  const urls = addresses.flatMap((one) => normalizeUrl(one) ?? [])
  const hosts = [...bare, ...urls.filter((url) => url === hostOf(url))].filter((host) => host !== '')
  return {
    name,
    /** URI, key, domains and addresses. */
    identifiers: new Set([...ids, ...bare, ...urls]),
    handles: new Set(handles.map((one) => one.toLowerCase())),
    /** Domains, and hosts of addresses without a path. */
    hosts,
    /** The words of the name, and the parts of each domain, of which the last is its main part. */
    spelt: ids.includes(name) ? [] : plainWordsOf(name),
    parts: [...hosts, ...(isDomain(name) ? [name] : [])].map(partsOf),
  }
}

function isDomain(name: string): boolean {
  return /^\S+\.\S+$/.test(name) && !name.startsWith('at://')
}

/** Null if the names have nothing of what is wanted. */
export function compareNames(wanted: WantedName, own: OwnNames): Match | null {
  const { all, words, whole, core, host } = wanted
  const { name, hosts, spelt, parts } = own
  const together = spelt.join('')
  const isLabel = together !== '' && together === whole
  const of = (kind: MatchKind): Match => ({ kind, isIdentifier: false, isLabel })
  if (isIdentifier(wanted, own)) return { ...of('exact'), isIdentifier: true }
  if (host !== null && hosts.some((one) => `.${host}`.endsWith(`.${one}`))) return of('exact')
  // Signs alone are a name, too.
  if (core === '') return name.trim() === wanted.text ? of('exact') : null
  const labels = parts.map((domain) => domain.at(-1) ?? '')
  const equal = [together, withoutArticle(spelt).join(''), ...labels]
  if (equal.includes(whole)) return of('exact')
  if (labels.some((label) => label.replace(inDomains, '') === whole)) return of('exact')
  if ((!isDomain(name) && isShort(core, spelt)) || labels.some((label) => isShort(label, all)))
    return of('exact')
  if (words.length > 1 && parts.some((domain) => isSameSet(domain, words))) return of('exact')
  const known = [...spelt, ...parts.flat()]
  if (words.every((word) => known.includes(word))) return of('words')
  const isBegun = words.every((word) => known.some((one) => one.startsWith(word)))
  if (isBegun || [together, ...labels].some((one) => one.startsWith(core))) return of('starts')
  return [together, ...labels].some((one) => one.includes(core)) ? of('similar') : null
}

/** An address with a path equals only the same address, because its domain alone is the address of a site. */
function isIdentifier({ text, host, address }: WantedName, { identifiers, handles }: OwnNames): boolean {
  const site = address === null || address === host ? host : null
  return (
    [text, address, site].some((one) => one !== null && identifiers.has(one)) ||
    handles.has(text.replace(/^@/, '').toLowerCase())
  )
}

/** The host of an address without a path; null for other texts. */
export function siteOf(text: string): string | null {
  const normal = normalizeUrl(text)
  return normal !== null && normal === hostOf(normal) ? normal : null
}

function hostOf(normal: string): string {
  return normal.replace(/[/?].*/s, '')
}

function bareHost(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/^www\./, '')
}

/** `['us', 'cnn']` of `us.cnn.com`, and `['bbc']` of `bbc.co.uk`: without what all domains of a country share. */
function partsOf(domain: string): readonly string[] {
  const own = foldText(bareHost(domain)).replace(/(?:\.(?:com?|org|net|gov|edu|ac))?\.\p{L}{2,}$/u, '')
  return own.split('.').map((part) => plainWordsOf(part).join(''))
}

/** Whether the letters are beginnings of all words, as in `TOI`, `WaPo` and `nytimes`; an article may be left out. */
function isShort(letters: string, words: readonly string[]): boolean {
  const own = withoutArticle(words)
  if (own.length < 2 || letters.length < 2) return false
  const isMade = (rest: string, [word, ...more]: readonly string[]): boolean => {
    if (word === undefined) return rest === ''
    for (let size = 1; size <= word.length && rest.startsWith(word.slice(0, size)); size += 1)
      if (isMade(rest.slice(size), more)) return true
    return false
  }
  return isMade(letters, own) || (own !== words && isMade(letters, words))
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word) => other.includes(word))
}

function withoutArticle(words: readonly string[]): readonly string[] {
  const [first = '', ...rest] = words
  return rest.length > 0 && articles.has(first) ? rest : words
}
