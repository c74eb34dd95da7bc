/** Finds records by name, with other spellings, for the tool resolve_name and for filters on references. */
import type { Subject } from '../words/collections.ts'
import { EndpointError } from '../../endpoint/endpoint.ts'
import { printField } from '../graphql/graphql-text.ts'
import { foldText } from '../../util/text/fold.ts'
import type { Where } from './where.ts'
import { type Json, ToolError } from '../tools/tool.ts'

export interface NamedRecord {
  readonly collection: string
  readonly uri: string
  readonly name: string
  readonly match: Match
  /** Similarity of the two spellings, 0 to 1. */
  readonly score: number
}

/** The best match first. */
const matches = ['exact', 'starts', 'contains', 'similar'] as const
type Match = (typeof matches)[number]

export interface NameSearch {
  readonly found: readonly NamedRecord[]
  /** True if there may be more matches, because not all candidates were compared. */
  readonly isCapped: boolean
}

export type Asking = (query: string) => Promise<Json>

/** Candidates that are compared, per collection: one page, or the smallest page if the caller's tier refuses that. */
const candidates = { most: 100, least: 20 } as const
const mostPieces = 6
/** Conditions in one operation; more could cost more points than a tier allows for one operation. */
const mostConditions = 8
/** Names below this similarity are different names. */
const leastScore = 0.35

/** Best first. Similar names are searched only if no name contains the whole text. */
export async function searchNames(
  name: string,
  subjects: readonly Subject[],
  askFor: Asking,
): Promise<NameSearch> {
  try {
    return await searchPages(name, subjects, candidates.most, askFor)
  } catch (error) {
    if (!(error instanceof EndpointError) || error.code !== 'BAD_USER_INPUT') throw error
    return searchPages(name, subjects, candidates.least, askFor)
  }
}

async function searchPages(
  name: string,
  subjects: readonly Subject[],
  size: number,
  askFor: Asking,
): Promise<NameSearch> {
  const whole = await searchLists(name, subjects, 2, size, askFor, (field) => [
    { first: 5, where: { [field]: { eq: name } } },
    { first: size, where: { [field]: { contains: name } } },
  ])
  const sure = whole.found.filter(({ match }) => match !== 'similar')
  const pieces = piecesOf(name)
  if (sure.length > 0 || pieces.length === 0) return { ...whole, found: sure }
  const near = await searchLists(name, subjects, pieces.length, size, askFor, (field) => [
    { first: size, where: { OR: pieces.map((piece) => ({ [field]: { contains: piece } })) } },
  ])
  return { ...near, found: near.found.filter(({ score }) => score >= leastScore) }
}

/** The URI of the only record with that name; throws a ToolError that shows similar names. */
export async function findByName(name: string, subject: Subject, askFor: Asking): Promise<string> {
  const { found } = await searchNames(name, [subject], askFor)
  const exact = found.filter(({ match }) => match === 'exact')
  const sure = exact.length > 0 ? exact : found.filter(({ match }) => match !== 'similar')
  const [only, ...others] = sure
  if (only !== undefined && others.length === 0) return only.uri
  const shown = (sure.length > 0 ? sure : found)
    .slice(0, 4)
    .map((one) => (exact.length > 1 ? one.uri : `"${one.name}"`))
    .join(', ')
  const wanted = `${subject.label} "${name.slice(0, 80)}"`
  if (sure.length > 1) throw new ToolError(`There is more than one ${wanted}: ${shown}. Write one of them.`)
  throw new ToolError(
    `There is no ${wanted}.${shown === '' ? ' Find it with resolve_name.' : ` The nearest: ${shown}.`}`,
  )
}

/**
 * The records of some lists of each collection; `conditions` is their number in the lists of one collection, `size` the
 * records of the longest page.
 */
async function searchLists(
  name: string,
  subjects: readonly Subject[],
  conditions: number,
  size: number,
  askFor: Asking,
  listsOf: (field: string) => readonly { readonly first: number; readonly where: Where }[],
): Promise<NameSearch> {
  const wanted = foldText(name.trim())
  const lists = subjects.flatMap(({ collection, label, display }) => {
    if (display === null) return []
    const nodes = ` { nodes { uri ${display.name} } }`
    const texts = listsOf(display.name).map((list) => printField(collection.rootField, list) + nodes)
    return [{ label, field: display.name, texts }]
  })
  const atOnce = Math.max(1, Math.floor(mostConditions / conditions))
  const found = new Map<string, NamedRecord>()
  let isCapped = false
  for (let start = 0; start < lists.length; start += atOnce) {
    const aliased = lists
      .slice(start, start + atOnce)
      .flatMap(({ texts, ...list }, at) =>
        texts.map((text, index) => ({ ...list, text, alias: `c${at}_${index}` })),
      )
    const query = `{ ${aliased.map(({ alias, text }) => `${alias}: ${text}`).join(' ')} }`
    const data = await askFor(query)
    for (const { alias, label, field } of aliased) {
      const { nodes } = data[alias] as { nodes: readonly Json[] }
      isCapped ||= nodes.length === size
      for (const node of nodes)
        found.set(String(node.uri), compare(wanted, label, String(node.uri), String(node[field])))
    }
  }
  return { found: [...found.values()].toSorted(byMatch), isCapped }
}

function compare(wanted: string, collection: string, uri: string, name: string): NamedRecord {
  const folded = foldText(name.trim())
  const match = matchOf(wanted, folded)
  const score = match === 'exact' ? 1 : similarity(wanted, folded)
  return { collection, uri, name, match, score }
}

function byMatch(a: NamedRecord, b: NamedRecord): number {
  return matches.indexOf(a.match) - matches.indexOf(b.match) || b.score - a.score || (a.uri < b.uri ? -1 : 1)
}

function matchOf(wanted: string, folded: string): Match {
  if (folded === wanted) return 'exact'
  if (folded.startsWith(wanted)) return 'starts'
  return folded.includes(wanted) ? 'contains' : 'similar'
}

/** Dice coefficient of the pairs of adjacent letters; spaces and punctuation are ignored. */
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
  const letters = Array.from(text.slice(0, 200).matchAll(/[\p{L}\p{N}\p{M}]/gu), ([letter]) => letter)
  if (letters.length === 1) return letters
  return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`)
}

/** Beginnings, ends and middles of the longest words: one wrong letter leaves most of them intact. */
function piecesOf(name: string): string[] {
  const words = Array.from(foldText(name).matchAll(/[\p{L}\p{N}\p{M}]+/gu), ([word]) => word)
  const pieces = words
    .filter((word) => word.length > 1)
    .toSorted((a, b) => b.length - a.length)
    .flatMap((word) => {
      const size = /[\u3000-\u9fff\uac00-\ud7af]/.test(word) ? 2 : 3
      if (word.length <= size) return [word]
      const middle = Math.floor((word.length - size) / 2)
      return [word.slice(0, size), word.slice(-size), word.slice(middle, middle + size)]
    })
  return [...new Set(pieces)].slice(0, mostPieces)
}
