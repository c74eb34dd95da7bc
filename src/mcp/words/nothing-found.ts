/** Explains empty answers, by queries after them: names filter values, times and words that no record has. */
import type { Subject } from '../../ask/collections.ts'
import { EndpointError } from '../../endpoint/endpoint.ts'
import { printField } from '../../ask/graphql-text.ts'
import { buildWhere, type Narrowing } from '../../ask/filters.ts'
import { cutPlain } from './plain-text.ts'
import { unspacedTerms } from '../../search/parse-search.ts'
import { readSearch, type WordSearch } from '../../ask/search.ts'
import { readEnd, selectEnd } from './days.ts'
import { instantText } from '../../util/instant.ts'
import { besidesTime, sideCountsHint } from './side-counts.ts'
import { sentences, type Toolbox } from '../tools/toolbox.ts'
import { countAll, whyNoValue } from './unknown-values.ts'
import { isObject, type Json } from '../../util/is-object.ts'

/** How many words of one search are checked. */
const mostTerms = 4

/** What there is to say of an answer about `total` records, where that is known: why it is empty, and what it leaves out. */
export async function hintOf(
  data: Json,
  total: number | undefined,
  args: Narrowing,
  subject: Subject,
  toolbox: Toolbox,
): Promise<string> {
  const why = total === 0 ? await whyNothing(args, subject, toolbox) : null
  return sentences(why, sideCountsHint(data, total, args, subject, toolbox), toolbox.referenceHint())
}

/** The explanation; null if there is none, or if the service refuses the queries that it takes. */
export async function whyNothing(narrowing: Narrowing, subject: Subject, toolbox: Toolbox) {
  return explain(narrowing, subject, toolbox).catch((error: unknown) => {
    if (error instanceof EndpointError) return null
    throw error
  })
}

async function explain(narrowing: Narrowing, subject: Subject, toolbox: Toolbox): Promise<string | null> {
  const { filters, text } = narrowing
  const address = await withoutQuery(filters, subject, toolbox)
  if (address !== null) return address
  const { unmet, unmetTime, met } = await whyNoValue(narrowing, subject, toolbox)
  if (unmet) return unmet
  const words = readSearch(subject, narrowing.search)
  const whole = { search: words?.text, where: await buildWhere(subject, narrowing, toolbox) }
  // What no record of a selection meets, as a share, others may.
  if ((await countAll([whole], subject, toolbox))[0] !== 0) return null
  const when = (await whyNoTime(narrowing, subject, toolbox)) ?? (await unmetTime())
  if (when) return when
  if (words !== null && words.terms.length > 0) return whyNoWords(words, narrowing, subject, toolbox)
  if (!text?.trim()) return words === null ? met : null
  return /\s/.test(text.trim())
    ? 'A text has to be there as it is written, word after word: try its rarest word, or what other languages call it.'
    : 'Try a part of the word, or what other languages call it.'
}

/** What the addresses in filters find without their queries; null if none has a query, or that finds nothing either. */
async function withoutQuery(filters: unknown, subject: Subject, toolbox: Toolbox): Promise<string | null> {
  const all = isObject(filters) ? Object.entries(filters) : []
  const plain = all.map(([text, value]): [string, unknown] => [
    text,
    typeof value === 'string' && /^https?:\/\/[^?]+\?/i.test(value) ? value.replace(/\?.*/s, '') : value,
  ])
  const at = plain.findIndex(([, value], index) => value !== all[index]?.[1])
  if (at === -1) return null
  const where = await buildWhere(subject, { filters: Object.fromEntries(plain) }, toolbox)
  const [count = 0] = await countAll([{ where }], subject, toolbox)
  const [text, value] = plain[at] ?? []
  return count === 0
    ? null
    : `Nothing has this address in ${text}; without its query there is ${count}: write ${JSON.stringify(value)}.`
}

/** Names the newest and the oldest time under the other conditions; null if no record with a time meets them. */
async function whyNoTime(narrowing: Narrowing, subject: Subject, toolbox: Toolbox): Promise<string | null> {
  const others = besidesTime(narrowing, subject, toolbox)
  if (others === null) return null
  const search = readSearch(subject, narrowing.search)?.text
  const where = (await buildWhere(subject, others, toolbox)) ?? {}
  const data = await toolbox.ask({
    ...selectEnd('newest', subject, 'DESC', { search, where }),
    ...selectEnd('oldest', subject, 'ASC', { search, where }),
  })
  const [newest, oldest] = ['newest', 'oldest'].map((end) =>
    instantText(readEnd(data, end, subject))?.slice(0, 10),
  )
  if (!newest) return null
  const isNarrow = Object.keys(others.filters as Json).length > 0
  const isOnly = narrowing.search === undefined && narrowing.text === undefined && !isNarrow
  const range = newest === oldest ? '' : `, the oldest is ${oldest}`
  return `Nothing is from that time. ${isOnly ? 'The' : 'Of what meets the other conditions, the'} newest is ${newest}${range}.`
}

/** Counts what each word finds by itself, and what the search finds without the other conditions. */
async function whyNoWords(
  { text, terms }: WordSearch,
  narrowing: Narrowing,
  subject: Subject,
  toolbox: Toolbox,
): Promise<string> {
  const where = await buildWhere(subject, narrowing, toolbox)
  const tried = terms.slice(0, mostTerms)
  const searches = [
    { search: text },
    { search: tried.join(' OR '), where },
    ...tried.map((search) => ({ search })),
  ]
  const [unfiltered = 0, any = 0, ...each] = await countAll(searches, subject, toolbox)
  const missing = tried.filter((_, at) => each[at] === 0)
  if (missing.length > 0) return whyMissing(missing, subject, toolbox)
  if (unfiltered > 0)
    return `Without filters and times, the search finds ${unfiltered}: leave some of them out.`
  const { label } = subject
  const alone =
    tried.length < terms.length
      ? `No ${label} has all that is asked`
      : `Each word is in some ${label}, but none has all that is asked`
  return any > 0
    ? `${alone}: leave words or exclusions out. With OR between the words, ${any} are found.`
    : `${alone}, and with these filters none has any: leave filters out.`
}

async function whyMissing(missing: readonly string[], subject: Subject, toolbox: Toolbox): Promise<string> {
  const near = await nearWords(missing, subject, toolbox)
  const names = subject.collection.searchFields.map(({ name }) => name)
  const characters = unspacedTerms(missing.join(' OR '), names).map((term) => term.characters)
  const texts = characters.map(async (text) => ({ where: await buildWhere(subject, { text }, toolbox) }))
  const meant = near.map(({ nearest: [first] }) => `${first.word} (${first.count})`)
  const beginnings = missing.filter((term) => !near.some(({ word }) => term.includes(word))).map(beginningsOf)
  const searches = beginnings.flat().map((search) => ({ search }))
  const counts = await countAll([...searches, ...(await Promise.all(texts))], subject, toolbox)
  const countOf = new Map(beginnings.flat().map((search, at) => [search, counts[at] ?? 0]))
  const found = beginnings.flatMap((some) => some.find((search) => countOf.get(search) !== 0) ?? [])
  const partly = characters.flatMap((text, at) => {
    const count = counts[searches.length + at] ?? 0
    return count === 0 ? [] : [`text: "${text}" finds ${count}`]
  })
  const instead = [...found.map((search) => `${search} finds ${countOf.get(search)}`), ...partly].join(', ')
  const shown = missing.map((term) => cutPlain(term, 60)).join(', ')
  const suggested = meant.length === 0 ? '' : ` Did you mean ${meant.join(', ')}?`
  return `No ${subject.label} has ${shown}${instead === '' ? '' : `, but ${instead}`}.${suggested} Words match whole: try fewer of them, beginnings such as elect*, or other words and languages, joined by OR.`
}

type Counted = { readonly word: string; readonly count: number }
type NearWords = { readonly word: string; readonly nearest: readonly [Counted, ...Counted[]] }

/** Words of terms that no record has, and that differ little from others. */
async function nearWords(terms: readonly string[], { collection }: Subject, toolbox: Toolbox) {
  const list = printField(collection.rootField, { search: terms.join(' OR '), first: 0 })
  const data = await toolbox.ask({ [list]: { didYouMean: { word: {}, nearest: { word: {}, count: {} } } } })
  const { didYouMean: all } = data[collection.rootField] as { readonly didYouMean: readonly NearWords[] }
  return all.filter(({ nearest: { length } }) => length > 0)
}

/** Searches for words that begin as a single word does, the longest beginning first. */
function beginningsOf(term: string): string[] {
  const [, field = '', word = ''] = /^(\w+:)?([\p{L}\p{N}\p{M}]{4,60})$/u.exec(term) ?? []
  const shorter = Math.max(4, Math.floor(0.7 * word.length))
  const lengths = word === '' ? [] : [...new Set([word.length, shorter])]
  return lengths.map((length) => `${field}${word.slice(0, length)}*`)
}
