/** Pages over the demo corpus or the stress set, what tests read from them, and what their addresses mean. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { parseHTML } from 'linkedom'
import {
  closeCorpora,
  type Corpus,
  corpusNamed,
  newsLexicons,
  siteLexicons,
  stressLexicons,
} from '../golden/corpora.ts'
import type { Model } from '../../src/schema/model/model.ts'
import type { PlainRecord } from '../reference/dataset.ts'
import type { Json } from '../reference/shapes.ts'
import { modelOf } from '../support/service/agents.ts'
import { explorerOver } from '../support/service/explorer.ts'
import type { Engine } from '../support/store/postgres.ts'

export const article = '/c/tech.service.news.article'
export const enrichment = '/c/tech.service.news.enrichment'
/** Points: what the public tier may spend on an operation. */
export const limit = 250
export const models = {
  demo: modelOf(newsLexicons.documents, newsLexicons.references, newsLexicons.stories),
  site: modelOf(siteLexicons.documents, siteLexicons.references),
  stress: modelOf(stressLexicons.documents, stressLexicons.references),
} as const
export const newsModel = models.demo
after(closeCorpora)

/** A cell of a table: its text, and where it leads. */
export interface Cell {
  readonly text: string
  readonly href: string | null
}

export type Pages = ReturnType<typeof pagesOver>

export async function openPages(name: keyof typeof models = 'demo', database: Engine = 'sqlite') {
  return pagesOver(await corpusNamed(name, database), models[name])
}

/** Fields that are called as in the news lexicons have the same types. */
export function pagesOver({ service, reference }: Corpus, model: Model) {
  const { get } = explorerOver(service, model)

  /** A page that must have the status and cost no more than callers without a key may spend. */
  async function page(address: string, wanted = 200) {
    const { status, body, cost, location } = await get(address)
    assert.equal(status, wanted, `${address}: ${body}`)
    assert.ok(cost <= limit, `${address} costs ${cost} points`)
    const { document } = parseHTML(body)
    const texts = (selector: string) =>
      Array.from(document.querySelectorAll(selector), ({ textContent }) => plain(textContent))
    const links = (selector: string): readonly string[] =>
      Array.from(document.querySelectorAll(selector)).flatMap((element) =>
        Array.from(element.querySelectorAll('a'), (link) => link.getAttribute('href') ?? ''),
      )
    /** The addresses of links that have the text. */
    const linksTo = (text: string) =>
      Array.from(document.querySelectorAll('a'))
        .filter(({ textContent }) => plain(textContent).includes(text))
        .map((link) => link.getAttribute('href') ?? '')
    const records = Array.from(
      document.querySelectorAll('h3 a[href^="/at/"]'),
      (link) => link.getAttribute('href') ?? '',
    )
    const total = Number(document.querySelector('[data-total]')?.getAttribute('data-total') ?? Number.NaN)
    return { body, cost, location, document, texts, links, linksTo, records, total }
  }

  async function figure(address: string) {
    const { document, body } = await page(address)
    const found = document.querySelector('figure')
    assert.ok(found !== null, body)
    const rows = Array.from(found.querySelectorAll('tbody tr'), (row) =>
      Array.from(row.children, (cell): Cell => {
        const href = cell.querySelector('a')?.getAttribute('href') ?? null
        return { text: plain(cell.textContent), href }
      }),
    )
    return {
      head: Array.from(found.querySelectorAll('thead th'), ({ textContent }) => plain(textContent)),
      rows,
      texts: rows.map((row) => row.map(({ text }) => text)),
      drawings: found.querySelectorAll('svg.chart').length,
      description: plain(found.querySelector('.description')?.textContent),
    }
  }

  const known = new Map<string, readonly PlainRecord[]>()
  /** The records behind an address, by the reference evaluator; without other conditions than those on `only`. */
  const found = (address: string, only?: string) => {
    const [path = '', query] = address.split('?')
    const collection = path.slice('/c/'.length).replace(/\/.*/, '')
    const given = meaningOf(query ?? '', only)
    // Many addresses mean the same, such as all records of a day.
    const key = JSON.stringify([collection, given])
    const records = known.get(key) ?? reference.sorted(collection, given)
    known.set(key, records)
    return records
  }
  return { get, page, figure, found, service, reference }
}

export function plain(text: string | null | undefined): string {
  return (text ?? '').replaceAll(/\s+/g, ' ').trim()
}

/** Fields that are references, arrays and integers in the lexicons of the demo. */
const references = /(^|_)(source|article|story)$/
const arrays = /^(tags|topics|keywords)$/
const integers = /^(wordCount|impactLevel|clickbaitScore)$|_count$/

/** Parameters that say how records are shown, not which. */
const own = new Set(
  'q sort show stories columns facets after before lang part measure of by kind top step split as per base'.split(
    ' ',
  ),
)

/** The search and conditions of an address as docs/explorer.md explains them. */
function meaningOf(query: string, only?: string): { readonly where: Json; readonly search?: string } {
  const values = Map.groupBy(new URLSearchParams(query), ([name]) => name)
  const conditions = [...values].flatMap(([name, pairs]): readonly Json[] => {
    const [field = '', operator = /(published|indexed)At$/.test(field) ? 'from' : 'is'] = name.split('.')
    if (own.has(field) || (only !== undefined && field !== only)) return []
    const operands = pairs.map(([, text]) =>
      integers.test(field) && operator !== 'missing'
        ? Number(text)
        : field.startsWith('is')
          ? text === 'true'
          : text,
    )
    // A record whose reference leads nowhere has no value there, and an empty list is none.
    if (operator === 'missing') {
      const present = nested(field, arrays.test(field) ? { contains: '' } : { isNull: false })
      return [operands[0] === '1' ? { NOT: present } : present]
    }
    return [nested(field, conditionOn(field, operator, operands))]
  })
  const search = only === undefined ? (values.get('q')?.[0]?.[1] ?? '') : ''
  return { where: conditions.length > 0 ? { AND: conditions } : {}, ...(search !== '' && { search }) }
}

function conditionOn(field: string, operator: string, operands: readonly Json[]): Json {
  const [first] = operands
  switch (operator) {
    case 'from':
      return { gte: first }
    case 'to':
      if (first === '9999-12-31') return { lte: `${first}T23:59:59.999999Z` }
      return /^\d{4}-\d\d-\d\d$/.test(first) ? { lt: dayAfter(first) } : { lte: first }
    case 'contains':
    case 'matches':
      return { [operator]: first }
    default:
      if (arrays.test(field)) return { hasAny: operands }
      return references.test(field) ? { uri: { in: operands } } : { in: operands }
  }
}

function nested(field: string, condition: Json): Json {
  return field.split('_').reduceRight((inner, name) => ({ [name]: inner }), condition)
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
}

/** The rows of a table, with the first link of each. */
export function rowsOf(table: Element) {
  return Array.from(table.querySelectorAll('tbody tr'), (row) => ({
    href: row.querySelector('a')?.getAttribute('href') ?? '',
    cells: Array.from(row.children, ({ textContent }) => plain(textContent)),
  }))
}
