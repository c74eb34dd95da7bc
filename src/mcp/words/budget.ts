/**
 * Estimates the tokens of an answer, and cuts answers to the budget of their tool. Estimates err on the high side.
 * It must not know what the values mean.
 */
import type { Json } from '../tools/tool.ts'
import { answerText, cutText } from './plain-text.ts'

/** Maximum tokens of each tool's answer, as JSON. */
export const budgets = {
  search_records: 2500,
  get_record: 2500,
  aggregate: 1500,
  describe: 1400,
  resolve_name: 400,
  validate_graphql: 400,
  run_graphql: 4000,
} as const

/** The tokens of one call: what the caller asks for, or the budget of the tool. */
export function budgetOf(tool: keyof typeof budgets, { max_tokens: asked }: Json): number {
  return typeof asked === 'number' ? asked : budgets[tool]
}

/** Characters per token by script; the numbers err on the low side. */
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
    String.raw`([A-Za-z0-9]+(?!\p{L}))`,
    String.raw`([\s"{}[\]():,]+)`,
    ...scripts.map(([run]) => `(${run}+)`),
    '[^]',
  ].join('|'),
  'gu',
)

/** Approximates current tokenizers; unknown characters count one token per byte. */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (const [part, word, marks, ...runs] of text.matchAll(parts)) {
    const per = scripts[runs.findIndex((run) => run !== undefined)]?.[1]
    if (word !== undefined) tokens += tokensOfWord(word)
    else if (marks !== undefined) tokens += tokensOfMarks(marks)
    else tokens += per === undefined ? Buffer.byteLength(part) : Math.max(part.length / per, 1)
  }
  return Math.ceil(tokens)
}

function tokensOfWord(word: string): number {
  if (/^\d+$/.test(word)) return Math.ceil(word.length / 3)
  // Tokenizers split non-words, such as hashes, into short pieces.
  const isOdd = word.length > 24 ? !/[a-z][A-Z]/.test(word) : /\d[a-z]+\d|[^aeiouyAEIOUY\d]{5}/.test(word)
  if (isOdd || (word.length > 8 && /\d/.test(word))) return word.length / 1.45
  const pieces = word.match(/\d{1,3}|[A-Za-z]+/g) ?? []
  return pieces.reduce((sum, piece) => sum + Math.max(piece.length / 4.7, 1), 0)
}

/** Tokenizers join a space with the following word, and adjacent punctuation of JSON with each other. */
function tokensOfMarks(marks: string): number {
  if (marks === ' ') return 0.1
  const groups = marks.split(/\s+/)
  const lines = marks.split('\n').length - 1
  return groups.reduce((sum, { length }) => sum + (length === 0 ? 0 : Math.max(length / 2.4, 1)), lines)
}

export function tokensOfJson(value: unknown): number {
  return estimateTokens(answerText(value))
}

/** Cuts every text of a JSON value, including member names. */
export function cutTexts(value: unknown, longest: number): unknown {
  if (typeof value === 'string') return cutText(value, longest)
  if (Array.isArray(value)) return value.map((inside) => cutTexts(inside, longest))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inside]) => [cutText(name, longest), cutTexts(inside, longest)]),
  )
}

/** Maximum characters of texts in rows, tried in this order until all rows fit. */
const lengths = [700, 300, 160] as const

export interface FittedRows<Row> {
  readonly rows: readonly Row[]
  /** True if texts in the rows were cut. */
  readonly shortened: boolean
}

/** As many leading rows as fit; long texts are cut first, down to 160 characters. At least one row remains. */
export function fitRows<Row>(rows: readonly Row[], tokens: number): FittedRows<Row> {
  let best: FittedRows<Row> = { rows: [], shortened: false }
  for (const longest of [Number.POSITIVE_INFINITY, ...lengths]) {
    const cut = rows.map((row) => cutTexts(row, longest) as Row)
    const fitting = leading(cut, tokens, (row) => tokensOfJson(row) + 1)
    if (fitting.length > best.rows.length) best = { rows: fitting, shortened: longest < Infinity }
    if (best.rows.length === rows.length) return best
  }
  const [first] = rows
  if (best.rows.length > 0 || first === undefined) return best
  return { rows: [fitValue(first, tokens).value as Row], shortened: true }
}

/** As many leading elements as have room. */
function leading<Element>(
  elements: readonly Element[],
  room: number,
  sizeIn: (element: Element, left: number) => number,
): readonly Element[] {
  let left = room
  const over = elements.findIndex((element) => (left -= sizeIn(element, left)) < 0)
  return over === -1 ? elements : elements.slice(0, over)
}

/** A list whose end was cut off. */
export interface CutList {
  /** Member names and positions from the root to the list, joined by dots. */
  readonly path: string
  readonly kept: number
  readonly of: number
}

/** What was cut. */
interface Loss {
  cut: readonly CutList[]
  /** True if texts or members of objects were cut. */
  shortened: boolean
}

export interface FittedValue extends Readonly<Loss> {
  readonly value: unknown
}

/** Cuts any JSON value to fit: first long texts, then the ends of lists, the largest first, then members of objects. */
export function fitValue(given: unknown, tokens: number): FittedValue {
  if (isWithin(given, tokens)) return { value: given, cut: [], shortened: false }
  const short = cutTexts(given, longText)
  if (isWithin(short, tokens)) return { value: short, cut: [], shortened: true }
  let room = tokens
  for (;;) {
    const loss: Loss = { cut: [], shortened: isCut(given) }
    const value = fitInto(short, room, '', loss)
    if (tokensOfJson(value) <= tokens || room < 1)
      return { value, ...loss, cut: loss.cut.toSorted((a, b) => b.of - b.kept - (a.of - a.kept)) }
    room = Math.floor(room * 0.9) - 1
  }
}

const longText = 600

function isCut(value: unknown): boolean {
  if (typeof value === 'string') return value.length > longText
  return typeof value === 'object' && value !== null && Object.values(value).some(isCut)
}

function isWithin(value: unknown, tokens: number): boolean {
  return sizeOf(value, 2 * tokens) <= 2 * tokens && tokensOfJson(value) <= tokens
}

/** Estimated tokens. Stops soon after `most`, because an answer may have megabytes. */
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

/** Extrapolates long texts from their beginning. */
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

/** Cuts the end of the list; if not even the first element fits, cuts that element. */
function fitList(list: readonly unknown[], room: number, path: string, loss: Loss): readonly unknown[] {
  const whole = leading(list, room - 1, sizeOf)
  const remaining = whole.length === 0 && room > 20 ? [fitInto(list[0], room - 2, `${path}.0`, loss)] : whole
  if (remaining.length < list.length)
    loss.cut = [...loss.cut, { path, kept: remaining.length, of: list.length }]
  return remaining
}

/** Small members remain whole; the other members share the remaining room. */
function fitObject(value: object, room: number, path: string, loss: Loss): object {
  const members = Object.entries(value).map(([long, inside]) => {
    const name = cutText(long, 100)
    return { name, inside, label: tokensOfText(name), size: sizeOf(inside, room) }
  })
  const remaining = leading(members, room - 1, ({ label }) => label + 1)
  if (remaining.length < members.length) loss.shortened = true
  let rest = room - 1 - remaining.reduce((sum, { label }) => sum + label, 0)
  let shares = remaining.length
  const rooms = new Map<string, number>()
  for (const { name, size } of remaining.toSorted((a, b) => a.size - b.size)) {
    const given = Math.min(size, rest / shares)
    rooms.set(name, given)
    rest -= given
    shares -= 1
  }
  return Object.fromEntries(
    remaining.map(({ name, inside }) => {
      const below = path === '' ? name : `${path}.${name}`
      return [name, fitInto(inside, rooms.get(name) ?? 0, below, loss)] as const
    }),
  )
}
