/** Finds records by name, with other spellings, for the tool resolve_name and for filters on references. */
import type { Subject } from '../words/collections.ts'
import { printField } from '../graphql/graphql-text.ts'
import { plainText } from '../words/plain-text.ts'
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

export type Match = 'exact' | 'starts' | 'contains' | 'similar'
const matches: readonly Match[] = ['exact', 'starts', 'contains', 'similar']

export interface NameSearch {
  readonly found: readonly NamedRecord[]
  /** True if there may be more matches, because not all candidates were compared. */
  readonly isCapped: boolean
  readonly query: string
}

export type Asking = (query: string) => Promise<Json>

/** Candidates that are compared, per collection. */
const mostCandidates = 100
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
  const named = subjects.filter(({ display }) => display !== null)
  const { records, ...whole } = await candidates(
    named,
    (field) => [{ [field]: { eq: name } }, { [field]: { contains: name } }],
    askFor,
  )
  const sure = rank(name, records).filter(({ match }) => match !== 'similar')
  if (sure.length > 0) return { ...whole, found: sure }
  const pieces = piecesOf(name)
  if (pieces.length === 0) return { ...whole, found: [] }
  const { records: alike, ...near } = await candidates(
    named,
    (field) => [{ OR: pieces.map((piece): Where => ({ [field]: { contains: piece } })) }],
    askFor,
  )
  return { ...near, found: rank(name, alike).filter(({ score }) => score >= leastScore) }
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

interface Candidate {
  readonly subject: Subject
  readonly uri: string
  readonly name: string
}

async function candidates(
  subjects: readonly Subject[],
  conditions: (field: string) => readonly Where[],
  askFor: Asking,
): Promise<Omit<NameSearch, 'found'> & { readonly records: readonly Candidate[] }> {
  const each = conditions('').reduce(
    (sum, where) => sum + ('OR' in where ? (where.OR as Where[]).length : 1),
    0,
  )
  const atOnce = Math.max(1, Math.floor(mostConditions / each))
  const searches = []
  for (let start = 0; start < subjects.length; start += atOnce)
    searches.push(await candidatesOf(subjects.slice(start, start + atOnce), conditions, askFor))
  return {
    records: searches.flatMap(({ records }) => records),
    isCapped: searches.some(({ isCapped }) => isCapped),
    query: searches.map(({ query }) => query).join('\n'),
  }
}

async function candidatesOf(
  subjects: readonly Subject[],
  conditions: (field: string) => readonly Where[],
  askFor: Asking,
): Promise<Omit<NameSearch, 'found'> & { readonly records: readonly Candidate[] }> {
  const fields = subjects.flatMap(({ collection, display }, index) =>
    conditions(display?.name ?? '').map((where, at) => {
      const first = 'OR' in where || at > 0 ? mostCandidates : 5
      const list = printField(collection.rootField, { first, where })
      return { alias: `c${index}_${at}`, index, text: `${list} { nodes { uri ${display?.name} } }` }
    }),
  )
  const query = `{ ${fields.map(({ alias, text }) => `${alias}: ${text}`).join(' ')} }`
  const data = await askFor(query)
  let isCapped = false
  const records = fields.flatMap(({ alias, index }) => {
    const subject = subjects[index] as Subject
    const { nodes } = data[alias] as { nodes: readonly Json[] }
    isCapped ||= nodes.length === mostCandidates
    return nodes.map((node) => ({
      subject,
      uri: String(node.uri),
      name: String(node[subject.display?.name ?? '']),
    }))
  })
  return { records: [...new Map(records.map((record) => [record.uri, record])).values()], isCapped, query }
}

function rank(name: string, records: readonly Candidate[]): NamedRecord[] {
  const wanted = foldText(name.trim())
  return records
    .map(({ subject, uri, name: has }) => {
      const folded = foldText(has.trim())
      const match = matchOf(wanted, folded)
      const score = match === 'exact' ? 1 : similarity(wanted, folded)
      return { collection: subject.label, uri: plainText(uri), name: plainText(has), match, score }
    })
    .toSorted(
      (a, b) =>
        matches.indexOf(a.match) - matches.indexOf(b.match) || b.score - a.score || (a.uri < b.uri ? -1 : 1),
    )
}

function matchOf(wanted: string, folded: string): Match {
  if (folded === wanted) return 'exact'
  if (folded.startsWith(wanted)) return 'starts'
  return folded.includes(wanted) ? 'contains' : 'similar'
}

/** Dice coefficient of the pairs of adjacent letters; spaces and punctuation are ignored. */
export function similarity(a: string, b: string): number {
  const [left, right] = [pairsOf(a), pairsOf(b)]
  if (left.length === 0 || right.length === 0) return 0
  const rest = [...right]
  let shared = 0
  for (const pair of left) {
    const at = rest.indexOf(pair)
    if (at === -1) continue
    rest.splice(at, 1)
    shared += 1
  }
  return (2 * shared) / (left.length + right.length)
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
