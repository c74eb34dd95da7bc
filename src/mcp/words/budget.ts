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

/** How many characters of a run make a token, rather too few than too many. */
const scripts: readonly (readonly [run: string, characters: number])[] = [
  [String.raw`[\p{sc=Latin}]`, 2.6],
  [String.raw`[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}\p{sc=Georgian}]`, 2.4],
  [
    String.raw`[\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Devanagari}\p{sc=Bengali}\p{sc=Tamil}\p{sc=Telugu}\p{sc=Gujarati}]`,
    1.9,
  ],
  [String.raw`[\p{sc=Thai}\p{sc=Hangul}\p{sc=Kannada}\p{sc=Malayalam}]`, 1.3],
  [String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u2010-\u203a\u3000-\u303f\uff00-\uffef]`, 0.95],
]
const parts = new RegExp(
  [
    String.raw`[A-Za-z0-9]+(?!\p{L})`,
    String.raw`[\s"{}[\]():,]+`,
    ...scripts.map(([run]) => `(${run}+)`),
    '[^]',
  ].join('|'),
  'gu',
)

/** About as many as the tokenizers of the day make of it; what cannot be known counts by its bytes. */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (const [part, ...runs] of text.matchAll(parts)) {
    const script = runs.findIndex((run) => run !== undefined)
    const per = scripts[script]?.[1]
    tokens += per === undefined ? tokensOf(part) : Math.max(part.length / per, 1)
  }
  return Math.ceil(tokens)
}

function tokensOf(part: string): number {
  if (/^[A-Za-z0-9]/.test(part)) return tokensOfWord(part)
  if (/^[\s"{}[\]():,]/.test(part)) return tokensOfMarks(part)
  return Buffer.byteLength(part)
}

function tokensOfWord(word: string): number {
  if (/^\d+$/.test(word)) return Math.ceil(word.length / 3)
  // What is no word, such as a hash, falls to pieces.
  const isOdd = word.length > 24 ? !/[a-z][A-Z]/.test(word) : /\d[a-z]+\d|[^aeiouyAEIOUY\d]{5}/.test(word)
  if (isOdd || (word.length > 8 && /\d/.test(word))) return word.length / 1.45
  const pieces = word.match(/\d{1,3}|[A-Za-z]+/g) ?? []
  return pieces.reduce((sum, piece) => sum + Math.max(piece.length / 4.7, 1), 0)
}

/** A space goes with the word behind it; what surrounds values in JSON goes together. */
function tokensOfMarks(marks: string): number {
  if (marks === ' ') return 0.1
  const groups = marks.split(/\s+/)
  const lines = marks.split('\n').length - 1
  return groups.reduce((sum, { length }) => sum + (length === 0 ? 0 : Math.max(length / 2.4, 1)), lines)
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

/** Any JSON made to fit: long texts are cut, then lists lose their ends, the largest first, then objects members. */
export function fitValue(given: unknown, tokens: number): FittedValue {
  if (isWithin(given, tokens)) return { value: given, cut: [], shortened: false }
  const short = cutTexts(given, longText)
  if (isWithin(short, tokens)) return { value: short, cut: [], shortened: true }
  let room = tokens
  for (;;) {
    const loss: Loss = { cut: [], shortened: isCut(given) }
    const value = fitInto(short, room, '', loss)
    if (tokensOfJson(value) <= tokens || room < 1)
      return { value, cut: loss.cut.toSorted(byLoss), shortened: loss.shortened }
    room = Math.floor(room * 0.9) - 1
  }
}

const longText = 600

function byLoss(a: CutList, b: CutList): number {
  return b.of - b.kept - (a.of - a.kept)
}

/** What was lost on the way. */
interface Loss {
  readonly cut: CutList[]
  /** Texts, or members of objects. */
  shortened: boolean
}

function isCut(value: unknown): boolean {
  if (typeof value === 'string') return value.length > longText
  return typeof value === 'object' && value !== null && Object.values(value).some(isCut)
}

function isWithin(value: unknown, tokens: number): boolean {
  return sizeOf(value, 2 * tokens) <= 2 * tokens && tokensOfJson(value) <= tokens
}

/** About what it takes; what is over `most` is not looked at to its end, because an answer may have megabytes. */
function sizeOf(value: unknown, most: number): number {
  if (typeof value === 'string') return tokensOfText(value)
  if (typeof value !== 'object' || value === null) return 1 + String(value).length / 3
  const isList = Array.isArray(value)
  let size = 1
  for (const name in value) {
    if (size > most) return size
    size += (isList ? 0 : tokensOfText(name)) + sizeOf((value as Json)[name], most - size)
  }
  return size
}

type Json = Readonly<Record<string, unknown>>

/** A long text is like its beginning. */
function tokensOfText(text: string): number {
  const beginning = text.length > 4000 ? text.slice(0, 2000) : text
  return (tokensOfJson(beginning) * text.length) / Math.max(beginning.length, 1) + 1
}

function fitInto(value: unknown, room: number, path: string, loss: Loss): unknown {
  const size = sizeOf(value, room)
  if (size <= room) return value
  if (typeof value === 'string') {
    loss.shortened = true
    return cutText(value, Math.floor((value.length * room) / size))
  }
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? fitList(value, room, path, loss) : fitObject(value, room, path, loss)
}

/** A list loses its end; where not even its first element has room, that one is made smaller. */
function fitList(list: readonly unknown[], room: number, path: string, loss: Loss): unknown[] {
  let left = room - 1
  const over = list.findIndex((element) => (left -= sizeOf(element, left)) < 0)
  const kept = list.slice(0, over)
  if (kept.length === 0 && room > 20) kept.push(fitInto(list[0], room - 2, `${path}.0`, loss))
  if (kept.length < list.length) loss.cut.push({ path, kept: kept.length, of: list.length })
  return kept
}

/** Members that take little stay as they are; the others share what is left. */
function fitObject(value: object, room: number, path: string, loss: Loss): object {
  const members = Object.entries(value).map(([name, inside]) => ({
    name: cutText(name, 100),
    inside,
    size: sizeOf(inside, room),
  }))
  const names = members.map(({ name }) => tokensOfText(name))
  let left = room - 1
  const most = names.findIndex((size) => (left -= size + 1) < 0)
  const kept = most === -1 ? members : members.slice(0, most)
  if (kept.length < members.length) loss.shortened = true
  let [rest, shares] = [
    room - 1 - names.slice(0, kept.length).reduce((sum, size) => sum + size, 0),
    kept.length,
  ]
  const rooms = new Map<string, number>()
  for (const { name, size } of kept.toSorted((a, b) => a.size - b.size)) {
    const given = Math.min(size, rest / shares)
    rooms.set(name, given)
    rest -= given
    shares -= 1
  }
  return Object.fromEntries(
    kept.map(({ name, inside }) => {
      const below = path === '' ? name : `${path}.${name}`
      return [name, fitInto(inside, rooms.get(name) ?? 0, below, loss)] as const
    }),
  )
}
