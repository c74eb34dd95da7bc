/** What a field of schema.graphql is: a resolver for what is asked once, a loader for what each of many rows has. */
import type { DatabaseSync } from 'node:sqlite'
import type { IResolvers, MercuriusLoaders } from 'mercurius'
import { type ArticleRow, Articles, articleColumns, cursorOf, type Page } from './articles.ts'

/** What was asked for, read only if a field of it is selected, and only once. */
interface Connection extends Page {
  rows: ArticleRow[] | null
}

interface EnrichmentRow {
  readonly articleId: number | null
}

const enrichmentColumns = 'e.id, e.uri, e.article_id as articleId, e.impact_level as impactLevel, e.sentiment'

export function makeResolvers(database: DatabaseSync): IResolvers {
  const articles = new Articles(database)
  const rowsOf = (connection: Connection): ArticleRow[] => {
    connection.rows ??= articles.list(connection)
    return connection.rows
  }
  const enrichments = database.prepare(
    `select ${enrichmentColumns} from enrichment e order by e.id desc limit ?`,
  )
  const impact = database.prepare(
    `select ${enrichmentColumns} from enrichment e where +e.impact_level >= ? order by e.id desc limit ?`,
  )
  const outlets = database.prepare(
    `select s.rkey as outlet, n.articles, count(*) over () as groupCount
      from (select source_id, count(*) as articles from article where source_id is not null group by source_id) n
      join source s on s.id = n.source_id order by n.articles desc, s.rkey limit ?`,
  )
  const orientations = database.prepare(
    `select s.political_orientation as politicalOrientation, avg(e.impact_level) as average
      from enrichment e left join article a on a.id = e.article_id left join source s on s.id = a.source_id
      group by 1`,
  )
  return {
    Query: {
      articles: (_, page: Page): Connection => ({ ...page, rows: null }),
      articlesByLanguage: (_, { where }) => articles.groups('a.language', where),
      articlesByMonth: (_, { where }) => articles.groups('substr(a.published_at, 1, 7)', where),
      articlesByOutlet: (_, { first }) => {
        const groups = outlets.all(first)
        return { count: groups[0]?.['groupCount'] ?? 0, groups }
      },
      enrichments: (_, { first, minImpact }) =>
        typeof minImpact === 'number' ? impact.all(minImpact, first) : enrichments.all(first),
      impactByOrientation: () => orientations.all(),
    },
    ArticleConnection: {
      nodes: rowsOf,
      endCursor: (connection: Connection) => {
        const last = rowsOf(connection).at(-1)
        return last === undefined ? null : cursorOf(last, connection.order)
      },
      totalCount: (connection: Connection) => articles.total(connection.where),
    },
  }
}

/** Rows by the batch. A request's cache would find nothing: its keys are whole rows, not what they refer to. */
export function makeLoaders(database: DatabaseSync): MercuriusLoaders {
  const batch = (columns: string, table: string, key: string) =>
    database.prepare(
      `select ${columns}, ${key} as loaded from ${table} where ${key} in (select value from json_each(?))`,
    )
  const sources = batch(
    's.uri, s.display_name as displayName, s.country, s.political_orientation as politicalOrientation',
    'source s',
    's.id',
  )
  const articles = batch(articleColumns, 'article a', 'a.id')
  const enrichments = batch(enrichmentColumns, 'enrichment e', 'e.article_id')
  type Statement = ReturnType<typeof batch>

  const rows = (statement: Statement, keys: readonly (number | null)[]) =>
    statement.all(JSON.stringify([...new Set(keys)]))
  const oneOf = (statement: Statement, keys: readonly (number | null)[]) => {
    const found = new Map(rows(statement, keys).map((row) => [row['loaded'], row]))
    return keys.map((key) => found.get(key) ?? null)
  }
  const manyOf = (statement: Statement, keys: readonly number[]) => {
    const found = Map.groupBy(rows(statement, keys), (row) => row['loaded'])
    return keys.map((key) => found.get(key) ?? [])
  }
  const opts = { cache: false }
  return {
    Article: {
      outlet: { loader: async (queries: Batch<ArticleRow>) => oneOf(sources, of(queries, 'sourceId')), opts },
      enrichments: {
        loader: async (queries: Batch<ArticleRow>) => manyOf(enrichments, of(queries, 'id')),
        opts,
      },
    },
    Enrichment: {
      article: {
        loader: async (queries: Batch<EnrichmentRow>) => oneOf(articles, of(queries, 'articleId')),
        opts,
      },
    },
  }
}

type Batch<Row> = readonly { readonly obj: Row }[]

function of<Row, Key extends keyof Row>(queries: Batch<Row>, key: Key): Row[Key][] {
  return queries.map(({ obj }) => obj[key])
}
