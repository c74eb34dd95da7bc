import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { closeSync, existsSync, openSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openLineStream } from './log-stream.ts'

const program = fileURLToPath(new URL('../../test/support/server/talker.ts', import.meta.url))

for (const end of ['return', 'exit', 'throw'])
  test(`no line is lost when a process ends by ${end}`, async () => {
    const child = talk(end, 'pipe', { isPatient: true })
    const [said] = await Promise.all([readText(child.stderr as Readable), once(child, 'exit')])
    const lines = said.split('\n').filter((line) => line.startsWith('{'))
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).count),
      Array.from({ length: count }, (_, n) => n),
    )
  })

test('the lines of one turn of the event loop are one write', async (t) => {
  const written: string[] = []
  const write = t.mock.method(fs, 'write', (_: number, bytes: Buffer, done: (e: null, n: number) => void) => {
    written.push(String(bytes))
    done(null, bytes.length)
  })
  syncBuiltinESMExports()
  try {
    const stream = openLineStream(-1)
    for (const line of ['a\n', 'b\n', 'c\n']) stream.write(line)
    await setImmediate()
    assert.deepEqual(written, ['a\nb\nc\n'])
  } finally {
    write.mock.restore()
    syncBuiltinESMExports()
  }
})

test('what is more than may wait is lost, and how much that was is told', async () => {
  const said = 60_000
  const child = talk('return', 'pipe', { lines: said, isPatient: true })
  const [text] = await Promise.all([readText(child.stderr as Readable), once(child, 'exit')])
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const last = lines.pop()
  assert.equal(last.msg, 'Lines of the log were lost, because nobody read them.')
  assert.ok(last.lost > 0)
  assert.equal(lines.length + last.lost, said)
})

test('a reader that does not read, but might, is waited for only for some seconds', async () => {
  const ends = ['return', 'exit'].map((end) => {
    const child = talk(end, 'pipe')
    child.stderr?.pause()
    return once(child, 'exit')
  })
  for (const end of ends) assert.deepEqual(await end, [0, null])
})

test('a reader that has stopped to read ends no process, and keeps none from ending', async () => {
  for (const end of ['return', 'exit']) {
    const child = talk(end, 'pipe')
    child.stderr?.destroy()
    assert.deepEqual(await once(child, 'exit'), [0, null])
  }
})

test('neither does a full disk', { skip: !existsSync('/dev/full') }, async () => {
  const full = openSync('/dev/full', 'w')
  for (const end of ['return', 'exit']) assert.deepEqual(await once(talk(end, full), 'exit'), [0, null])
  closeSync(full)
})

const count = 5_000

/** A process that logs so many lines at once, and ends; if it is patient, only when all are read. */
function talk(end: string, stderr: 'pipe' | number, { lines = count, isPatient = false } = {}) {
  const given = [String(lines), end, ...(isPatient ? ['still'] : [])]
  return spawn(process.execPath, [program, ...given], { stdio: ['ignore', 'ignore', stderr] })
}
