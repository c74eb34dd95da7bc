/** How a database is laid out, and which are left alone: those to be read, of another version, or of something else. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import type { Json } from '../../../test/reference/shapes.ts'
import { noOutcome } from '../../../test/support/records/notes.ts'
import { fill, line, open, size, thing } from '../../../test/support/records/things.ts'
import { onEveryEngine } from '../../../test/support/store/databases.ts'
import { content } from '../../../test/support/store/postgres-layout.ts'
import type { Engine } from '../../../test/support/store/postgres.ts'
import { emptyDatabases, openTestStore, tamperWith } from '../../../test/support/store/store.ts'
import { openReadDatabase } from '../open.ts'
import { schemaVersion } from '../postgres/layout/ddl.ts'
import { schemaVersion as fileVersion } from '../sqlite/layout/ddl.ts'

const empty = emptyDatabases()
const other = 'org.example.other'

onEveryEngine('an empty database is laid out as its lexicons say, ready to be read', async (engine) => {
  await using store = await open(await empty(engine), [thing(size), thing({}, other)])
  const ordered = new Set(engine === 'sqlite' ? ['org.example.thing', other] : [])
  assert.deepEqual(await store.database.read.readPlanState(), { version: 1, ordered, hiding: false })
  assert.deepEqual(await store.apply(line('a', { size: 1 })), { ...noOutcome, stored: 1 })
})

onEveryEngine('opening a database whose lexicons have not changed writes nothing', async (engine) => {
  const url = await empty(engine)
  await fill(url, [thing(size)], [line('a', { size: 1 })])
  const before = await contentOf(url, engine)
  await (await open(url, [thing(size)]))[Symbol.asyncDispose]()
  assert.deepEqual(await contentOf(url, engine), before)
})

onEveryEngine('a database of another version is refused and left alone', async (engine) => {
  const [what, known] = engine === 'sqlite' ? ['file', fileVersion] : ['database', schemaVersion]
  for (const [version, why] of [
    [99, `this program knows versions up to ${known}. Use a newer lexigraph.`],
    [
      1,
      `this program knows only version ${known}. Name an empty database, and fill it with \`lexigraph import\` or \`lexigraph restore\`.`,
    ],
  ] as const) {
    const url = await empty(engine)
    await fill(url, [thing(size)], [])
    const change =
      engine === 'sqlite' ? 'pragma user_version =' : 'update lexigraph.state set schema_version ='
    await tamperWith(url, `${change} ${version}`)
    await refused(url, engine, `The ${what} has schema version ${version}; ${why}`)
  }
})

onEveryEngine('a process that may not rebuild leaves a database of other lexicons alone', async (engine) => {
  const url = await empty(engine)
  await fill(url, [thing(size)], [line('a', { size: 7 })])
  const passing = (properties: Json) =>
    openTestStore({ path: url, lexicons: [thing(properties)], rebuild: 'never' })
  const before = await contentOf(url, engine)
  const why = /^BuiltElsewiseError: it was built with other lexicons or by another version\./
  await assert.rejects(passing({}), why)
  await assert.rejects(openReadDatabase(url, reading), why)
  assert.deepEqual(await contentOf(url, engine), before)
  await (await passing(size))[Symbol.asyncDispose]()
})

onEveryEngine('a database with tables of something else is refused and left alone', async (engine) => {
  const foreign = {
    sqlite: ['create table t (x); insert into t values (1)'],
    postgres: [
      'create table t (x int)',
      'create schema s; create view s.v as select 1',
      'create schema lexigraph; create table lexigraph.anything (x int)',
      'create schema lexigraph; create table lexigraph.state (id int)',
    ],
  }
  for (const statements of foreign[engine]) {
    const url = await empty(engine)
    await tamperWith(url, statements)
    const what =
      engine === 'sqlite'
        ? 'file is a SQLite database of another program. Name another file'
        : `database "${new URL(url).pathname.slice(1)}" has tables of another program. Name an empty database`
    await refused(url, engine, `The ${what} with --database.`)
    assert.ok(!existsSync(`${url}-wal`))
  }
})

const reading = { fingerprint: 'any', now: () => 0n }

async function refused(url: string, engine: Engine, message: string): Promise<void> {
  const before = await contentOf(url, engine)
  await assert.rejects(open(url, [thing(size)]), { message })
  await assert.rejects(openReadDatabase(url, reading), { message })
  assert.deepEqual(await contentOf(url, engine), before)
}

/** So that writing the same again would show. */
async function contentOf(url: string, engine: Engine): Promise<unknown> {
  if (engine === 'postgres') return content(url)
  return [readFileSync(url), statSync(url, { bigint: true }).mtimeNs]
}
