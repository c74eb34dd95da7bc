/** docs/clients.md: its files as they stand there, run with the real libraries against the demo. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { Json } from '../reference/shapes.ts'
import { startServer } from '../support/server/http-server.ts'
import { openDemo, readFences } from '../support/service/pages.ts'
import { patience } from '../support/until.ts'
import { installLibraries, librariesFolder } from './library.ts'

const page = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8')
const outlet = 'at://did:plc:lexigraphdemopress222222/tech.service.news.source/harbour-and-hill.example'
const project = mkdtempSync(join(tmpdir(), 'lexigraph-clients-'))
const stack = new AsyncDisposableStack()
stack.defer(() => rmSync(project, { recursive: true }))
after(() => stack.disposeAsync())

const demo = stack.use(await openDemo())
const server = stack.use(await startServer({ engine: demo.engine, schema: demo.schema }))

/** The page's files as a project of its own, whose packages are those of `libraries`. */
before(async () => {
  installLibraries()
  symlinkSync(join(librariesFolder, 'node_modules'), join(project, 'node_modules'))
  write('package.json', '{"type": "module"}')
  for (const { info, body } of readFences(page)) {
    const [, file] = info.split(' ')
    if (file !== undefined) write(file, body.replaceAll('http://127.0.0.1:4000', server.url))
  }
  write('schema.graphql', await (await server.get('/schema.graphql')).text())
})

test('Apollo Client caches records by their ids and appends pages', async () => {
  run(process.execPath, 'possible-types.ts')
  const { client, loadNext, articles } = await load('apollo.ts')
  await loadNext()
  const { techServiceNewsArticle: list } = await loadNext()
  const expected = await newest(4)
  assert.deepEqual(
    list.edges.map(({ node }: Json) => node.title),
    expected.map(({ title }: Json) => title),
  )
  // Known of an interface only by the possible types.
  for (const { node } of list.edges) assert.match(node.sourceResolved.rkey, /\.example$/)
  const cached = Object.keys(client.cache.extract())
  for (const { id } of expected) assert.ok(cached.includes(`TechServiceNewsArticle:${id}`), id)
  client.cache.evict({ id: `TechServiceNewsArticle:${expected[0].id}` })
  assert.equal(client.readQuery({ query: articles })?.techServiceNewsArticle.edges.length, 3)
})

test('Relay refetches a record by its id and appends pages of its list', async () => {
  run(bin('relay-compiler'), 'relay.config.json')
  const { environment, query, fragment, runtime } = await loadRelay()
  const { node } = await runtime.fetchQuery(environment, query, { id: outlet }).toPromise()
  const read = (): Json => environment.lookup(runtime.getSelector(fragment, node.outlet)).data
  const articles = (): Json => read().techServiceNewsArticleViaSource
  assert.equal(read().displayName, 'Harbour & Hill')
  assert.equal(articles().edges.length, 2)

  // What `usePaginationFragment` does for `loadNext` and `refetch`.
  const { paginationRequest, paginationMetadata } = runtime.getPaginationMetadata(fragment, 'the test')
  const { endCursor, hasNextPage } = articles().pageInfo
  assert.equal(hasNextPage, true)
  const next = runtime.getPaginationVariables('forward', 2, endCursor, {}, {}, paginationMetadata)
  await runtime.fetchQuery(environment, paginationRequest, { ...next, id: outlet }).toPromise()
  const titles = articles().edges.map((edge: Json) => edge.node.title)
  const expected = await data(
    `{ node(id: "${outlet}") { ... on TechServiceNewsSource { techServiceNewsArticleViaSource(first: 4) { nodes { title } } } } }`,
  )
  assert.deepEqual(
    titles,
    expected.node.techServiceNewsArticleViaSource.nodes.map(({ title }: Json) => title),
  )
  const { refetchableRequest } = runtime.getRefetchMetadata(fragment, 'the test')
  const again = await runtime
    .fetchQuery(environment, refetchableRequest, { first: 1, id: outlet })
    .toPromise()
  assert.equal(again.node.__id, outlet)
  assert.equal(articles().edges.length, 1)
})

test('urql caches records by their ids, warns of nothing and appends pages', async (t) => {
  run(process.execPath, 'urql-schema.ts')
  const warn = t.mock.method(console, 'warn', () => undefined)
  const { client, articles } = await load('urql.ts')
  const first = await client.query(articles, {}).toPromise()
  assert.equal(first.error, undefined)
  const { endCursor } = first.data.techServiceNewsArticle.pageInfo
  const { data: both, error } = await client.query(articles, { after: endCursor }).toPromise()
  assert.equal(error, undefined)
  assert.deepEqual(
    both.techServiceNewsArticle.edges.map(({ node }: Json) => node.title),
    (await newest(4)).map(({ title }: Json) => title),
  )
  assert.deepEqual(
    warn.mock.calls.map(({ arguments: [message] }) => message),
    [],
  )
  // Without asking: records, lists and what both have in common are in the cache.
  const cached = await client.query(articles, {}, { requestPolicy: 'cache-only' }).toPromise()
  assert.equal(cached.data.techServiceNewsArticle.edges[0].node.sourceResolved.displayName, 'Harbour & Hill')
})

test('graphql-codegen and gql.tada give types that the compiler accepts, and holds others to', () => {
  run(process.execPath, 'possible-types.ts')
  run(process.execPath, 'urql-schema.ts')
  run(bin('graphql-codegen'), '--config', 'codegen.ts')
  run(bin('gql.tada'), 'generate-output')
  write('types.ts', typeTests)
  run(bin('tsc'), '-p', 'tsconfig.json')
})

/** Each expected error is itself an error where there is none. */
const typeTests = `
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core'
import { names, type outlets } from './outlets'
import { graphql, type record, title } from './tada'

type Result<Document> = Document extends DocumentTypeDecoration<infer Data, any> ? Data : never
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

type Outlet = Result<typeof outlets>['techServiceNewsSource']['nodes'][number]
export const generated: [Same<Outlet['id'], string>, Same<Outlet['indexedAt'], string>] = [true, true]
// @ts-expect-error The field is not selected.
export type Missing = Outlet['domain']
// @ts-expect-error Text is not an answer.
names('text')

type Article = Extract<Result<typeof record>['node'], { __typename: 'TechServiceNewsArticle' }>
export const inferred: [Same<Article['title'], string | null>, Same<Article['wordCount'], number | null>] = [true, true]
title({ node: null })
// @ts-expect-error An article has an id.
title({ node: { __typename: 'TechServiceNewsArticle' } })
`

const bin = (name: string): string => join(project, 'node_modules', '.bin', name)

/** Throws with what the program printed when it fails. */
function run(program: string, ...args: readonly string[]): void {
  try {
    execFileSync(program, args, { cwd: project, stdio: 'pipe', timeout: patience })
  } catch (cause) {
    const { stdout, stderr } = cause as { readonly stdout: Buffer; readonly stderr: Buffer }
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause })
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(project, file)), { recursive: true })
  writeFileSync(join(project, file), text)
}

function load(file: string): Promise<Json> {
  return import(pathToFileURL(join(project, file)).href)
}

/** Compiled files import each other without extensions: a bundler finds them, as in every application. */
async function loadRelay(): Promise<Json> {
  write(
    'relay/entry.ts',
    `export { environment } from './environment'
     export { default as query } from './__generated__/outletQuery.graphql'
     export { default as fragment } from './__generated__/outlet_articles.graphql'
     export { default as runtime } from 'relay-runtime'`,
  )
  await build({
    absWorkingDir: project,
    entryPoints: ['relay/entry.ts'],
    outfile: join(project, 'relay.mjs'),
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  })
  return load('relay.mjs')
}

async function newest(first: number): Promise<Json> {
  const list = `techServiceNewsArticle(first: ${first}, where: {language: {eq: "en"}}) { nodes { id title } }`
  return (await data(`{ ${list} }`)).techServiceNewsArticle.nodes
}

async function data(query: string): Promise<Json> {
  const { data } = (await (await server.post({ query })).json()) as Json
  return data
}
