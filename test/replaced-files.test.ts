/** A file that is replaced or deleted under the real program: every process ends, says why, and harms no file. */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import { type Program, startProgram, startService } from './network/service.ts'
import { importCorpus } from './support/server/command-line.ts'
import { someForms } from './support/rounds.ts'
import { temporaryFolder } from './support/store/store.ts'

const inFolder = temporaryFolder()
const [nowhere, another] = ['jetstream:ws://127.0.0.1:1', 'jetstream:ws://127.0.0.1:2']
const serve = ['serve', '--request-log', 'none', '--workers']
const services = [['2', '--ingest', another], ['1']]

for (const [way, commands, says] of [
  [
    'replaced',
    someForms(services),
    /The file \S+ was replaced by another while this program had it open\. Start again, /,
  ],
  ['overwritten', someForms(services), /The file \S+ was replaced by another /],
  [
    'deleted',
    someForms(services),
    /The file \S+ was deleted or moved while this program had it open\. Put it back, /,
  ],
] as const)
  test(`a file that is ${way} ends every process that has it open`, async () => {
    const other = await importCorpus(`${way}.db`)
    const database = inFolder(`${way}.db`)
    // Its identity is in it once it has had a checkpoint.
    if (way === 'overwritten') copyFileSync(await importCorpus('before.db'), database)
    const env = { LEXIGRAPH_DATABASE: database }
    await using stack = new AsyncDisposableStack()
    const programs: Program[] = [stack.use(startProgram(['ingest', '--from', nowhere], { env }))]
    await programs[0]?.said(
      way === 'overwritten' ? / is unavailable/ : /^A new database is made: \S+\.\n[^]* is unavailable/,
    )
    for (const args of commands) programs.push(stack.use(await startService([...serve, ...args], { env })))
    const content = readFileSync(other)
    if (way === 'overwritten') copyFileSync(other, database)
    else if (way === 'deleted') rmSync(database)
    else renameSync(other, database)
    for (const program of programs) {
      const status = await program.ended
      // The system ends a program (SIGBUS) that reads a part of the file in the moment in which it is cut.
      if (way === 'overwritten' && status === null) continue
      assert.equal(status, 1)
      assert.match(program.stderr().trimEnd().split('\n').at(-1) ?? '', says)
    }
    if (way === 'deleted') assert.ok(!existsSync(database))
    else assert.deepEqual(readFileSync(database), content)
    assert.ok(way === 'overwritten' || !existsSync(`${database}-wal`))
  })
