/** Fills a new SQLite database with a corpus, in one transaction; indexes are made after. */
import { readFileSync, rmSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { articleValues, namedValues, records } from '../corpus.ts'

const { DATABASE, CORPUS } = process.env
if (DATABASE === undefined || CORPUS === undefined) throw new Error('Write DATABASE=file.db CORPUS=folder.')
for (const suffix of ['', '-wal', '-shm']) rmSync(DATABASE + suffix, { force: true })

const database = new DatabaseSync(DATABASE)
database.exec('pragma journal_mode = wal; pragma synchronous = off; pragma cache_size = -262144; begin')
run('schema.sql')

const sources = new Map<string, number>()
await insert(
  'source (id, uri, rkey, display_name, country, political_orientation)',
  records(CORPUS, 'sources'),
  (it) => {
    sources.set(it.uri, sources.size + 1)
    return [sources.size, it.uri, it.rkey, it.displayName, it.country, it.politicalOrientation]
  },
)
await insertOrdered(
  'article',
  'uri, did, rkey, indexed_at, title, description, url, source_id, published_at, language',
  records(CORPUS, 'articles'),
  (it) => articleValues(it, sources.get(it.source) ?? null),
)
await insertOrdered(
  'enrichment',
  'uri, did, rkey, indexed_at, article_id, impact_level, sentiment',
  records(CORPUS, 'enrichments'),
  (it) => [...namedValues(it), it.article, it.impactLevel, it.sentiment],
  'uri, did, rkey, indexed_at, (select id from article where uri = article_id), impact_level, sentiment',
)

run('indexes.sql')
database.exec('commit; pragma wal_checkpoint(truncate)')
database.close()

/** By way of a table beside it, since files need not be in the order of indexing. */
async function insertOrdered<Item>(
  table: string,
  columns: string,
  items: AsyncIterable<Item>,
  row: (item: Item) => SQLInputValue[],
  values = columns,
): Promise<void> {
  database.exec(`create temp table arrived (${columns})`)
  await insert(`arrived (${columns})`, items, row)
  database.exec(
    `insert into ${table} (${columns}) select ${values} from arrived order by indexed_at, rkey, did; drop table arrived`,
  )
}

async function insert<Item>(
  into: string,
  items: AsyncIterable<Item>,
  row: (item: Item) => SQLInputValue[],
): Promise<void> {
  const places = into.split(',').map(() => '?')
  const statement = database.prepare(`insert into ${into} values (${places})`)
  for await (const item of items) statement.run(...row(item))
}

function run(file: string): void {
  database.exec(readFileSync(new URL(file, import.meta.url), 'utf8'))
}
