/**
 * Fills an empty PostgreSQL database with a corpus, in one transaction and by `copy`, with rows that
 * every later reader sees at once (so that an index alone can answer); indexes are made after.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { articleValues, namedValues, records } from '../corpus.ts'

const { DATABASE, CORPUS } = process.env
if (DATABASE === undefined || CORPUS === undefined)
  throw new Error('Write DATABASE=postgres://… CORPUS=folder.')

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

const client = new pg.Client({ connectionString: DATABASE })
await client.connect()
await client.query('begin')
await run('schema.sql')

const sources = new Map<string, number>()
await copy(
  'source (id, uri, did, rkey, indexed_at, display_name, country, political_orientation)',
  records(CORPUS, 'sources'),
  (it) => [
    numbered(sources, it.uri),
    ...namedValues(it),
    it.displayName,
    it.country,
    it.politicalOrientation,
  ],
)

const articles = new Map<string, number>()
await copy(
  'article (id, uri, did, rkey, indexed_at, title, description, url, source_id, published_at, language)',
  records(CORPUS, 'articles'),
  (it) => [numbered(articles, it.uri), ...articleValues(it, sources.get(it.source) ?? null)],
)

await copy(
  'enrichment (uri, did, rkey, indexed_at, article_id, impact_level, sentiment)',
  records(CORPUS, 'enrichments'),
  (it) => [...namedValues(it), articles.get(it.article) ?? null, it.impactLevel, it.sentiment],
)

await client.query("set local maintenance_work_mem = '512MB'")
await run('indexes.sql')
await client.query('commit')
// The pages are in memory or on a solid-state disk.
await client.query(`alter database ${pg.escapeIdentifier(client.database ?? '')} set random_page_cost = 1.1`)
await client.query('vacuum analyze')
await client.end()

type Value = string | number | null

async function copy<Item>(
  into: string,
  items: AsyncIterable<Item>,
  row: (item: Item) => Value[],
): Promise<void> {
  const stream = client.query(copyFrom(`copy ${into} from stdin with (freeze)`))
  let text = ''
  for await (const item of items) {
    text += `${row(item).map(written).join('\t')}\n`
    if (text.length < 65_536) continue
    if (!stream.write(text)) await once(stream, 'drain')
    text = ''
  }
  stream.end(text)
  await finished(stream)
}

/** In `copy`'s text format. */
function written(value: Value): string {
  if (value === null) return '\\N'
  return String(value).replaceAll(/[\\\t\n\r]/g, (character) => escapes[character] ?? character)
}

function numbered(known: Map<string, number>, uri: string): number {
  known.set(uri, known.size + 1)
  return known.size
}

async function run(file: string): Promise<void> {
  await client.query(readFileSync(new URL(file, import.meta.url), 'utf8'))
}
