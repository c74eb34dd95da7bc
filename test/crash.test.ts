/**
 * The real import, killed at random points: what it leaves can be opened, answers correctly, and is completed by importing
 * again. TEST_SEED replays a run.
 */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { inKeyOrder } from '../src/lexicon/records/encoding.ts'
import { startProgram } from './network/service.ts'
import { linesIn } from './network/support-index.ts'
import { demo as lines, writeLines } from './support/demo-databases.ts'
import { killAfter } from './support/kills.ts'
import { longTest, rounds, seed } from './support/rounds.ts'
import { commandsInTurn, printed } from './support/server/commands.ts'
import { inspectStore } from './support/store/inspect.ts'
import { drawer } from './support/service/requests.ts'
import { temporaryFolder } from './support/store/store.ts'

const root = new URL('../', import.meta.url)
const references = JSON.parse(readFileSync(new URL('lexicons/references.json', root), 'utf8'))
const inFolder = temporaryFolder()
const runCommand = commandsInTurn()

/** A filled store has every other record already, some of them in an older version. */
const filling = lines
  .filter((_, index) => index % 2 === 0)
  .map(({ cid, ...line }, index) =>
    index % 5 === 0
      ? { ...line, value: { ...line.value, language: 'xx' } }
      : { ...line, ...(cid && { cid }) },
  )

for (const way of ['empty', 'filled'] as const)
  longTest(
    `an import into ${way === 'empty' ? 'an empty' : 'a filled'} store may be killed at any moment`,
    {},
    async (t) => {
      t.diagnostic(`TEST_SEED=${seed}`)
      const all = writeLines(inFolder('all.jsonl'), lines)
      const prepare = async (name: string): Promise<string> => {
        const path = inFolder(`${way}-${name}.db`)
        if (way === 'filled') {
          const filled = inFolder('filling.db')
          if (!existsSync(filled)) await importInto(filled, writeLines(inFolder('filling.jsonl'), filling))
          copyFileSync(filled, path)
        }
        return path
      }
      const undisturbed = await prepare('undisturbed')
      await importInto(undisturbed, all)
      const whole = await linesIn(undisturbed)

      const draw = drawer(seed)
      for (let round = 0; round < rounds(); round += 1) {
        const path = await prepare(String(round))
        // From the end of the program's start to about the end of the import.
        const hundredths = 25 + draw(75)
        {
          await using importing = startProgram(['import', all, '--database', path])
          await killAfter(importing, hundredths)
        }
        const told = `TEST_SEED=${seed}, killed after ${hundredths} hundredths of a second of computing`
        const left = await look(path)
        const expected = way === 'empty' ? [new Map(), folded([], lines.length)] : prefixes(left.size)
        assert.ok(
          expected.some((state) => sameState(state, left)),
          `${left.size} records are not a state of the import (${told}).`,
        )
        await importInto(path, all)
        assert.deepEqual(await linesIn(path), whole, told)
      }
    },
  )

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

async function importInto(database: string, file: string): Promise<void> {
  await printed(runCommand(['import', file, '--database', database]))
}
