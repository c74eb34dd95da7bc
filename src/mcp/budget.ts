/**
 * How much of a model's context an answer takes, and how it is cut to what a tool may take.
 * Tokens are estimated, rather too high than too low; it knows nothing of what the values mean.
 */

/** Tokens that each tool's answer may have, as JSON. */
export const budgets = {
  search_records: 2500,
  get_record: 2500,
  aggregate: 1500,
  describe: 1400,
  resolve_name: 400,
  validate_graphql: 400,
  run_graphql: 4000,
} as const

const word = /[A-Za-z]+|\d+| +|[\u0080-\u024f\u0370-\u03ff\u0400-\u04ff]+|[^]/gu
/** Beyond them a character takes at most as many tokens as it has bytes. */
const common =
  /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Devanagari}\p{sc=Bengali}\p{sc=Tamil}\p{sc=Telugu}\p{sc=Gujarati}\p{sc=Kannada}\p{sc=Malayalam}\p{sc=Thai}\p{sc=Hangul}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u2010-\u203a\u3000-\u303f\uff00-\uffef]/u

/** About as many as the tokenizers of the day make of it. */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (const [part] of text.matchAll(word)) tokens += tokensOf(part)
  return Math.ceil(tokens)
}

function tokensOf(part: string): number {
  const code = part.charCodeAt(0)
  if (code === 0x20) return part.length === 1 ? 0.1 : 1
  if (code < 0x3a && code >= 0x30) return Math.ceil(part.length / 3)
  if (code < 0x80) {
    // What is no word, such as a hash, falls to pieces.
    if (part.length > 18 || /[^aeiouyAEIOUY]{4}/.test(part)) return part.length / 1.7
    return part.length <= 6 ? 1 : part.length / 4.5
  }
  if (part.length > 2 || code < 0x500) return Math.ceil(part.length / 1.6)
  return common.test(part) ? 1.1 : Buffer.byteLength(part)
}

export function tokensOfJson(value: unknown): number {
  return estimateTokens(JSON.stringify(value) ?? '')
}

/** The text itself, or its beginning with an ellipsis; never half a surrogate pair. */
export function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text
  const cut = text.slice(0, Math.max(longest - 1, 0))
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}

/** Every text in it cut to that length. */
export function cutTexts(value: unknown, longest: number): unknown {
  if (typeof value === 'string') return cutText(value, longest)
  if (Array.isArray(value)) return value.map((inside) => cutTexts(inside, longest))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inside]) => [cutText(name, longest), cutTexts(inside, longest)]),
  )
}

/** Longest texts in a row, tried one after the other until enough rows fit. */
const lengths = [700, 300, 160] as const

export interface FittedRows<Row> {
  readonly rows: readonly Row[]
  /** Whether texts in them were cut. */
  readonly shortened: boolean
}

/** As many rows from the beginning as fit; long texts are cut first, down to 160 characters. At least one row stays. */
export function fitRows<Row>(rows: readonly Row[], tokens: number): FittedRows<Row> {
  let best: FittedRows<Row> = { rows: [], shortened: false }
  for (const longest of [Number.POSITIVE_INFINITY, ...lengths]) {
    const cut = rows.map((row) => cutTexts(row, longest) as Row)
    const kept = fitting(cut, tokens)
    if (kept > best.rows.length) best = { rows: cut.slice(0, kept), shortened: longest < Infinity }
    if (best.rows.length === rows.length) return best
  }
  if (best.rows.length > 0) return best
  const [first] = rows
  return { rows: first === undefined ? [] : [fitValue(first, tokens).value as Row], shortened: true }
}

function fitting(rows: readonly unknown[], tokens: number): number {
  let left = tokens
  const over = rows.findIndex((row) => (left -= tokensOfJson(row) + 1) < 0)
  return over === -1 ? rows.length : over
}

/** A list that lost its end. */
export interface CutList {
  /** Names and positions down to it, joined by points. */
  readonly path: string
  readonly kept: number
  readonly of: number
}

export interface FittedValue {
  readonly value: unknown
  readonly cut: readonly CutList[]
  readonly shortened: boolean
}

/** Any JSON made to fit: long texts are cut, then lists lose their ends, the largest first, then members of objects. */
export function fitValue(given: unknown, tokens: number): FittedValue {
  let value = given
  const cut = new Map<string, CutList>()
  for (const longest of [null, 600, 200, 80, 30]) {
    const shortened = longest !== null
    if (longest !== null) value = cutTexts(value, longest)
    if (tokensOfJson(value) <= tokens) return { value, cut: [], shortened }
    // Texts are cut hard only where lists cannot lose enough.
    if (longest === null) continue
    const lost = shortenLists(value, tokens, cut, 1)
    if (lost.fits) return { value: lost.value, cut: [...cut.values()], shortened }
    cut.clear()
  }
  const { value: last } = shortenLists(value, tokens, cut, 0)
  return { value: dropMembers(last, tokens), cut: [...cut.values()], shortened: true }
}

interface Place {
  readonly list: unknown[]
  readonly path: string
}

/** Takes from the end of what is largest, until all fits or every list has `least` elements. */
function shortenLists(
  given: unknown,
  tokens: number,
  cut: Map<string, CutList>,
  least: number,
): { value: unknown; fits: boolean } {
  const value = structuredClone(given)
  for (;;) {
    const excess = tokensOfJson(value) - tokens
    if (excess <= 0) return { value, fits: true }
    const largest = largestList(value, least)
    if (largest === null) return { value, fits: false }
    const { list, path } = largest
    const of = cut.get(path)?.of ?? list.length
    let shed = 0
    while (list.length > least && shed < excess) shed += tokensOfJson(list.pop()) + 1
    cut.set(path, { path, kept: list.length, of })
    for (const known of cut.keys())
      if (known.startsWith(`${path}.`) && Number(known.slice(path.length + 1).split('.')[0]) >= list.length)
        cut.delete(known)
  }
}

function largestList(value: unknown, least: number): Place | null {
  let found: Place | null = null
  let most = 0
  const visit = (inside: unknown, path: string): void => {
    if (typeof inside !== 'object' || inside === null) return
    if (Array.isArray(inside) && inside.length > least) {
      const size = tokensOfJson(inside)
      // Of a list and what is all but all of it, the inner one is cut: a row is worth more than its last element.
      if (size > most) [found, most] = [{ list: inside, path }, size]
    }
    for (const [name, member] of Object.entries(inside)) visit(member, path === '' ? name : `${path}.${name}`)
  }
  visit(value, '')
  return found
}

function dropMembers(value: unknown, tokens: number): unknown {
  if (tokensOfJson(value) <= tokens) return value
  if (typeof value !== 'object' || value === null) return cutTexts(value, 30)
  const kept: Record<string, unknown> = {}
  let left = tokens - 10
  for (const [name, member] of Object.entries(value)) {
    const room = Math.floor(left / 2)
    const inside = tokensOfJson(member) <= room || room < 20 ? member : dropMembers(member, room)
    left -= tokensOfJson({ [name]: inside })
    if (left < 0) break
    kept[name] = inside
  }
  return Array.isArray(value) ? Object.values(kept) : kept
}
