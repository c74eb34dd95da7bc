/**
 * The real import, killed at random moments: what it leaves can be opened, answers rightly, and is completed
 * by importing again. CRASH_SEED replays a run, CRASH_RUNS says how many kills to try.
 */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { inKeyOrder } from '../src/lexicon/records/encoding.ts'
import { linesIn } from './network/support-index.ts'
import { runProgram, startProgram } from './network/service.ts'
import type { Json } from './reference/shapes.ts'
import { inspectStore } from './support/store/inspect.ts'
import { drawer } from './support/service/requests.ts'
import { temporaryFolder } from './support/store/store.ts'

const root = new URL('../', import.meta.url)
const references = JSON.parse(readFileSync(new URL('lexicons/references.json', root), 'utf8'))
const seed = Number(process.env.CRASH_SEED ?? Date.now() % 2 ** 31)
const runs = Number(process.env.CRASH_RUNS ?? 2)
const inFolder = temporaryFolder()

/** Enough for several batches. */
const lines: readonly Json[] = [...buildDemoCorpus()]
/** A filled store has every other record already, some of them in an older version. */
const filling = lines
  .filter((_, index) => index % 2 === 0)
  .map(({ cid, ...line }, index) =>
    index % 5 === 0
      ? { ...line, value: { ...line.value, language: 'xx' } }
      : { ...line, ...(cid && { cid }) },
  )

for (const way of ['empty', 'filled'] as const)
  test(`an import into ${way === 'empty' ? 'an empty' : 'a filled'} store may be killed at any moment`, async (t) => {
    t.diagnostic(`CRASH_SEED=${seed}`)
    const files = { all: file('all.jsonl', lines), filling: file('filling.jsonl', filling) }
    const prepare = async (name: string): Promise<string> => {
      const path = inFolder(`${way}-${name}.db`)
      if (way === 'filled') {
        const filled = inFolder('filling.db')
        if (!existsSync(filled)) await run(['import', files.filling, '--database', filled])
        copyFileSync(filled, path)
      }
      return path
    }
    const undisturbed = await prepare('undisturbed')
    const started = performance.now()
    await run(['import', files.all, '--database', undisturbed])
    const took = performance.now() - started
    const whole = await linesIn(undisturbed)

    const draw = drawer(seed)
    for (let turn = 0; turn < runs; turn += 1) {
      const path = await prepare(String(turn))
      // The first third is the program's start.
      const moment = took * (0.33 + draw(720) / 1000)
      await killImport(files.all, path, moment)
      const told = `CRASH_SEED=${seed}, killed after ${moment.toFixed(0)} of ${took.toFixed(0)} ms`
      const left = await look(path)
      const expected = way === 'empty' ? [new Map(), folded([], lines.length)] : prefixes(left.size)
      assert.ok(
        expected.some((state) => sameState(state, left)),
        `${left.size} records are no state of the import (${told}).`,
      )
      await run(['import', files.all, '--database', path])
      assert.deepEqual(await linesIn(path), whole, told)
    }
  })

type State = ReadonlyMap<string, string>

/** What a filled store holds after so many lines, found by how many records that makes. */
function prefixes(size: number): State[] {
  const known = new Set(filling.map(({ uri }) => uri))
  const found: State[] = []
  let records = known.size
  if (records === size) found.push(folded(filling, 0))
  for (const [index, { uri }] of lines.entries()) {
    if (!known.has(uri)) records += 1
    if (records === size) found.push(folded(filling, index + 1))
  }
  return found
}

function folded(before: typeof filling, upTo: number): State {
  const all = [...before, ...lines.slice(0, upTo)]
  return new Map(all.map(({ uri, value }) => [uri, JSON.stringify(inKeyOrder(value))]))
}

function sameState(a: State, b: State): boolean {
  return a.size === b.size && [...a].every(([uri, value]) => b.get(uri) === value)
}

/** The file's records, after all of it has been compared with them. */
async function look(path: string): Promise<State> {
  const collection = 'tech.service.news.article'
  const wheres = [{}, { title: { contains: 'ar' } }, { language: { eq: 'es' } }, { language: { eq: 'xx' } }]
  const records = await inspectStore(
    path,
    references,
    wheres.map((where) => ({ collection, where })),
  )
  return new Map(records.map(({ uri, value }) => [uri, JSON.stringify(value)]))
}

async function killImport(input: string, database: string, moment: number): Promise<void> {
  await using importing = startProgram(['import', input, '--database', database])
  // A moment is what this is about: the import may be anywhere then, or done.
  await Promise.race([delay(moment, undefined, { ref: false }), importing.ended])
  await importing.kill('SIGKILL')
}

async function run(args: readonly string[]): Promise<string> {
  const { stdout, stderr, status } = await runProgram(args)
  assert.equal(status, 0, stderr)
  return stdout
}

function file(name: string, content: readonly object[]): string {
  const path = inFolder(name)
  writeFileSync(path, content.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return path
}
