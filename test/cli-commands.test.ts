/** What the program says of itself, of the schema and of operations: arguments in; text and exit status out. */
import assert from 'node:assert/strict'
import { globSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildSchema } from 'graphql'
import { file, folder, newest, run, runApart, shared } from './support/server/command-line.ts'

test('help lists every command, and each command has its own', async () => {
  const { stdout, status } = await run(['--help'])
  assert.equal(status, 0)
  for (const command of [
    'serve',
    'import FILE…',
    'export',
    'schema',
    'query GRAPHQL',
    'explain GRAPHQL',
    'check',
    'demo',
  ])
    assert.ok(stdout.includes(`  ${command} `), command)
  assert.match((await run(['serve', '-h'])).stdout, /--port NUMBER +Port to listen on/)
})

test('the version is that of the package', async () => {
  assert.match((await run(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/)
})

test('what a command has compiled is stored for the next one', async () => {
  const cache = mkdtempSync(join(folder, 'compiled-'))
  await runApart(['--version'], { env: { TMPDIR: cache, NODE_COMPILE_CACHE: '' } })
  assert.ok(globSync('node-compile-cache/*/*', { cwd: cache }).length > 0)
})

test('commands and options that do not exist are answered with the nearest that do', async () => {
  assert.deepEqual(await run(['imprt', 'x']), {
    stdout: '',
    stderr: 'There is no command "imprt"; did you mean import?\n',
    status: 2,
  })
  const { stderr, status } = await run(['query', '{ x }', '--databse', 'x.db'])
  assert.deepEqual([stderr, status], ['query knows no option --databse; did you mean --database?\n', 2])
})

test('a setting may come from the environment', async () => {
  const { stderr, status } = await run(['export'], { env: { LEXIGRAPH_DATABASE: 'nowhere.db' } })
  assert.equal(status, 1)
  assert.equal(stderr, 'There is no database at nowhere.db; `lexigraph import FILE…` makes one.\n')
})

test('the schema is printed as SDL', async () => {
  const { stdout, status } = await run(['schema'])
  assert.equal(status, 0)
  assert.ok(buildSchema(stdout).getQueryType()?.getFields()['techServiceNewsArticle'])
})

test('schema --diff lists breaking and dangerous changes, and its status says whether one is breaking', async () => {
  const { stdout: now } = await run(['schema'])
  const same = await run(['schema', '--diff', file('same.graphql', now)])
  assert.deepEqual(same, { stdout: 'No change is breaking or dangerous.\n', stderr: '', status: 0 })

  const added = now.replace(
    'enum TechServiceNewsArticleSortField {\n  uri\n',
    'enum TechServiceNewsArticleSortField {\n',
  )
  const dangerous = await run(['schema', '--diff', file('added.graphql', added)])
  assert.equal(dangerous.status, 0)
  assert.match(
    dangerous.stdout,
    /^dangerous: [^\n]+\n0 breaking changes and 1 dangerous change were found\.\n$/,
  )

  const removed = now.replace('type Query {\n', 'type Query {\n  weather: String\n')
  const breaking = await run(['schema', '--diff', file('removed.graphql', removed)])
  assert.equal(breaking.status, 1)
  assert.match(
    breaking.stdout,
    /^breaking: [^\n]*Query\.weather[^\n]*\n1 breaking change and 0 dangerous changes were found\.\n$/,
  )

  for (const [name, why] of [
    [join(folder, 'missing.graphql'), 'there is no such file'],
    [file('broken.graphql', 'type {'), 'Syntax Error: Expected Name, found "{"'],
    [file('not-whole.graphql', 'type Query { a: Nothing }'), 'Unknown type "Nothing"'],
  ] as const) {
    const { stdout, stderr, status } = await run(['schema', '--diff', name])
    assert.deepEqual([stdout, status], ['', 2], name)
    assert.ok(stderr.startsWith(`${name} cannot be read as a GraphQL schema: ${why}`), stderr)
    assert.match(stderr, /^[^\n]+\.\n$/)
  }
})

test('an operation is answered without a server, from text, file or standard input', async () => {
  const database = ['--database', await shared()]
  const direct = await run(['query', newest, ...database])
  assert.equal(direct.status, 0, direct.stderr)
  assert.ok(JSON.parse(direct.stdout).data.techServiceNewsSource.totalCount > 0)
  const operation = `query A($n: Int) { techServiceNewsSource(first: $n) { nodes { uri } } } query B { __typename }`
  const options = ['--operation', 'A', '--variables', '{"n": 2}', ...database]
  const fromFile = await run(['query', `@${file('operation.graphql', operation)}`, ...options])
  const fromInput = await runApart(['query', '-', ...options], { input: operation })
  assert.equal(JSON.parse(fromFile.stdout).data.techServiceNewsSource.nodes.length, 2)
  assert.equal(fromInput.stdout, fromFile.stdout)
})

test('an operation with errors prints them and fails', async () => {
  const { stdout, status } = await run(['query', '{ nothing }', '--database', await shared()])
  assert.equal(status, 1)
  assert.equal(JSON.parse(stdout).errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED')
  const variables = await run(['query', newest, '--variables', '[1]'])
  assert.deepEqual(
    [variables.stderr, variables.status],
    ['--variables must be a JSON object, such as {"first": 10}.\n', 2],
  )
})

test('an operation is explained with its SQL and indexes', async () => {
  const { stdout, status } = await run(['explain', newest, '--database', await shared()])
  assert.match(stdout, /^# Cost\n\d+ points$/m)
  assert.equal(status, 0)
  assert.match(stdout, /select/i)
  assert.match(stdout, /tech\.service\.news\.source/)
})
