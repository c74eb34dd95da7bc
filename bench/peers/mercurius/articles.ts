/** Statements about articles: each distinct one is prepared once, and filters are part of its text, never values. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

export interface ArticleFilter {
  readonly titleContains?: string | null
  readonly textContains?: string | null
  readonly language?: string | null
  readonly publishedFrom?: string | null
  readonly publishedBefore?: string | null
  readonly enriched?: boolean | null
}

export interface Page {
  readonly first: number
  readonly after?: string | null
  readonly order: 'NEWEST' | 'PUBLISHED'
  readonly where?: ArticleFilter | null
}

export interface ArticleRow {
  readonly id: number
  readonly did: string
  readonly rkey: string
  readonly publishedAt: string | null
  readonly sourceId: number | null
}

export interface Group {
  readonly key: string | null
  readonly count: number
}

export const articleColumns =
  'a.id, a.uri, a.did, a.rkey, a.title, a.description, a.url, a.source_id as sourceId, a.published_at as publishedAt, a.language'

/** The shortest text that the trigram index can find. */
const indexed = 3

export class Articles {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  list({ first, after, order, where }: Page): ArticleRow[] {
    const { from, conditions, values, id } = filtered(where)
    const sort = order === 'NEWEST' ? `${id} desc` : 'a.published_at desc, a.rkey desc, a.did desc'
    if (after) {
      const position = JSON.parse(Buffer.from(after, 'base64url').toString())
      conditions.push(order === 'NEWEST' ? `${id} < ?` : '(a.published_at, a.rkey, a.did) < (?, ?, ?)')
      values.push(...position)
    }
    const text = `select ${articleColumns} from ${from}${all(conditions)} order by ${sort} limit ?`
    return this.#rows<ArticleRow>(text, [...values, first])
  }

  total(where: Page['where']): number {
    const { from, conditions, values } = filtered(where)
    return this.#rows<{ n: number }>(`select count(*) as n from ${from}${all(conditions)}`, values)[0]?.n ?? 0
  }

  groups(key: string, where: Page['where']): Group[] {
    const { from, conditions, values } = filtered(where)
    return this.#rows<Group>(
      `select ${key} as key, count(*) as count from ${from}${all(conditions)} group by 1`,
      values,
    )
  }

  #rows<Row>(text: string, values: readonly SQLInputValue[]): Row[] {
    let statement = this.#statements.get(text)
    if (statement === undefined) {
      statement = this.#database.prepare(text)
      this.#statements.set(text, statement)
    }
    return statement.all(...values) as unknown[] as Row[]
  }
}

export function cursorOf(row: ArticleRow, order: Page['order']): string {
  const position = order === 'NEWEST' ? [row.id] : [row.publishedAt, row.rkey, row.did]
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

interface Filtered {
  readonly from: string
  readonly conditions: string[]
  readonly values: SQLInputValue[]
  /** Of the table that leads: the text index gives its rows in this order, so that nothing need be sorted. */
  readonly id: string
}

function filtered(where: Page['where']): Filtered {
  const conditions: string[] = []
  const values: SQLInputValue[] = []
  const add = (condition: string, ...given: SQLInputValue[]): void => {
    conditions.push(condition)
    values.push(...given)
  }
  const needles: string[] = []
  const { titleContains, textContains, language, publishedFrom, publishedBefore, enriched } = where ?? {}
  if (titleContains) {
    if (titleContains.length < indexed) add("a.title like ? escape '\\'", pattern(titleContains))
    else needles.push(`title : ${phrase(titleContains)}`)
  }
  if (textContains) {
    if (textContains.length < indexed)
      add(
        "(a.title like ? escape '\\' or a.description like ? escape '\\')",
        pattern(textContains),
        pattern(textContains),
      )
    else needles.push(phrase(textContains))
  }
  if (needles.length > 0) add('article_text match ?', needles.join(' AND '))
  if (language) add('a.language = ?', language)
  if (publishedFrom) add('a.published_at >= ?', instant(publishedFrom))
  if (publishedBefore) add('a.published_at < ?', instant(publishedBefore))
  if (typeof enriched === 'boolean')
    add(`${enriched ? '' : 'not '}exists (select 1 from enrichment e where e.article_id = a.id)`)
  return needles.length > 0
    ? {
        from: 'article_text cross join article a on a.id = article_text.rowid',
        conditions,
        values,
        id: 'article_text.rowid',
      }
    : { from: 'article a', conditions, values, id: 'a.id' }
}

function all(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`
}

function phrase(needle: string): string {
  return `"${needle.replaceAll('"', '""')}"`
}

function pattern(needle: string): string {
  return `%${needle.replaceAll(/[\\%_]/g, '\\$&')}%`
}

function instant(value: string): string {
  return new Date(value).toISOString()
}
