/** A command that cannot do its work leaves no new database, whichever command it is. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { type CommandName, commands } from '../src/cli/command-list.ts'
import { startFakeServer } from './network/fake-server.ts'
import { programFile, runProgram } from './network/service.ts'
import { importCorpus } from './support/server/command-line.ts'
import { commandsInTurn } from './support/server/commands.ts'
import { temporaryFolder } from './support/store/store.ts'

const inFolder = temporaryFolder()
const runInTurn = commandsInTurn()
const nowhere = await startFakeServer({
  respond: (_request, response) => void response.writeHead(404).end(),
  refuse: () => null,
  serve: async () => {},
})
after(() => nowhere[Symbol.asyncDispose]())
const host = `http://${nowhere.host}`
const network = ['--plc', host, '--handle-resolver', host]
const did = `did:plc:${'a'.repeat(24)}`
const missing = inFolder('missing')
const [damaged, notes] = [file('damaged.gz', '\u001f\u008b'), file('notes.txt', 'text')]
const reason = ['--reason', 'test']

/** Calls that fail, by command; those without a database in a file have none. */
const calls: Readonly<Record<CommandName, readonly (readonly string[])[]>> = {
  serve: [
    ['--host', '203.0.113.1', '--workers', '1'],
    ['--host', '203.0.113.1', '--workers', '2'],
    ['--ingest', `import:${missing}`],
  ],
  import: [[missing], [damaged]],
  ingest: [
    ['--from', `import:${missing}`],
    ['--from', 'jetstream:ws://127.0.0.1:1', '--publishers', 'unknown.test', ...network],
  ],
  backfill: [
    [did, ...network],
    ['unknown.test', ...network],
    [host, ...network],
    [missing + '.car', ...network],
    [notes, ...network],
  ],
  reconcile: [[], [did, ...network]],
  status: [[]],
  rejections: [[], ['retry']],
  keys: [['create', '--name', 'a', '--tier', 'research'], ['list']],
  hide: [[did, ...reason], ['--undo', did], ['--list']],
  purge: [[did, ...reason]],
  export: [[]],
  copy: [],
  backup: [[inFolder('made.backup')]],
  restore: [[missing], [notes]],
  schema: [],
  query: [
    ['{ indexStatus { version } }'],
    ['{ techServiceNewsArticle { nodes { uri } } }', '--format', 'csv'],
  ],
  explain: [['{ indexStatus { version } }']],
  check: [[]],
  demo: [],
  mcp: [],
}

for (const name of Object.keys(commands) as readonly CommandName[])
  for (const [index, args] of calls[name].entries())
    test(`${name} that fails leaves no new database (${index + 1})`, async () => {
      const database = `${name}-${index}.db`
      const run = name === 'serve' ? runProgram : runInTurn
      const { status, stderr } = await run([name, ...args, '--database', inFolder(database)])
      assert.ok(status === 1 || status === 2, stderr)
      assert.deepEqual(filesOf(database), [], stderr)
      if (stderr.startsWith('A new database is made'))
        assert.match(stderr, /The new database \S+ is removed again/)
    })

test('a failed import leaves a symbolic link as it was, to no file', async () => {
  symlinkSync('link-target.db', inFolder('link.db'))
  const { status, stderr } = await runInTurn(['import', damaged, '--database', inFolder('link.db')])
  assert.equal(status, 1, stderr)
  assert.deepEqual(filesOf('link'), ['link.db'], stderr)
})

test('an import that finds no room leaves no new database', async () => {
  const corpus = [...buildDemoCorpus()].map((record) => `${JSON.stringify(record)}\n`)
  const args = ['import', file('corpus.jsonl', corpus.join('')), '--database', inFolder('no-room.db')]
  // A file may have 2 MB.
  const { status, stderr } = await runLimited(4000, args)
  assert.equal(status, 1, stderr)
  assert.deepEqual(filesOf('no-room.db'), [], stderr)
})

test('a copy that finds no room for the tables leaves no new database', async () => {
  const from = await importCorpus('copied.db')
  const { status, stderr } = await runLimited(100, ['copy', '--from', from, '--to', inFolder('copy.db')])
  assert.equal(status, 1, stderr)
  assert.match(stderr, /copy\.db cannot be opened/)
  assert.deepEqual(filesOf('copy.db'), [], stderr)
})

/** `blocks`: the largest size of a file, each of 512 bytes. */
async function runLimited(blocks: number, args: readonly string[]) {
  const limited = ['-c', `ulimit -f ${blocks} && exec "$0" "$@"`, process.execPath, programFile, ...args]
  const child = spawn('sh', limited, { stdio: ['ignore', 'ignore', 'pipe'] })
  const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { status, stderr }
}

/** With the files next to it. */
function filesOf(database: string): readonly string[] {
  return readdirSync(inFolder('.')).filter((name) => name.startsWith(database))
}

function file(name: string, content: string): string {
  const path = inFolder(name)
  writeFileSync(path, content, 'latin1')
  return path
}
