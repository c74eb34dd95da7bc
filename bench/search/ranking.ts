/**
 * How the ten most relevant articles differ between this product, `bm25()` of FTS5 and `ts_rank_cd` of PostgreSQL, for
 * 200 searches: names that titles of the bench corpus have. All three index the same words of the same texts, a word in
 * a title counts three times as much, every word must match, and the newer of equals comes first. Prints how many of
 * the ten are the same, what the ten are like, and the searches that differ most.
 * Usage: node bench/search/ranking.ts database=PATH [searches=200] [postgres=URL]
 * `database`: a SQLite database with the imported bench corpus. `postgres`: a server whose user may create tables;
 * otherwise one is started, and is gone afterwards.
 */
import { DatabaseSync } from 'node:sqlite'
import { plainWordsOf } from '../../src/search/words.ts'
import { readOptions } from '../support/options.ts'
import { withClient } from '../support/postgres-client.ts'
import { post, startServer } from '../support/server.ts'
import { openPostgres } from '../support/stores.ts'

const {
  database: path,
  searches: wanted,
  postgres: givenServer,
} = readOptions(process.argv.slice(2), { database: '', searches: 200, postgres: '' })
if (path === '') throw new Error('Name the database: node bench/search/ranking.ts database=PATH')
const shown = 10

interface Article {
  readonly id: number
  readonly uri: string
  readonly text: string
  readonly title: readonly string[]
  /** The words of the other texts. */
  readonly rest: readonly string[]
}

interface Ranker {
  readonly name: string
  rank(words: readonly string[]): Promise<readonly Article[]>
}

await using stack = new AsyncDisposableStack()
const articles = readArticles()
const byId = new Map(articles.map((article) => [article.id, article]))
const rankers: readonly Ranker[] = [await ours(), fts5(), await postgres()]
await compare(frequentNames())

function readArticles(): Article[] {
  using database = new DatabaseSync(path, { readOnly: true })
  const rows = database.prepare(`select t.id, b.uri || t.rkey as uri, record ->> 'title' as title,
    record ->> 'description' as description, record ->> 'section' as section
    from "tech.service.news.article" t join base b on b.id = t.base order by t.id`)
  return rows.all().map(({ id, uri, title, description, section }) => ({
    id: Number(id),
    uri: String(uri),
    text: String(title),
    title: plainWordsOf(String(title ?? '')),
    rest: [description, section].flatMap((text) => plainWordsOf(String(text ?? ''))),
  }))
}

/** Sequences of capitalized words inside titles, from frequent to rare, evenly spread; a third are single words. */
function frequentNames(): string[][] {
  const counts = new Map<string, number>()
  for (const { text } of articles) {
    const names = text.matchAll(/(?<=[a-z,:] )\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+){0,2}(?! \p{Lu})/gu)
    for (const [name] of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const frequent = [...counts].filter(([, count]) => count >= 10).sort((a, b) => b[1] - a[1])
  const spread = (names: readonly string[], number: number): string[] =>
    Array.from({ length: number }, (_, index) => names[Math.floor((index * names.length) / number)] ?? '')
  const all = frequent.map(([name]) => name)
  const single = all.filter((name) => !name.includes(' '))
  const longer = all.filter((name) => name.includes(' '))
  const third = Math.round(wanted / 3)
  return [...spread(single, third), ...spread(longer, wanted - third)].map(plainWordsOf)
}

async function ours(): Promise<Ranker> {
  const server = stack.use(await startServer(path))
  const byUri = new Map(articles.map((article) => [article.uri, article]))
  return {
    name: 'Lexigraph',
    async rank(words) {
      const search = JSON.stringify(words.join(' '))
      const query = `{ list: techServiceNewsArticle(search: ${search}, sortBy: [{field: RELEVANCE}], first: ${shown}) { nodes { uri } } }`
      const { data } = (await (await post(server.url, query)).json()) as {
        data: { list: { nodes: { uri: string }[] } }
      }
      return data.list.nodes.map(({ uri }) => byUri.get(uri) as Article)
    },
  }
}

function fts5(): Ranker {
  const database = new DatabaseSync(':memory:')
  database.exec(
    `create virtual table words using fts5(title, rest, content='', tokenize="ascii tokenchars '+#.,'"); begin`,
  )
  const insert = database.prepare('insert into words (rowid, title, rest) values (?, ?, ?)')
  for (const { id, title, rest } of articles) insert.run(id, title.join(' '), rest.join(' '))
  database.exec('commit')
  const ranked = database.prepare(
    `select rowid as id from words where words match ? order by bm25(words, 3, 1), rowid desc limit ${shown}`,
  )
  return {
    name: 'bm25()',
    rank: async (words) =>
      ranked.all(words.map((word) => `"${word}"`).join(' ')).map(({ id }) => byId.get(Number(id)) as Article),
  }
}

async function postgres(): Promise<Ranker> {
  const server = stack.use(await openPostgres(givenServer))
  const perInsert = 2_000
  await withClient(server.url, async (client) => {
    await client.query('create table ranked_words (id bigint, words tsvector)')
    for (let at = 0; at < articles.length; at += perInsert) {
      const rows = articles
        .slice(at, at + perInsert)
        .map(({ id, title, rest }) => ({ id, title: title.join(' '), rest: rest.join(' ') }))
      await client.query(
        `insert into ranked_words select id, setweight(to_tsvector('simple', title), 'A') || to_tsvector('simple', rest)
         from json_to_recordset($1) as given(id bigint, title text, rest text)`,
        [JSON.stringify(rows)],
      )
    }
    await client.query('create index on ranked_words using gin (words); analyze ranked_words')
  })
  const ask = `select id from ranked_words, plainto_tsquery('simple', $1) query where words @@ query
    order by ts_rank_cd('{0.33, 0.33, 0.33, 1}', words, query) desc, id desc limit ${shown}`
  return {
    name: 'ts_rank_cd',
    rank: (words) =>
      withClient(server.url, async (client) => {
        const { rows } = await client.query(ask, [words.join(' ')])
        return rows.map(({ id }) => byId.get(Number(id)) as Article)
      }),
  }
}

/** What the first ten of a ranker are like, summed over all searches. */
interface Character {
  records: number
  /** Records whose title has every word. */
  inTitle: number
  /** Records whose title has the words one after the other. */
  inOrder: number
  /** Words of the titles, and of all texts. */
  titleWords: number
  words: number
  /** How often a word that is searched for occurs. */
  occurrences: number
}

async function compare(searches: readonly (readonly string[])[]): Promise<void> {
  const characters = rankers.map(() => ({
    records: 0,
    inTitle: 0,
    inOrder: 0,
    titleWords: 0,
    words: 0,
    occurrences: 0,
  }))
  const common: { search: string; shared: readonly number[]; isFirst: readonly boolean[] }[] = []
  for (const words of searches) {
    const found = await Promise.all(rankers.map(({ rank }) => rank(words)))
    for (const [index, records] of found.entries())
      for (const record of records) describe(characters[index] as Character, record, words)
    const [first = [], ...others] = found
    if (first.length < shown) continue
    common.push({
      search: words.join(' '),
      shared: others.map((other) => first.filter((record) => other.includes(record)).length),
      isFirst: others.map(([one]) => one === first[0]),
    })
  }
  console.log(`${common.length} searches with ten results or more\n`)
  console.log('| beside | of ten the same | all ten | none | the same first |\n|---|---|---|---|---|')
  for (const [index, { name }] of rankers.slice(1).entries()) {
    const shared = common.map((one) => one.shared[index] ?? 0)
    const firsts = common.filter(({ isFirst }) => isFirst[index]).length
    const [all, none] = [shown, 0].map((number) => shared.filter((each) => each === number).length)
    console.log(`| ${name} | ${mean(shared)} | ${all} | ${none} | ${firsts} |`)
  }
  console.log(
    '\n| ranker | all words in the title | one after the other | words of a title | of all texts | occurrences |\n|---|---|---|---|---|---|',
  )
  for (const [index, { name }] of rankers.entries()) {
    const { records, inTitle, inOrder, titleWords, words, occurrences } = characters[index] as Character
    const share = (number: number): string => `${((100 * number) / records).toFixed(0)} %`
    const each = (number: number): string => (number / records).toFixed(1)
    console.log(
      `| ${name} | ${share(inTitle)} | ${share(inOrder)} | ${each(titleWords)} | ${each(words)} | ${each(occurrences)} |`,
    )
  }
  for (const [index, { name }] of rankers.slice(1).entries()) {
    const least = common.toSorted((a, b) => (a.shared[index] ?? 0) - (b.shared[index] ?? 0)).slice(0, 8)
    console.log(
      `\nLeast like ${name}: ${least.map((one) => `${one.search} (${one.shared[index]})`).join(', ')}`,
    )
  }
}

function describe(character: Character, { title, rest }: Article, words: readonly string[]): void {
  character.records += 1
  character.titleWords += title.length
  character.words += title.length + rest.length
  character.occurrences += [...title, ...rest].filter((word) => words.includes(word)).length
  if (words.every((word) => title.includes(word))) character.inTitle += 1
  if (` ${title.join(' ')} `.includes(` ${words.join(' ')} `)) character.inOrder += 1
}

function mean(numbers: readonly number[]): string {
  return (numbers.reduce((sum, number) => sum + number, 0) / numbers.length).toFixed(1)
}
