/** What `import` says of files that are empty, refused in part, or not JSON Lines. */
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { commandsInTurn } from './support/server/commands.ts'
import { temporaryFolder } from './support/store/store.ts'

const inFolder = temporaryFolder()
const runInTurn = commandsInTurn()
const [record] = buildDemoCorpus()
const line = JSON.stringify(record)

test('an import of empty files says that nothing was read', async () => {
  const [empty, blank] = [file('empty.jsonl', ''), file('blank.jsonl', '\n \n')]
  const one = await importInto('empty.db', empty)
  assert.deepEqual([one.stderr, one.status], [`Nothing was imported: ${empty} has no records.\n`, 0])
  const both = await importInto('empty.db', empty, blank)
  assert.equal(both.stderr, `Nothing was imported: ${empty} and ${blank} have no records.\n`)
  assert.equal((await importInto('empty.db', empty, '--log-level', 'warn')).stderr, '')
})

test('an import that refuses some records says where they are listed', async () => {
  const mixed = file('mixed.jsonl', `no json\n${line}\n`)
  const { stderr, status } = await importInto('mixed.db', mixed)
  const advice = '1 of 2 records was refused; `lexigraph rejections` lists them with their reasons.\n'
  assert.deepEqual([stderr, status], [advice, 0])
  assert.equal((await importInto('mixed.db', mixed, '--log-level', 'warn')).stderr, '')
  assert.deepEqual(await importInto('mixed.db', mixed, '--strict', '--log-level', 'warn').then(outcome), [
    advice,
    1,
  ])
})

test('a record over many lines is refused with how to write it', async () => {
  const pretty = file('pretty.json', JSON.stringify(record, null, 2))
  const { stderr, status } = await importInto('pretty.db', pretty)
  assert.deepEqual(
    [stderr, status],
    [
      `${pretty} has a JSON object over many lines, but records are read one per line. Convert it with \`jq -c .\`. 0 records were read before that.\nThe new database ${inFolder('pretty.db')} is removed again: nothing was stored in it.\n`,
      1,
    ],
  )
})

test('a file of records that is named as the database is told apart from one', async () => {
  const records = file('records.jsonl', `${line}\n`)
  for (const args of [['import', records], ['status'], ['export']]) {
    const { stderr, status } = await runInTurn([...args, '--database', records])
    assert.deepEqual(
      [stderr, status],
      [
        `The database ${records} cannot be opened: it is not a SQLite file. Records are read into a database by \`lexigraph import FILE --database DATABASE\`.\n`,
        1,
      ],
    )
  }
  assert.ok(existsSync(records))
})

function outcome({ stderr, status }: { stderr: string; status: number | null }) {
  return [stderr, status]
}

function importInto(name: string, ...args: readonly string[]) {
  return runInTurn(['import', ...args, '--database', inFolder(name)])
}

function file(name: string, content: string): string {
  const path = inFolder(name)
  writeFileSync(path, content)
  return path
}
