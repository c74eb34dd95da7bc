/** The real import with stories, killed at random points while it writes and derives. TEST_SEED replays a run. */
import assert from 'node:assert/strict'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDice } from './network/fake-server.ts'
import { demo, writeLines } from './support/demo-databases.ts'
import { killUntilDone } from './support/kills.ts'
import { rounds, seed } from './support/rounds.ts'
import { commandsInTurn, printed } from './support/server/commands.ts'
import { onEveryDatabase } from './support/store/databases.ts'
import { emptyDatabases, temporaryFolder } from './support/store/store.ts'

const inFolder = temporaryFolder()
const emptyUrl = emptyDatabases()
const runCommand = commandsInTurn()

const query = `{ techServiceNewsArticleAggregate(groupBy: [story], limit: 1000) { groups { story count } }
  indexStatus { collections { storiesComplete } } }`

/** Where more is drawn. */
const onEveryLong: typeof onEveryDatabase = (...given) => {
  if (rounds() > 1) onEveryDatabase(...given)
}

onEveryLong(
  'stories are complete and right after an import that was killed at any moment',
  async (engine) => {
    const lexicons = inFolder(`${engine}-lexicons`)
    cpSync(fileURLToPath(new URL('../lexicons', import.meta.url)), lexicons, { recursive: true })
    writeFileSync(
      join(lexicons, 'stories.json'),
      '{"tech.service.news.article": {"title": "title", "summary": "description", "time": "publishedAt", "original": "duplicateOf"}}',
    )
    const run = (...args: readonly string[]) => printed(runCommand([...args, '--lexicons', lexicons]))
    const all = writeLines(inFolder(`${engine}.jsonl`), demo)
    // Every other record is there before, and half of those have another title and time.
    const older = demo
      .filter((_, index) => index % 2 === 0)
      .map(({ cid, ...line }, index) =>
        index % 2 === 0 || line.value.publishedAt === undefined
          ? { ...line, ...(cid && { cid }) }
          : { ...line, value: { ...line.value, title: 'Another', publishedAt: '2026-01-01T00:00:00Z' } },
      )
    const before = writeLines(inFolder(`${engine}-older.jsonl`), older)
    const undisturbed = await emptyUrl(engine)
    await run('import', all, '--database', undisturbed)
    const expected = await run('query', query, '--database', undisturbed)
    assert.match(expected, /"storiesComplete":true/)
    const dice = createDice(seed)
    let kills = 0
    for (let round = 0; round < rounds(); round += 1) {
      const killed = await emptyUrl(engine)
      for (const file of [before, all])
        kills += await killUntilDone(['import', file, '--database', killed, '--lexicons', lexicons], dice)
      assert.equal(await run('query', query, '--database', killed), expected, `TEST_SEED=${seed}`)
      assert.match(await run('check', '--database', killed), /agrees with its records/)
    }
    console.log(`${kills} kills on ${engine}`)
  },
)
