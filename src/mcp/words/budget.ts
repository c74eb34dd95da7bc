/** Cuts answers to the tokens that a call may take. It must not know what the values mean. */
import type { Json } from '../../util/is-object.ts'
import { AskError } from '../../ask/ask-error.ts'
import { answerText, cutText } from './plain-text.ts'
import { isWithin, tokensOf, tokensOfJson } from './tokens.ts'

/** Maximum tokens of each tool's answer, as JSON. */
export const budgets = {
  search_records: 2500,
  get_record: 2500,
  aggregate: 1500,
  describe: 1400,
  run_graphql: 4000,
  search: 2000,
  fetch: 6000,
} as const

export const fewestTokens = 200
export const mostTokens = 10_000

/** The tokens of one call: what the caller asks for, or the budget of the tool. */
export function budgetOf(tool: keyof typeof budgets, { max_tokens: asked }: Json): number {
  if (asked === undefined) return budgets[tool]
  if (typeof asked === 'number' && Number.isInteger(asked) && asked >= fewestTokens && asked <= mostTokens)
    return asked
  throw new AskError(`max_tokens is an integer from ${fewestTokens} to ${mostTokens}.`)
}

/** The answer, with its hint cut to fit; throws an AskError with the tokens it takes if the rest does not fit. */
export function keepWithin<Answer extends Json>(answer: Answer, tokens: number): Answer {
  if (isWithin(answer, tokens)) return answer
  const { hint } = answer
  if (typeof hint === 'string')
    for (let longest = hint.length; longest > 20; longest = Math.floor(0.8 * longest)) {
      const shorter = { ...answer, hint: cutText(hint, longest) }
      if (isWithin(shorter, tokens)) return shorter
    }
  const needed = Math.min(mostTokens, tokensOfJson(answer))
  throw new AskError(
    `The least of this answer takes more than ${tokens} tokens: give max_tokens, ${needed} or more.`,
  )
}

/** Cuts every text of a JSON value, including member names. */
export function cutTexts(value: unknown, longest: number): unknown {
  if (typeof value === 'string') return cutText(value, longest)
  if (Array.isArray(value)) return value.map((inside) => cutTexts(inside, longest))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inside]) => [
      cutText(name, longest),
      isCitable(name, inside) ? inside : cutTexts(inside, longest),
    ]),
  )
}

/** URIs and CIDs stay whole, because a part of one names nothing; the `id` of a record is its URI. */
function isCitable(name: string, value: unknown): boolean {
  return ['uri', 'cid', 'id'].includes(name) && typeof value === 'string' && value.length <= 300
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
  // Rows that are likely to fit are counted together, other rows one by one.
  if (answerText(rows).length < 3 * tokens && isWithin(rows, tokens)) return { rows, shortened: false }
  const known = new Map<string, number>()
  let best: FittedRows<Row> = { rows: rows.slice(0, countFitting(rows, tokens, known)), shortened: false }
  for (const longest of lengths) {
    if (best.rows.length === rows.length) return best
    const cut = rows.map((row) => cutTexts(row, longest) as Row)
    // Counting takes longer than cutting: this is tried only if it can show more rows, and the next cuts even less.
    if (longest !== lengths.at(-1) && sizeIn(cut, known) > tokens) continue
    const fitting = countFitting(cut, tokens, known)
    if (fitting > best.rows.length) best = { rows: cut.slice(0, fitting), shortened: true }
  }
  const [first] = rows
  if (best.rows.length > 0 || first === undefined) return best
  return { rows: [fitValue(first, tokens).value as Row], shortened: true }
}

/** About how many tokens the rows take, from the rows that have been counted. */
function sizeIn(rows: readonly unknown[], known: ReadonlyMap<string, number>): number {
  const characters = known.keys().reduce((sum, text) => sum + text.length, 0)
  const tokens = known.values().reduce((sum, size) => sum + size, 0)
  return (answerText(rows).length * tokens) / Math.max(characters, 1)
}

/** A longer row is not counted: it has more tokens than there are. */
const mostCharactersPerToken = 8

/** How many leading rows fit. Each is counted once; `known`: tokens of rows that have been counted before. */
function countFitting(rows: readonly unknown[], tokens: number, known: Map<string, number>): number {
  const texts = rows.map(answerText)
  const sizeOfRow = (text: string) => {
    const size = known.get(text) ?? tokensOf(text)
    known.set(text, size)
    return size
  }
  // Signs between rows join to fewer tokens. Some rows tell how many fewer, commas included.
  const some = texts.filter((text) => text.length < tokens).slice(0, 5)
  const apart = some.reduce((sum, text) => sum + sizeOfRow(text), 0)
  const saved = (apart - tokensOf(some.join())) / Math.max(some.length - 1, 1)
  let left = tokens - 2
  let fitting = 0
  for (const text of texts) {
    if (text.length > mostCharactersPerToken * left) break
    left -= sizeOfRow(text) - saved
    if (left < 0) break
    fitting += 1
  }
  while (fitting > 0 && !isWithin(rows.slice(0, fitting), tokens)) fitting -= 1
  return fitting
}

interface Loss {
  /** Lists whose ends were cut off. `path`: member names and positions from the root to the list, joined by dots. */
  cut: readonly { readonly path: string; readonly kept: number; readonly of: number }[]
  /** True if texts or members of objects were cut. */
  shortened: boolean
  /** Tokens of texts that have been counted. */
  readonly known: Map<string, number>
}

/** Cuts any JSON value to fit: first long texts, then the ends of lists, the largest first, then members of objects. */
export function fitValue(
  given: unknown,
  tokens: number,
): Readonly<Pick<Loss, 'cut' | 'shortened'>> & { readonly value: unknown } {
  const known = new Map<string, number>()
  // Exactly only where that decides.
  const fits = (value: unknown) => {
    const size = sizeOf(value, 1.3 * tokens, known)
    return size <= 0.85 * tokens || (size <= 1.3 * tokens && isWithin(value, tokens))
  }
  if (fits(given)) return { value: given, cut: [], shortened: false }
  const short = cutTexts(given, longText)
  if (fits(short)) return { value: short, cut: [], shortened: true }
  let room = tokens
  for (;;) {
    const loss: Loss = { cut: [], shortened: isCut(given), known }
    const value = fitInto(short, room, '', loss)
    const size = tokensOfJson(value)
    if (size <= tokens || room < 1) {
      const cut = loss.cut.toSorted((a, b) => b.of - b.kept - (a.of - a.kept))
      return { value, cut, shortened: loss.shortened }
    }
    room = Math.floor(Math.min(room - (size - tokens), room * 0.98)) - 1
  }
}

const longText = 600

function isCut(value: unknown): boolean {
  if (typeof value === 'string') return value.length > longText
  return typeof value === 'object' && value !== null && Object.values(value).some(isCut)
}

/** Tokens within an answer, where signs around values join. Stops soon after `most`: an answer may have megabytes. */
function sizeOf(value: unknown, most: number, known: Map<string, number>): number {
  if (typeof value === 'string') return tokensOfText(value, known)
  if (typeof value !== 'object' || value === null) return 1 + String(value).length / 2
  const isList = Array.isArray(value)
  let size = 1
  for (const name in value) {
    if (size > most) return size
    const label = isList ? 0 : tokensOfText(name, known)
    size += label + sizeOf((value as Json)[name], most - size, known)
  }
  return size
}

/** With the signs behind it. Extrapolates long texts from their beginning. */
function tokensOfText(text: string, known: Map<string, number>): number {
  const counted = known.get(text)
  if (counted !== undefined) return counted
  const beginning = text.length > 4000 ? text.slice(0, 2000) : text
  const tokens = (tokensOf(answerText(beginning).slice(1, -1)) * text.length) / Math.max(beginning.length, 1)
  known.set(text, tokens + 1)
  return tokens + 1
}

function fitInto(value: unknown, room: number, path: string, loss: Loss): unknown {
  const size = sizeOf(value, room, loss.known)
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
  const whole = leading(list, room - 1, (element, left) => sizeOf(element, left, loss.known))
  const remaining = whole.length === 0 && room > 20 ? [fitInto(list[0], room - 2, `${path}.0`, loss)] : whole
  if (remaining.length < list.length)
    loss.cut = [...loss.cut, { path, kept: remaining.length, of: list.length }]
  return remaining
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

/** Small members remain whole; the other members share the remaining room. */
function fitObject(value: object, room: number, path: string, loss: Loss): object {
  const members = Object.entries(value).map(([long, inside]) => {
    const name = cutText(long, 100)
    return { name, inside, label: tokensOfText(name, loss.known), size: sizeOf(inside, room, loss.known) }
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
      const part = isCitable(name, inside) ? inside : fitInto(inside, rooms.get(name) ?? 0, below, loss)
      return [name, part] as const
    }),
  )
}
