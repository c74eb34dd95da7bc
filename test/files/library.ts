/** The library with random and hostile records, served over HTTP, and its books as GraphQL has them. */
import { after } from 'node:test'
import fc from 'fast-check'
import type { Json } from '../reference/shapes.ts'
import { assemble, recipes } from '../support/random/corpus.ts'
import { type HttpServer, startServer } from '../support/server/http-server.ts'
import { collections, libraryLexicons, libraryReferences } from '../support/records/lexicons.ts'
import type { Engine } from '../support/store/postgres.ts'
import { buildRecord } from '../support/records/records.ts'
import { openTestService, type TestService } from '../support/service/service.ts'
import { emptyDatabases } from '../support/store/store.ts'

export interface ServedLibrary extends AsyncDisposable {
  readonly service: TestService
  readonly server: HttpServer
}

/** What spreadsheets, readers of CSV and terminals take amiss. */
const hostileTexts = [
  '=cmd|/C calc!A0',
  '+1',
  '+1+1',
  '-2+3',
  '@SUM(A1)',
  '\tnext cell',
  '\rreturn',
  '\nline',
  '＝全角',
  "'=already quoted",
  "''@twice",
  "'plain apostrophe",
  '-42',
  '-4.5',
  '+49 30 1234',
  'a,"b"\r\nc,"d"',
  '"',
  '""',
  ' spaces ',
  '',
  'null',
  'NULL',
  '\\N',
  'true',
  '\u0001\u0008\u001F\u007F\u0085',
  '\u202Eright to left\u202C \u2066isolated\u2069',
  '👩‍👩‍👧 🏴󠁧󠁢󠁳󠁣󠁴󠁿 é ﬁ',
  'byte order \uFEFF mark',
  '\uFFFE\uFFFF',
  '\u2028\u2029',
  '1e400',
  '007',
]

const sizes = {
  [collections.publisher]: 12,
  [collections.person]: 20,
  [collections.book]: 60,
  [collections.review]: 20,
}
const file = emptyDatabases()

const served = new Map<Engine, Promise<ServedLibrary>>()
after(async () => {
  for (const library of served.values()) await (await library)[Symbol.asyncDispose]()
})

/** One of each engine for all tests of a process, which only read it. */
export function servedLibrary(database: Engine): Promise<ServedLibrary> {
  const library = served.get(database) ?? serveLibrary(database)
  served.set(database, library)
  return library
}

async function serveLibrary(database: Engine): Promise<ServedLibrary> {
  const [recipe = []] = fc.sample(recipes(libraryLexicons, libraryReferences, sizes), {
    seed: 11,
    numRuns: 1,
  })
  const corpus = await assemble(libraryLexicons, libraryReferences, recipe)
  const hostile = await Promise.all(
    hostileTexts.map((text, index) =>
      buildRecord(collections.book, {
        rkey: `hostile${index}`,
        value: { title: `${index}`, note: text, shelf: text, tags: [text], extra: { [text]: text } },
      }),
    ),
  )
  const url = await file(database)
  const service = await openTestService({
    lexicons: libraryLexicons,
    references: libraryReferences,
    records: [...corpus.records, ...hostile],
    database: new URL(database === 'postgres' ? url : `sqlite://${url}`),
  })
  const { engine, opened } = service
  const server = await startServer({ engine, schema: opened.schema })
  return {
    service,
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

/** Columns of books of every kind, in the order of their selection. */
const columnNames = `uri rev indexedAt title note shelf genre pages serial inPrint page publishedAt
  author.uri authorResolved.name authorResolved.rating authorResolved.employerResolved.name series seriesResolved.title
  imprint.city imprint.founded imprint.open imprint.since imprint.marks imprint.houseResolved.name
  tags scores credits related sources cover.mimeType cover.size digest link extra`.split(/\s+/)
/** As DuckDB is to name them; the others are texts. */
const columnTypes: Readonly<Record<string, readonly string[]>> = {
  'TIMESTAMP WITH TIME ZONE': ['indexedAt', 'publishedAt', 'imprint.since'],
  BIGINT: ['pages', 'serial', 'authorResolved.rating', 'imprint.founded', 'cover.size'],
  BOOLEAN: ['inPrint', 'imprint.open'],
}
export const bookColumns: readonly (readonly [name: string, type: string])[] = columnNames.map((name) => {
  const [type] = Object.entries(columnTypes).find(([, names]) => names.includes(name)) ?? ['VARCHAR']
  return [name, type]
})

export const bookNodes = `uri rev indexedAt title note shelf genre pages serial inPrint page publishedAt
  author { uri }
  authorResolved { ... on OrgExampleLibraryPerson { name rating employerResolved { ... on OrgExampleLibraryPublisher { name } } } }
  series seriesResolved { ... on OrgExampleLibraryBook { title } }
  imprint { city founded open since marks houseResolved { ... on OrgExampleLibraryPublisher { name } } }
  tags scores credits { name share craft paid since profile person { uri cid } skills } related { uri cid } sources
  cover { mimeType size } digest link extra`

/** The address of the rows of a query as a file. */
export function fileOf(query: string, format = 'csv', more = ''): string {
  return `/api/graphql?format=${format}&query=${encodeURIComponent(query)}${more}`
}

/** The values of lines of JSON. */
export function linesOf(text: string): readonly Json[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

/** The value at a path of names; null if something on the way is missing. */
export function at(node: Json, path: string): Json {
  let value = node
  for (const name of path.split('.')) value = value?.[name]
  return value ?? null
}
