/** Which lists of the service find the records that may have a name, each with its price. */
import type { Subject } from '../../ask/collections.ts'
import { piecesOf, searchOfSpaces, type WantedName } from './compare-names.ts'
import type { Where } from '../../ask/where.ts'
import { limits } from '../../query/parse/limits.ts'

export interface NameList {
  readonly subject: Subject
  readonly where: Where
  /** Records of a page. */
  readonly first: number
  /** Points of the condition; docs/prices.md has the weights. */
  readonly points: number
  /** Whether further pages are read. */
  readonly isPaged: boolean
  /** The field to sort by in descending order; null for the default order. */
  readonly most: string | null
}

/**
 * The steps of a lookup, in order. A step runs only if the steps before it found too little. `names` are those with all
 * words, or with the same letters and other spaces. `words` are those with all words alone.
 */
export type Step = 'identifiers' | 'names' | 'words' | 'most' | 'labels' | 'alike'

/** Records of lists that rarely have more than one. */
const few = 20
const mostWords = 8

export function listsOf(step: Step, wanted: WantedName, subject: Subject, page: number): readonly NameList[] {
  const { display, domains, counted } = subject
  const list = (where: Where, points: number, first = few, isPaged = false): NameList => ({
    subject,
    where,
    first: Math.min(first, page),
    points,
    isPaged,
    most: null,
  })
  switch (step) {
    case 'identifiers':
      return identifierLists()
    case 'names':
      return comparesSpaces(subject, wanted) ? wordLists(searchOfSpaces(wanted)) : wordLists()
    case 'words':
      return wordLists()
    case 'most': {
      const [reference] = counted
      if (reference === undefined) return []
      const most = `${reference.viaField}_count`
      return wordLists().map((usual) => ({ ...usual, points: usual.points + 70, isPaged: false, most }))
    }
    case 'labels': {
      const labels =
        wanted.host === null && wanted.core !== '' ? [...new Set([wanted.whole, wanted.core])] : []
      if (labels.length === 0) return []
      return domains.map(({ name }) =>
        list({ OR: labels.map((label) => ({ [name]: { gte: `${label}.`, lt: `${label}/` } })) }, 44),
      )
    }
    case 'alike':
      return wanted.address === null ? [...partLists(), ...initialLists()] : []
  }

  function identifierLists(): readonly NameList[] {
    const { text, host, address } = wanted
    // Titled records, such as articles, are of a site, and none is the site itself.
    if (host !== null && address === null && !subject.isNamed && domains.length === 0) return []
    const isWord = /^[\w.~:@-]{1,512}$/.test(text)
    const hosts = host === null ? [] : parentsOf(host)
    const withWww = hosts.flatMap((one) => [one, `www.${one}`])
    const urls = subject.isNamed ? [text, ...hosts] : [text]
    return [
      ...(isWord ? [list({ rkey: { eq: host ?? text } }, 23)] : []),
      ...(isWord
        ? subject.handles.map(({ name }) => list({ [name]: { eq: text.replace(/^@/, '').toLowerCase() } }, 6))
        : []),
      ...(host === null ? [] : domains.map(({ name }) => list({ [name]: { in: withWww } }, 6))),
      ...(host === null
        ? []
        : subject.addresses.flatMap(({ name }) =>
            [...new Set(urls)].map((url) => list({ [name]: { sameUrl: url } }, 1)),
          )),
    ]
  }

  /** Names with all words, of which the last may be a beginning, or names that `other` finds. */
  function wordLists(other: string | null = null): readonly NameList[] {
    if (display === null || wanted.address !== null) return []
    const words = wanted.words.slice(0, mostWords)
    const last = words.at(-1)
    if (last === undefined || !isFreeText(subject))
      return [list({ [display.name]: { contains: wanted.text } }, isFreeText(subject) ? 12 : 38, page, true)]
    const matches = wordsSearch(words, last)
    if (other === null) return [list({ [display.name]: { matches } }, 16, page, true)]
    // At most 64 words.
    return [list({ [display.name]: { matches: either(matches, other) } }, 29, page, true)]
  }

  /** Names with a part of a word, or with the beginning and the end of words that are written together. */
  function partLists(): readonly NameList[] {
    if (display === null) return []
    const contains = (part: string): Where => ({ [display.name]: { contains: part } })
    const each = isFreeText(subject) ? 6 : 22
    const pieces = piecesOf(wanted)
    const [first, last] = pieces
    const isLongWord = wanted.words.length === 1 && wanted.core.length > 5
    return [
      list(contains(wanted.text), 6 + each, page),
      ...(isLongWord && first !== undefined && last !== undefined
        ? [list({ AND: [contains(first), contains(last)] }, 16 + 2 * each, page)]
        : []),
      ...(pieces.length === 0 ? [] : [list({ OR: pieces.map(contains) }, 16 + each * pieces.length, page)]),
    ]
  }

  /** Domains such as `faz.net` for the first letters `fa`. */
  function initialLists(): readonly NameList[] {
    const { initials } = wanted
    if (initials === null) return []
    return domains.map(({ name }) => list({ [name]: { gte: initials, lt: `${initials}{` } }, 30, page))
  }
}

/** Whether names are also found from their letters alone, with other spaces: unless that search would be too long. */
export function comparesSpaces(subject: Subject, wanted: WantedName): boolean {
  if (!subject.isNamed || !isFreeText(subject)) return false
  const words = wanted.words.slice(0, mostWords)
  const [last, other] = [words.at(-1), searchOfSpaces(wanted)]
  return (
    last === undefined || other === null || either(wordsSearch(words, last), other).length <= limits.needle
  )
}

/** All words, of which the last may be a beginning; one of one or two letters costs more and finds too much. */
function wordsSearch(words: readonly string[], last: string): string {
  return [...words.slice(0, -1), /^[\0-\x7f]{1,2}$/.test(last) ? last : `${last}*`].join(' ')
}

function either(matches: string, other: string): string {
  return `(${matches}) OR ${other}`
}

function isFreeText({ display }: Subject): boolean {
  return display?.type.kind === 'string' && display.type.freeText
}

/** The domain itself, and at most two domains that it is below, without the top-level domain. */
function parentsOf(host: string): readonly string[] {
  const labels = host.split('.')
  const all = labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'))
  return [...new Set([...all.slice(0, 1), ...all.slice(-2)])]
}
