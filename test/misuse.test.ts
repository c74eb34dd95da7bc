/** Command lines that cannot be understood: each ends with status 2 and a sentence. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { type CommandName, commands } from '../src/cli/command-list.ts'
import { commandsInTurn } from './support/server/commands.ts'
import { temporaryFolder } from './support/store/store.ts'

const inFolder = temporaryFolder()
const runInTurn = commandsInTurn()
const database = inFolder('none.db')
const did = 'did:web:news.example'
const because = ['--reason', 'They asked for it.']
const source = 'tech.service.news.source'
const filled = inFolder('filled.db')
const records = inFolder('records.jsonl')
const port = ['--port', '0']

test('commands, options and operands that do not fit end with status 2', async () => {
  for (const args of [[], ['frob'], ['help', 'frob']]) await isMisuse(args)
  for (const [name, [operands]] of Object.entries(commands) as [CommandName, readonly [string, string]][]) {
    await isMisuse([name, '--frob'])
    await isMisuse([name, '--log-level', 'loud'])
    if (operands === '') await isMisuse([name, 'frob'])
    else if (!operands.startsWith('[')) await isMisuse([name])
    if (operands !== '' && !operands.includes('…')) await isMisuse([name, 'a', 'b', 'c'])
  }
})

test('what a command needs, and settings that say nothing, end with status 2', async () => {
  writeFileSync(records, '')
  assert.equal((await runInTurn(['import', records, '--database', filled])).status, 0)
  const stored = ['--database', filled]
  for (const args of [
    ['hide', did],
    ['hide', 'ann.example', ...because],
    ['hide', did, '--reason', 'a\nb'],
    ['hide', did, ...because, '--by', ' '],
    ['hide'],
    ['hide', '--undo', 'nothing'],
    ['hide', '--undo'],
    ['hide', did, '--list'],
    ['purge', ...stored],
    ['purge', '--dry-run', ...stored],
    ['purge', did],
    ['purge', 'ann.example', ...because],
    ['purge', '--retain', '90d', ...stored],
    ['purge', '--retain', 'org.example.none=9d', ...stored],
    ['import', '-', '-'],
    ['import', records, '--retain', '90d'],
    ['rejections', 'frob'],
    ['rejections', 'retry', '--retain', '90d', ...stored],
    ['keys', 'frob'],
    ['keys', 'list', 'frob'],
    ['keys', 'list', '--name', 'x'],
    ['keys', 'usage', 'a', 'b'],
    ['keys', 'create'],
    ['keys', 'create', 'me', '--name', 'x', '--tier', 'research'],
    ['keys', 'create', '--name', 'x', '--tier', 'none'],
    ['keys', 'create', '--name', 'x', '--tier', 'research', '--expires', 'soon'],
    ['keys', 'create', '--name', 'x', '--tier', 'research', '--database', 'sqlite::memory:'],
    ['keys', 'rotate'],
    ['keys', 'revoke', 'a', 'b'],
    ['keys', 'revoke', 'a', '--tier', 'research'],
    ['copy'],
    ['copy', '--from', filled],
    ['ingest'],
    ['ingest', '--from', 'frob:x'],
    ['ingest', '--from', 'jetstream:'],
    ['ingest', '--from', 'jetstream:x'],
    ['ingest', '--from', 'repo-export:x y'],
    ['ingest', '--from', 'tap:http://127.0.0.1:1', '--publishers', ','],
    ['ingest', '--from', 'tap:http://127.0.0.1:1', '--publishers', 'x y'],
    ['ingest', '--from', 'tap:http://127.0.0.1:1', '--plc', 'x'],
    ['backfill', 'x y'],
    ['backfill', did, '--handle-resolver', 'x'],
    ['reconcile', 'x y'],
    ['query', '-', '--variables', '-'],
    ['query', '{ __typename }', '--variables', '{'],
    ['query', '{ __typename }', '--variables', '[]'],
    ['explain', '{ __typename }', '--variables', 'x'],
    ['status', '--read-database', 'postgres://db2/records', ...stored],
    ['serve', ...port, '--read-database', 'postgres://db2/records'],
    ['serve', ...port, '--workers', '0'],
    ...['1', '2'].flatMap((workers) => [
      ['serve', ...port, ...stored, '--workers', workers, '--trusted-proxies', 'x'],
      ['serve', ...port, ...stored, '--workers', workers, '--retain', '90d'],
      ['serve', ...port, ...stored, '--workers', workers, '--retain', `${source}=0d`],
      ['serve', ...port, ...stored, '--workers', workers, '--ingest', 'frob:x'],
    ]),
    ['serve', ...port, '--retain', `${source}=9d`, '--database', 'sqlite::memory:'],
    ['demo', ...port, '--trusted-proxies', 'x'],
    ['mcp', '--endpoint', 'x'],
    ['mcp', '--endpoint', 'http://a:b@news.example/'],
    ['mcp', '--api-key', 'a b'],
    ['mcp', '--listen', '4001'],
  ])
    await isMisuse(args)
})

async function isMisuse(args: readonly string[]): Promise<void> {
  const { stdout, stderr, status } = await runInTurn(args, { env: { LEXIGRAPH_DATABASE: database } })
  assert.equal(status, 2, `${args.join(' ')}: ${stdout}${stderr}`)
  if (args.length > 0) assert.match(stderr, /^(?:[^\n]+[.?]\n)+$/, args.join(' '))
}
