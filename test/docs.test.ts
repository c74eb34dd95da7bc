/**
 * The pages are true: every query is asked of the demo corpus and its answer compared, and names, codes and
 * links that the pages mention exist. UPDATE_DOCS=1 rewrites the answers; the diff is for a reader to judge.
 */
import assert from 'node:assert/strict'
import { trackingParameters } from '../src/util/text/normalize-url.ts'
import { measureConstant, measureNames } from '../src/schema/model/measures.ts'
import { operatorsOn, whereOperators } from '../src/schema/model/where-operators.ts'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { commands } from '../src/cli/command-list.ts'
import { errorCodes } from '../src/errors.ts'
import type { GraphQLRequest } from '../src/query/execute/execute.ts'
import { weights } from '../src/query/price/cost-weights.ts'
import { limits } from '../src/query/parse/limits.ts'
import { defaultTiers } from '../src/server/admission/tiers.ts'
import { unchargedLimits } from './support/service/engine.ts'
import { startServer } from './support/server/http-server.ts'
import { type Fence, formatJson, openDemo, readFences } from './support/service/pages.ts'

const rootUrl = new URL('../', import.meta.url)
const root = fileURLToPath(rootUrl)
const pages = ['*.md', 'docs/**/*.md', 'bench/{*,notes/*}.md']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .map((page) => page.replaceAll('\\', '/'))
  .toSorted()
const texts = new Map(pages.map((page) => [page, readFileSync(join(root, page), 'utf8')]))

/** Pages for agents show calls of tools, which a test of their own makes. */
const withQueries = pages.filter(
  (page) => /^(README|docs\/[^/]+)\.md$/.test(page) && /^```graphql|^ +-d '/m.test(textOf(page)),
)

for (const page of withQueries) {
  test(`the queries of ${page} give the answers that it shows`, async () => {
    const examples = readExamples(page)
    assert.ok(examples.length > 0, `${page} has no query.`)
    if (process.env.UPDATE_DOCS === '1') await rewriteAnswers(page, examples)
    else for (const example of examples) await assertAnswer(page, example)
  })
}

test('the examples of docs/export.md give the files that it shows', async () => {
  const { engine, schema } = await openedDemo()
  await using server = await startServer({ schema, engine })
  const text = textOf('docs/export.md')
  const fences = readFences(text)
  let written = text
  let examples = 0
  for (const [index, fence] of fences.entries()) {
    const answer = fences[index + 1]
    if (fence.info !== 'sh' || !fence.body.startsWith('curl') || answer === undefined) continue
    const response = await server.get(pathOfCurl(fence.body))
    const body = (await response.text()).replaceAll('\r\n', '\n')
    assert.equal(response.status, 200, body)
    examples += 1
    const shown = text.slice(fence.start, answer.bodyStart)
    if (process.env.UPDATE_DOCS === '1')
      written = written.replace(text.slice(fence.start, answer.end), () => `${shown}${body}\`\`\``)
    else assert.equal(answer.body, body, fence.body)
  }
  assert.ok(examples > 1)
  if (written !== text) writeFileSync(join(root, 'docs/export.md'), written)
})

test('docs/http.md lists the error codes of src/errors.ts, with their statuses and meanings', () => {
  const rows = textOf('docs/http.md').matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \| (.+) \|$/gm)
  const listed = Object.fromEntries(
    Array.from(rows, ([, code = '', status, meaning = '']) => [code, { status: Number(status), meaning }]),
  )
  assert.deepEqual(listed, errorCodes)
})

test('docs/limits.md lists the limits of src/query/parse/limits.ts', () => {
  assert.deepEqual(numbersUnder('docs/limits.md', '## Limits of a document'), limits)
})

test('docs/filters.md names every operator of `where`, and the parameters that `sameUrl` leaves out', () => {
  const filters = textOf('docs/filters.md')
  const named = new Set(filters.match(/\b\w+\b/g))
  for (const name of Object.keys(whereOperators)) assert.ok(named.has(name), name)
  const ofStrings = operatorsOn('string').map(([name]) => name)
  const leftOut = trackingParameters.map((name) => `\`${name}\``)
  for (const listed of [`\`${ofStrings.join(' ')}\``, leftOut.join(', ')])
    assert.ok(filters.includes(listed), listed)
})

test('the pages name every measure, and every output of lists, aggregates and groups', () => {
  const schema = readFileSync(join(root, 'test/schemas/news/schema.graphql'), 'utf8')
  const measured = measureNames.flatMap((name) => [name, measureConstant(name)])
  const outputs = ['Connection', 'Aggregated'].flatMap((type) => {
    const [, body = ''] = schema.match(new RegExp(`type TechServiceNewsArticle${type} {(.*?)\n}`, 's')) ?? []
    return Array.from(body.matchAll(/^ {2}(\w+)[(:]/gm), ([, name = '']) => name)
  })
  assert.ok(outputs.includes('edges') && outputs.includes('groups'))
  const code = pages
    .filter((page) => page.startsWith('docs/'))
    .flatMap((page) => textOf(page).match(/```[\s\S]*?```|`[^`]+`/g) ?? [])
  const named = new Set(code.flatMap((part) => part.match(/\b\w+\b/g) ?? []))
  assert.deepEqual(
    [...measured, ...outputs].filter((name) => !named.has(name)),
    [],
  )
})

test('docs/limits.md lists the weights that costs are made of', () => {
  assert.deepEqual(numbersUnder('docs/limits.md', '## Prices'), weights)
})

test('docs/limits.md lists the tiers that hold when no others are set', () => {
  const row =
    /^\| `(\w+)` \| ([\d,]+|any number) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$/gm
  const listed = Array.from(textOf('docs/limits.md').matchAll(row), ([, name, perMinute = '', ...rest]) => {
    const [pointsPerQuery, pageSize, seconds, concurrent, fileRows, fileSeconds] = rest.map(numberOf)
    const pointsPerMinute = perMinute === 'any number' ? null : numberOf(perMinute)
    const ofFiles = { fileRows, fileSeconds }
    return { name, pointsPerMinute, pointsPerQuery, pageSize, seconds, concurrent, ...ofFiles }
  })
  assert.deepEqual(listed, defaultTiers)
})

test('every command is named in README.md', () => {
  const missing = Object.keys(commands).filter((name) => !textOf('README.md').includes(`| \`${name}`))
  assert.deepEqual(missing, [])
})

test('every dependency has its reason', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const reasons = textOf('docs/dependencies.md').matchAll(/^\| `([^`]+)` \|/gm)
  assert.deepEqual(
    Array.from(reasons, ([, name]) => name).toSorted(),
    Object.keys({ ...dependencies, ...devDependencies }).toSorted(),
  )
})

/** Generated from settings and measurements: mostly tables. */
const longPages = ['docs/settings.md', 'docs/performance.md']

test('there are at most 40 pages of at most 2,500 words, and decision records of 400', () => {
  assert.ok(pages.filter((page) => /^docs\/[^/]+$/.test(page)).length <= 40)
  const long = pages
    .filter((page) => page.startsWith('docs/') && !longPages.includes(page))
    .map((page) => ({ page, words: textOf(page).split(/\s+/).filter(Boolean).length }))
    .filter(({ page, words }) => words > (page.startsWith('docs/decisions/') ? 400 : 2_500))
  assert.deepEqual(long, [])
})

test('every script of package.json and every path that a page names is there', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const paths = /`((?:src|test|bench|build|demo|docs|bin|lexicons)\/[^`\s…*<]*)`/g
  for (const [pattern, isThere] of [
    [/npm run (?:--silent )?([a-z]+)/g, (name: string) => Object.hasOwn(scripts, name)],
    [paths, (path: string) => existsSync(join(root, path))],
  ] as const) {
    const named = pages.flatMap((page) => Array.from(textOf(page).matchAll(pattern), ([, name = '']) => name))
    assert.deepEqual(
      named.filter((name) => !isThere(name)),
      [],
    )
  }
})

test('every link between the pages leads somewhere', () => {
  assert.deepEqual(pages.flatMap(brokenLinks), [])
})

test('every optimisation names its files, tests that are there, and a measurement', () => {
  const isThere = (file: string, name = ''): boolean =>
    existsSync(join(root, file)) && readFileSync(join(root, file), 'utf8').includes(name)
  const rows = textOf('bench/notes/optimisations.md').match(/^\| (?!what).*$/gm) ?? []
  assert.ok(rows.length > 30)
  const wrong = rows.flatMap((row) => {
    const [, saves, files = '', tests = '', measured = ''] = row.split('|')
    const sources = Array.from(files.matchAll(/`([^`]+)`/g), ([, file = '']) => file)
    const named = [...tests.matchAll(/`([^`]+)`(?:: “([^”]+)”)?/g)]
    const isWhole = sources.length > 0 && named.length > 0 && measured.includes('](')
    return [
      ...(isWhole ? [] : [saves]),
      ...sources.filter((file) => !isThere(file)),
      ...named.filter(([, file = '', name]) => !isThere(file, name)).map(([text]) => text),
    ]
  })
  assert.deepEqual(wrong, [])
})

/** A query with the line it begins on, and where its answer is, if the page shows one. */
interface Example {
  readonly line: number
  readonly request: GraphQLRequest
  readonly answer: Fence | null
}

/** GraphQL and curl blocks, each with the blocks that follow it directly: variables, then the answer. */
function readExamples(page: string): Example[] {
  const text = textOf(page)
  const fences = readFences(text)
  const next = (fence: Fence | undefined, info: string): Fence | undefined => {
    const found = fence && fences.find(({ start }) => start >= fence.end)
    return found?.info === info && text.slice(fence?.end, found.start).trim() === '' ? found : undefined
  }
  return fences.flatMap((fence): Example[] => {
    const variables = next(fence, 'json variables')
    const request =
      fence.info === 'graphql'
        ? { query: fence.body, variables: variables === undefined ? null : JSON.parse(variables.body) }
        : fence.info === 'sh'
          ? requestOfCurl(fence.body)
          : null
    if (request === null) return []
    const line = text.slice(0, fence.start).split('\n').length
    return [{ line, request, answer: next(variables ?? fence, 'json') ?? null }]
  })
}

/** What a curl command asks, by POST or by GET; null for other commands. */
function requestOfCurl(command: string): GraphQLRequest | null {
  const [, body] = /curl [^]*?-d '([^']+)'/.exec(command) ?? []
  if (body !== undefined) return JSON.parse(body)
  const [, query] = /curl [^]*?--data-urlencode 'query=([^']+)'/.exec(command) ?? []
  return query === undefined ? null : { query }
}

/** Path and parameters of a call of curl with `--get`. */
function pathOfCurl(command: string): string {
  const [, path = ''] = /http:\/\/127\.0\.0\.1:4000(\/\S+)/.exec(command) ?? []
  const parameters = new URLSearchParams()
  for (const [, name = '', value = ''] of command.matchAll(/--data-urlencode '(\w+)=([^']*)'/g))
    parameters.append(name, value)
  return `${path}?${parameters}`
}

/** Without an answer on the page it is enough that there is no error. */
async function assertAnswer(page: string, { line, request, answer }: Example): Promise<void> {
  const actual = shownAs(answer, await ask(request))
  const where = `The query at ${page}:${line}`
  if (answer === null) assert.ok('data' in actual, `${where} is refused: ${JSON.stringify(actual)}`)
  else
    assert.equal(
      formatJson(actual),
      formatJson(JSON.parse(answer.body)),
      `${where} has another answer. UPDATE_DOCS=1 rewrites it.`,
    )
}

/** What an operation costs is only on the page where it says something. */
function shownAs(answer: Fence | null, actual: object): object {
  if (answer?.body.includes('"extensions": {"cost"') !== false || !('data' in actual)) return actual
  return { data: actual.data }
}

async function rewriteAnswers(page: string, examples: readonly Example[]): Promise<void> {
  let text = textOf(page)
  for (const { request, answer } of examples.toReversed()) {
    if (answer === null) continue
    const json = formatJson(shownAs(answer, await ask(request)))
    text = `${text.slice(0, answer.bodyStart)}${json}\n${text.slice(answer.end - 3)}`
  }
  writeFileSync(join(root, page), text)
}

const stack = new AsyncDisposableStack()
after(() => stack.disposeAsync())
let demo: ReturnType<typeof openDemo> | undefined
const openedDemo = () => (demo ??= openDemo().then((service) => stack.use(service)))

/** The response's JSON, from the engine that `npm run demo` serves. */
async function ask(request: GraphQLRequest): Promise<object> {
  const answer = await (await openedDemo()).engine.execute(request, unchargedLimits)
  if (answer.kind === 'data') return JSON.parse(new TextDecoder().decode(answer.body))
  return { errors: answer.errors }
}

/** The first two columns of the tables under a heading of the second level, where the second is a number. */
function numbersUnder(page: string, heading: string): Record<string, number> {
  const section =
    textOf(page)
      .split(/^(?=## )/m)
      .find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const rows = section.matchAll(/^\| `(\w+)` \| ([\d,]+) \| .+ \|$/gm)
  return Object.fromEntries(Array.from(rows, ([, name = '', value = '']) => [name, numberOf(value)]))
}

function numberOf(text: string): number {
  return Number(text.replaceAll(',', ''))
}

/** Links to files or headings that are not there; other sites are not asked. */
function brokenLinks(page: string): string[] {
  const prose = textOf(page).replaceAll(/^```[^]*?^```$/gm, '')
  const links = prose.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)
  return Array.from(links, ([, inText, inTag]) => inText ?? inTag ?? '')
    .filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(page, link))
    .map((link) => `${page}: ${link}`)
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', heading] = link.split('#')
  const target = path === '' ? page : posix.join(dirname(page), path)
  if (!existsSync(join(root, target))) return false
  return heading === undefined || headingsOf(textOf(target)).includes(heading)
}

/** Headings as GitHub names them. */
function headingsOf(text: string): string[] {
  return Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  )
}

function textOf(page: string): string {
  const text = texts.get(page)
  if (text === undefined) throw new Error(`There is no page ${page}.`)
  return text
}
