/** The program as it is run: arguments and files in; text, exit status and an HTTP server out. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { buildSchema } from 'graphql'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { programFile } from './network/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'lexigraph-cli-'))
after(() => rmSync(folder, { recursive: true }))

const corpus = [...buildDemoCorpus()].slice(0, 120).map((record) => JSON.stringify(record))
const records = file('records.jsonl', `${corpus.join('\n')}\n`)
const newest = '{ techServiceNewsSource(first: 1) { totalCount nodes { uri } } }'

test('help lists every command, and each command has its own', async () => {
  const { stdout, status } = await run(['--help'])
  assert.equal(status, 0)
  for (const command of [
    'serve',
    'import FILE…',
    'export',
    'schema',
    'query GRAPHQL',
    'explain',
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
  await run(['--version'], { env: { TMPDIR: cache, NODE_COMPILE_CACHE: '' } })
  assert.ok(globSync('node-compile-cache/*/*', { cwd: cache }).length > 0)
})

test('an old Node is told what is needed', async () => {
  const pretend = "Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })"
  const old = await run([], { node: ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`] })
  assert.equal(old.status, 1)
  assert.match(
    old.stderr,
    /^Lexigraph needs Node 24\.19 or newer; this is v\S+\. Install a newer Node[^\n]+\n$/,
  )
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

test('records import from files, gzip and standard input, and what is refused is counted', async () => {
  const packed = file('packed.jsonl.gz', gzipSync(corpus.slice(0, 80).join('\n')))
  const database = join(folder, 'mixed.db')
  const lines = `${corpus.slice(80).join('\n')}\nno json\n{"uri":"at://x"}\n`
  const { stdout, stderr, status } = await run(['import', packed, '-', '--json', '--database', database], {
    input: lines,
  })
  assert.match(stderr, /^2 of 122 records were refused; [^\n]+\n$/)
  assert.equal(status, 0)
  const { seconds, recordsPerSecond, ...counts } = JSON.parse(stdout)
  assert.ok(seconds > 0 && recordsPerSecond > 0)
  assert.deepEqual(counts, {
    read: 122,
    stored: 120,
    updated: 0,
    unchanged: 0,
    older: 0,
    withheld: 0,
    purged: 0,
    expired: 0,
    refused: { malformed: 1, 'bad-uri': 1 },
  })
})

test('importing a file twice changes nothing, and the table says so', async () => {
  const database = await importCorpus('twice.db')
  const before = await run(['export', '--database', database])
  const { stdout } = await run(['import', records, '--database', `sqlite:${database}`])
  const table = Object.fromEntries(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s{2,}/)),
  )
  assert.deepEqual([table.read, table.stored, table.unchanged, table.refused], ['120', '0', '120', '0'])
  assert.deepEqual(await run(['export', '--database', database]), before)
})

test('an import fails when every record is refused, and strictly when any is', async () => {
  const bad = file('bad.jsonl', 'no json\n{"uri":"at://x"}\n')
  const mixed = file('mixed.jsonl', `no json\n${corpus[0]}\n`)
  const importInto = (name: string, ...args: readonly string[]) =>
    run(['import', ...args, '--database', join(folder, name)])
  const all = await importInto('all-refused.db', bad)
  assert.deepEqual(
    [all.stderr, all.status],
    ['Every record was refused; `lexigraph rejections` lists them with their reasons.\n', 1],
  )
  const some = await importInto('some-refused.db', mixed)
  assert.equal(some.status, 0)
  // What is there already is stored, and an empty file has nothing to refuse.
  assert.equal((await importInto('some-refused.db', mixed)).status, 0)
  assert.equal((await importInto('some-refused.db', file('empty.jsonl', ''))).status, 0)
  const strict = await importInto('some-refused.db', mixed, '--strict', '--json')
  assert.match(strict.stderr, /^1 of 2 records was refused; `lexigraph rejections` lists them/)
  assert.deepEqual([strict.status, JSON.parse(strict.stdout).unchanged], [1, 1])
  assert.equal((await importInto('none-refused.db', records, '--strict')).status, 0)
})

test('serve says what it serves, without a password', async () => {
  const database = await importCorpus('said.db')
  for (const workers of ['1', '2']) {
    const child = start(['serve', '--port', '0', '--workers', workers, '--database', `sqlite:${database}`])
    let stderr = ''
    for await (const piece of child.stderr) {
      stderr += piece
      if (/answers at http/.test(stderr)) child.kill()
    }
    assert.match(
      stderr,
      /^Database: sqlite:\S+said\.db\nLexicons: \S+lexicons\/?\nCollections and their records: /,
    )
    assert.match(stderr, /tech\.service\.news\.source \(\d+\)/)
    assert.match(stderr, new RegExp(`^Workers: ${workers}\nLexigraph answers at http`, 'm'))
  }
})

test('what is exported is imported to the same state', async () => {
  const exported = await run(['export', '--database', await shared()])
  const copy = file('copy.jsonl', exported.stdout)
  const database = join(folder, 'to.db')
  await run(['import', copy, '--database', database])
  assert.equal((await run(['export', '--database', database])).stdout, exported.stdout)
  assert.equal(exported.stdout.split('\n').length, 121)
})

test('files that cannot be read end in one sentence and a status', async () => {
  const database = ['--database', join(folder, 'bad.db')]
  const missing = await run(['import', 'nowhere.jsonl', ...database])
  assert.deepEqual(
    [missing.stderr, missing.status],
    ['nowhere.jsonl cannot be read: there is no such file.\n', 1],
  )
  const cut = file('cut.jsonl.gz', gzipSync(corpus.join('\n')).subarray(0, 2000))
  const damaged = await run(['import', cut, ...database])
  assert.equal(damaged.status, 1)
  assert.match(damaged.stderr, /^\S+cut\.jsonl\.gz ends in the middle of its gzip data: [^\n]+\n$/)
  const other = await run(['export', '--database', records])
  assert.equal(other.status, 1)
  assert.match(other.stderr, /^The database \S+ cannot be opened: [^\n]+\n$/)
})

test('replicas of a file are refused, also where there is nothing to be done to it', async () => {
  const replicas = ['--read-database', 'postgres://db2/records']
  assert.deepEqual(await run(['query', newest, '--database', await shared(), ...replicas]), {
    stdout: '',
    stderr: '--read-database is for PostgreSQL; name its primary with --database.\n',
    status: 2,
  })
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
  const fromInput = await run(['query', '-', ...options], { input: operation })
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

test('an export is explained with its SQL and price', async () => {
  const explain = async (...options: readonly string[]) => {
    const chosen = ['--collection', 'tech.service.news.article', '--json', ...options]
    const { stdout, stderr, status } = await run(['explain', ...chosen, '--database', await shared()])
    assert.equal(status, 0, stderr)
    return JSON.parse(stdout)
  }
  const all = await explain('--fields', 'title', '--sort-by', 'publishedAt:desc')
  assert.match(all.sql, /^select .*"tech\.service\.news\.article"/s)
  assert.ok(all.steps.length > 0 && all.plan.length === 1)
  const few = await explain('--fields', 'title', '--limit', '1')
  assert.ok(few.cost > 0 && few.cost <= all.cost)
  const groups = await explain('--group-by', 'language', '--fields', 'max.publishedAt')
  assert.match(groups.sql, /max\(/)
  const both = await run(['explain', newest, '--collection', 'tech.service.news.article'])
  assert.equal(both.status, 2)
  assert.match(both.stderr, /explain takes one GRAPHQL, or --collection NSID/)
  const without = await run(['explain', '--where', '{}'])
  assert.equal(without.status, 2)
  assert.match(without.stderr, /--where needs --collection NSID/)
})

test('check reports every problem of records and of lexicons', async () => {
  const bad = file('bad.jsonl', `${corpus[0]}\nno json\n{"uri":"at://x"}\n`)
  const checked = await run(['check', bad])
  assert.equal(checked.status, 1)
  assert.match(
    checked.stdout,
    /bad\.jsonl:2: malformed: .*\n.*bad\.jsonl:3: bad-uri: .*\n3 records read, 2 of them refused\.\n$/,
  )
  const lexicons = mkdtempSync(join(folder, 'lexicons-'))
  writeFileSync(
    join(lexicons, 'a.json'),
    '{"lexicon": 1, "id": "org.example.a", "defs": {"main": {"type": "none"}}}',
  )
  writeFileSync(join(lexicons, 'b.json'), 'no json')
  const { stdout, status } = await run(['check', '--lexicons', lexicons, '--json'])
  assert.equal(status, 1)
  assert.ok(JSON.parse(stdout).lexicons.problems.length >= 2)
  const schema = await run(['schema', '--lexicons', lexicons])
  assert.equal(schema.status, 1)
  assert.match(schema.stderr, /^[^\n]+`lexigraph check` prints all\.\n$/)
})

test('what was refused is listed without writing to the file, also while another writes', async () => {
  const bad = file('refused.jsonl', `no json\n{"uri":"at://x"}\n`)
  const database = join(folder, 'refused.db')
  await run(['import', bad, '--database', database])
  using writing = new DatabaseSync(database)
  writing.exec('begin immediate')
  const listed = await run(['rejections', '--json', '--database', database])
  assert.deepEqual([listed.stderr, listed.status], ['', 0])
  const reasons = listed.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).reason)
  assert.deepEqual(reasons.toSorted(), ['bad-uri', 'malformed'])
  writing.exec('rollback')

  const others = fileURLToPath(new URL('schemas/site-standard/lexicons', import.meta.url))
  const elsewise = await run(['rejections', '--lexicons', others, '--database', database])
  assert.equal(elsewise.status, 1)
  assert.match(elsewise.stderr, /built with other lexicons/)
  assert.equal((await run(['query', newest, '--database', database])).status, 0)
})

test('a reader that stops early is no failure', async () => {
  const child = start(['export', '--database', await shared()])
  const stderr = text(child.stderr)
  await once(child.stdout, 'readable')
  child.stdout.destroy()
  assert.deepEqual([await exitOf(child), await stderr], [0, ''])
})

test('serve answers until it is told to stop, and then answers what is in flight', async () => {
  await using server = await serve(await shared())
  const response = await fetch(`${server.url}/api/graphql?query=${encodeURIComponent(newest)}`)
  assert.match(await response.text(), /"totalCount":[1-9]/)

  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  const received = text(socket)
  const body = JSON.stringify({ query: newest })
  // The server's "100 Continue" tells that the request has begun; its body comes after the signal.
  const continued = once(socket, 'data')
  socket.write(
    `POST /api/graphql HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\n` +
      `content-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
  )
  await continued
  server.child.kill('SIGTERM')
  await server.output.until(/Stopping/)
  socket.write(body)
  assert.match(await received, /HTTP\/1\.1 200 OK[^]+"totalCount"/)
  assert.equal(await exitOf(server.child), 0)
})

test('a second signal ends at once', async () => {
  await using server = await serve(await shared())
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(
    'POST /api/graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n',
  )
  await once(socket, 'data')
  server.child.kill('SIGINT')
  await server.output.until(/Stopping/)
  server.child.kill('SIGTERM')
  assert.equal(await exitOf(server.child), 143)
})

test('a port that is taken is named', async () => {
  await using server = await serve(await shared())
  const { port } = new URL(server.url)
  const second = await run(['serve', '--port', port, '--database', await shared()])
  assert.deepEqual(
    [second.stderr, second.status],
    [`Port ${port} of 127.0.0.1 is in use; choose another with --port.\n`, 1],
  )
})

test('a port that browsers refuse to open is refused for the demo, and named by serve', async () => {
  const refused =
    'Browsers, Node and other clients refuse to open port 10080, which belongs to another protocol.'
  const demo = await run(['demo', '--port', '10080'])
  assert.deepEqual([demo.stderr, demo.status], [`${refused} Choose another with --port, such as 4000.\n`, 1])
  const child = start(['serve', '--port', '10080', '--workers', '1', '--database', await shared()])
  const told = watch(child.stderr)
  await told.until(/answers at/)
  child.kill('SIGTERM')
  await exitOf(child)
  assert.ok(
    told.text().includes(`${refused} Choose another with --port, unless a proxy takes the requests.\n`),
  )
})

test('the demo serves its corpus, answers its queries and logs no requests', async () => {
  const child = start(['demo', '--mcp', '--port', '0'], { env: { LEXIGRAPH_REQUEST_LOG: 'all' } })
  const output = watch(child.stdout)
  const told = text(child.stderr)
  await output.until(/runs until/)
  child.kill('SIGTERM')
  assert.equal(await exitOf(child), 0)
  assert.equal(output.text().match(/^ {2}"data": \{$/gm)?.length, 3)
  const [, address] = / are served at (http:\S+)$/m.exec(output.text()) ?? []
  assert.ok(output.text().includes(`\nAgents connect to ${address}/mcp\n`))
  assert.doesNotMatch(await told, /^\{/m)
})

test('the demo offers no pages where they are off', async () => {
  const child = start(['demo', '--port', '0', '--explorer', 'off'])
  const output = watch(child.stdout)
  await output.until(/runs until/)
  child.kill('SIGTERM')
  assert.equal(await exitOf(child), 0)
  assert.match(output.text(), /^Programs ask http:/m)
  assert.doesNotMatch(output.text(), /browser|pages are at/)
})

interface Outcome {
  readonly stdout: string
  readonly stderr: string
  readonly status: number | null
}

interface RunOptions {
  readonly input?: string
  readonly env?: Record<string, string>
  /** Options of Node itself. */
  readonly node?: readonly string[]
}

async function run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const child = start(args, options)
  // A command that needs no input may have ended before it could take any.
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)])
  return { stdout, stderr, status }
}

function start(args: readonly string[], { env, node = [] }: RunOptions = {}) {
  return spawn(process.execPath, [...node, programFile, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
  })
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

async function serve(database: string) {
  const child = start(['serve', '--port', '0', '--database', database])
  const output = watch(child.stderr)
  const [, url = ''] = await output.until(/answers at (http:\/\/[\d.]+:\d+)/)
  return {
    child,
    url,
    output,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exitOf(child)
    },
  }
}

/** What a stream has said so far, and the moment when it says something. */
function watch(stream: NodeJS.ReadableStream) {
  let said = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk
  })
  const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(said)
      if (found !== null) return found
      const ended = once(stream, 'end').then(() => true)
      const more = once(stream, 'data').then(() => false)
      if (await Promise.race([more, ended])) throw new Error(`Nothing matches ${pattern} in: ${said}`)
    }
  }
  return { text: () => said, until }
}

let imported: Promise<string> | undefined
/** One database for all tests that only read. */
function shared(): Promise<string> {
  imported ??= importCorpus('shared.db')
  return imported
}

async function importCorpus(name: string): Promise<string> {
  const database = join(folder, name)
  const { status, stderr } = await run(['import', records, '--database', database])
  assert.equal(status, 0, stderr)
  return database
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
