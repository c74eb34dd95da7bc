import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

/** What each folder of src/ may import of the others; every folder may import errors.ts and util/. */
const floors: Record<string, readonly string[]> = {
  util: [],
  lexicon: [],
  sql: [],
  search: [],
  files: [],
  schema: ['lexicon'],
  database: ['lexicon', 'sql', 'search', 'files', 'schema (types)'],
  query: ['schema', 'sql', 'search', 'files', 'database'],
  ingest: ['lexicon', 'database'],
  endpoint: [],
  ask: ['schema', 'search'],
  mcp: ['ask', 'endpoint', 'search', 'schema', 'query'],
  explorer: ['ask', 'endpoint', 'schema', 'search', 'files'],
  server: ['endpoint', 'schema', 'query', 'files', 'database', 'mcp', 'explorer'],
  cli: [
    'lexicon',
    'sql',
    'files',
    'schema',
    'database',
    'query',
    'ingest',
    'mcp',
    'explorer',
    'server',
    'demo',
  ],
}

/**
 * What each phase of a query may import of the others. The price must not depend on data, nor emission on statistics.
 * `outputs` has the parts of all phases for one output in one file.
 */
const phases: Record<string, readonly string[]> = {
  parse: [],
  plan: ['parse', 'outputs'],
  price: ['plan', 'parse', 'outputs'],
  emit: ['plan', 'parse', 'outputs'],
  optimize: ['plan', 'price', 'emit', 'parse', 'outputs'],
  outputs: ['parse', 'plan', 'price', 'optimize', 'emit'],
  execute: ['parse', 'plan', 'price', 'optimize', 'emit'],
}

/** Where in src/ each third-party module may be imported. */
const modules: readonly (readonly [module: RegExp, folders: readonly string[]])[] = [
  [/^@atproto(-labs)?\//, ['lexicon', 'ingest/sources']],
  [/^graphql(\/\w+)*$/, ['schema', 'query', 'ask', 'mcp', 'explorer', 'server', 'cli/commands']],
  [/^(preact|preact-render-to-string|htm)$/, ['explorer']],
  [/^@modelcontextprotocol\/server(\/stdio)?$/, ['mcp']],
  [/^gpt-tokenizer\/encoding\/o200k_base$/, ['mcp']],
  [/^sql-template-tag$/, ['sql', 'database', 'query']],
  [/^node:sqlite$/, ['database/sqlite']],
  [/^pg$/, ['database/postgres']],
  [/^(@observablehq\/plot|linkedom)$/, ['explorer/charts']],
  [
    /^lru-cache$/,
    ['database/sqlite', 'database/postgres', 'query', 'server', 'ingest/sources', 'explorer/charts'],
  ],
  [/^rate-limiter-flexible$/, ['server/admission/limits']],
  [/^ipaddr\.js$/, ['server/admission/limits', 'ingest/sources/repos']],
  [/^fastify$/, ['server']],
  [/^pino$/, ['server', 'cli']],
  [/^prom-client$/, ['server']],
  [/^cli-progress$/, ['cli']],
  [/^hyparquet-writer$/, ['files']],
]

/** Third-party modules that `serve` over a SQLite file loads before it answers; each takes time and memory. */
const servedBy: readonly string[] = [
  'fastify',
  'graphql/error',
  'graphql/execution/values',
  'graphql/language',
  'graphql/language/ast',
  'graphql/type',
  'graphql/utilities/TypeInfo',
  'graphql/utilities/getIntrospectionQuery',
  'graphql/utilities/printSchema',
  'graphql/utilities/typeFromAST',
  'graphql/utilities/valueFromASTUntyped',
  'graphql/validation/ValidationContext',
  'graphql/validation/rules/NoFragmentCyclesRule',
  'graphql/validation/rules/VariablesInAllowedPositionRule',
  'graphql/validation/specifiedRules',
  'ipaddr.js',
  'lru-cache',
  'pino',
  'sql-template-tag',
]

interface Import {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
  /** Whether it is loaded only when it comes to that. */
  readonly isLate: boolean
}

const root = fileURLToPath(new URL('../', import.meta.url))
/** Of `src` and of what is next to it, tests too. */
const everywhere = globSync('{src,bench,build,demo,explorer,playground,test}/**/*.{ts,js}', {
  cwd: root,
  exclude: ['**/node_modules'],
}).map((file) => file.replaceAll('\\', '/'))
const sources = everywhere.filter((file) => /^src\/.*\.ts$/.test(file) && !file.endsWith('.test.ts'))
const texts = new Map(sources.map((file) => [file, withoutComments(readFileSync(join(root, file), 'utf8'))]))
const imports = sources.flatMap(readImports)

test('every import inside src/ goes to a floor that the folder may use', () => {
  assert.deepEqual(imports.filter((one) => one.to.startsWith('.')).flatMap(floorProblem), [])
})

test('every phase of a query imports only the phases before it', () => {
  const problems = imports
    .filter(({ from, to }) => to.startsWith('.') && phaseOf(from) !== undefined)
    .filter(({ from, to }) => {
      const [phase, other] = [phaseOf(from) ?? '', phaseOf(resolve(from, to))]
      return other !== undefined && other !== phase && !phases[phase]?.includes(other)
    })
    .map(({ from, to }) => `${from} imports ${to}`)
  assert.deepEqual(problems, [])
})

test('a folder has at most 15 source files', () => {
  const folders = Map.groupBy(
    everywhere.filter((file) => !file.endsWith('.test.ts')),
    (file) => dirname(file),
  )
  assert.deepEqual(
    [...folders]
      .filter(([, { length }]) => length > 15)
      .map(([folder, { length }]) => `${folder}: ${length}`),
    [],
  )
})

test('a folder of src/ has a README of at most ten lines', () => {
  for (const folder of new Set(sources.map((file) => dirname(file)))) {
    const lines = readFileSync(join(root, folder, 'README.md'), 'utf8')
      .trimEnd()
      .split('\n')
    assert.ok(lines.length <= 10, `${folder}/README.md has ${lines.length} lines`)
  }
})

test('third-party modules are imported only where the house allows them', () => {
  assert.deepEqual(imports.filter((one) => !one.to.startsWith('.')).flatMap(moduleProblem), [])
})

test('sources run with the packages that --omit=dev installs, except for agents', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const names = imports
    .filter(({ to, typeOnly }) => !typeOnly && !to.startsWith('.') && !to.startsWith('node:'))
    .map(({ to }) => /^(@[^/]+\/)?[^/]+/.exec(to)?.[0] ?? to)
  const missing = new Set(names.filter((name) => !(name in dependencies)))
  assert.deepEqual([...missing].toSorted(), ['@modelcontextprotocol/server', 'gpt-tokenizer'])
  // The bundler makes the scripts of pages.
  assert.deepEqual(
    Object.keys(dependencies).filter((name) => !names.includes(name)),
    ['esbuild'],
  )
})

test('serve loads nothing that it need not have', () => {
  const files = [
    'src/cli/main.ts',
    'src/cli/commands/serving/serve.ts',
    'src/cli/serve/listen.ts',
    'src/cli/service/service.ts',
  ]
  const found = loadedWith(files)
  assert.deepEqual(found.filter((to) => !to.includes('.ts') && !to.startsWith('node:')).toSorted(), servedBy)
})

test('no source file imports itself by a detour', () => {
  assert.deepEqual(findCycles(), [])
})

test('no file is longer than 400 lines, tests too', () => {
  const long = everywhere.filter(
    (file) => readFileSync(join(root, file), 'utf8').split('\n').length - 1 > 400,
  )
  assert.deepEqual(long, [])
})

test('no function of what is shipped is longer than 80 lines, with the functions inside it', () => {
  const given =
    '-c test/lint/functions.json -f unix --ignore-pattern **/*.test.ts src explorer playground bin'
  const oxlint = [join(root, 'node_modules/oxlint/bin/oxlint'), ...given.split(' ')]
  const { stdout, stderr } = spawnSync(process.execPath, oxlint, { cwd: root, encoding: 'utf8' })
  assert.equal(stdout + stderr, '')
})

/** Lowered with each part that goes; a feature raises it by what it is worth. */
const mostShipped = 75_382

test('what is shipped has no more lines than it may', () => {
  const shipped = globSync('{src,explorer,playground,bin}/**/*.{ts,js,css,json}', { cwd: root })
  const lines = shipped
    .filter((file) => !file.endsWith('.test.ts'))
    .reduce((sum, file) => sum + readFileSync(join(root, file), 'utf8').split('\n').length - 1, 0)
  assert.ok(lines <= mostShipped, `${lines} lines of ${mostShipped}`)
})

/** Texts and templates within a line; GraphQL in them has a brace between spaces, a fragment, or an argument in parentheses. */
const literal = /'[^'\n]*'|`[^`\n]*`/g
const graphqlText = /\.\.\. on |[\w})] \{ (?:\.\.\.|\$\{|[a-z])|[\w}]\([a-z]\w*: /i

test('only src/ask writes GraphQL: pages and tools have selections as data', () => {
  const written = sources
    .filter((file) => /^src\/(explorer|mcp)\//.test(file))
    .flatMap((file) => {
      const literals = (texts.get(file) ?? '').match(literal) ?? []
      return literals.filter((text) => graphqlText.test(text)).map((text) => `${file}: ${text}`)
    })
  assert.deepEqual(written, [])
})

/** Where what is switched on is open: codes of servers, names of fields, types of lexicons. */
const openSwitches = [
  'src/database/postgres/failures.ts',

  'src/query/plan/build-plan.ts',
  'src/query/plan/groups/build-aggregate.ts',
  'src/schema/model/build-model.ts',
]

test('a switch over a closed union has no default, so that a forgotten case does not compile', () => {
  const files = sources.filter(
    (file) => /^src\/(schema|query|database|sql)\//.test(file) && /^\s*default:/m.test(texts.get(file) ?? ''),
  )
  assert.deepEqual(files.toSorted(), openSwitches)
})

test('environment, arguments and exit belong to the command line', () => {
  const trespassers = sources.filter(
    (file) => !file.startsWith('src/cli/') && /\bprocess\.(env|argv|exit)\b/.test(texts.get(file) ?? ''),
  )
  assert.deepEqual(trespassers, [])
})

function readImports(file: string): Import[] {
  const text = texts.get(file) ?? ''
  const statements = text.matchAll(
    /^\s*(?:import|export)\s+(type\s)?(?:[^'"`;()=]*?\sfrom\s+)?['"]([^'"]+)['"]/gm,
  )
  const calls = text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)
  return [
    ...Array.from(statements, ([, type, to]) => ({
      from: file,
      to: to ?? '',
      typeOnly: type !== undefined,
      isLate: false,
    })),
    ...Array.from(calls, ([, to]) => ({ from: file, to: to ?? '', typeOnly: false, isLate: true })),
  ]
}

/** The files themselves and what is loaded before any of them runs. */
function loadedWith(files: readonly string[]): string[] {
  const loaded = new Set(files)
  for (const file of loaded)
    for (const { from, to, typeOnly, isLate } of imports)
      if (from === file && !typeOnly && !isLate) loaded.add(to.startsWith('.') ? resolve(from, to) : to)
  return [...loaded]
}

function floorProblem({ from, to, typeOnly }: Import): string[] {
  const source = folderOf(from)
  const target = folderOf(resolve(from, to))
  if (source === target || target === 'errors.ts' || target === 'util') return []
  const allowed = floors[source] ?? []
  if (allowed.includes(target) || (typeOnly && allowed.includes(`${target} (types)`))) return []
  return [`${from} imports ${to}, but ${source} may import ${allowed.join(', ') || 'nothing'}`]
}

function moduleProblem({ from, to }: Import): string[] {
  const rule = modules.find(([module]) => module.test(to))
  if (rule === undefined && to.startsWith('node:')) return []
  if (rule === undefined) return [`${from} imports ${to}, which has no place in the table of this test`]
  const allowed = rule[1].some((folder) => from.startsWith(`src/${folder}/`))
  return allowed ? [] : [`${from} imports ${to}, which belongs to ${rule[1].join(', ')}`]
}

/** Each cycle once, as the files on it. */
function findCycles(): string[] {
  const edges = Map.groupBy(
    imports.filter((one) => one.to.startsWith('.')),
    (one) => one.from,
  )
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (path.includes(file) || done.has(file)) return
    for (const edge of edges.get(file) ?? []) visit(resolve(file, edge.to), [...path, file])
    done.add(file)
  }
  for (const file of sources) visit(file, [])
  return cycles
}

/** `src/query/plan/plan.ts` → `plan`; undefined outside of `src/query`. */
function phaseOf(file: string): string | undefined {
  const [, folder, phase] = file.split('/')
  return folder === 'query' ? phase : undefined
}

function resolve(from: string, to: string): string {
  return posix.join(dirname(from), to)
}

/** `src/query/plan/plan.ts` → `query`; `src/errors.ts` → `errors.ts`; `demo/corpus.ts` → `demo`. */
function folderOf(file: string): string {
  const [first, second] = file.split('/')
  return (first === 'src' ? second : first) ?? ''
}

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(\/\/.*|\/\*[^]*?\*\/)/gm, '')
}
