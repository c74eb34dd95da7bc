import assert from 'node:assert/strict'
import { newUrl } from '../../../test/support/store/note-stores.ts'
import { someForms } from '../../../test/support/rounds.ts'
import { onEveryEngine } from '../../../test/support/store/databases.ts'
import {
  apply,
  contentCount,
  mark,
  note,
  openNotes,
  put,
  spot,
  uriOf,
} from '../../../test/support/records/notes.ts'
import { databases, type Engine } from '../../../test/support/store/postgres.ts'
import { tamperWith, type TestStore, emptyDatabases } from '../../../test/support/store/store.ts'
import { test } from 'node:test'
import { findDamage } from './find-damage.ts'
import { vocabularyName } from '../postgres/layout/vocabulary-ddl.ts'
import {
  laterReviewLines,
  openReviews,
  reviewLexicons,
  reviewLines,
  reviewReferences,
} from '../../../test/support/records/reviews.ts'
import { understand } from '../../../test/support/records/understand.ts'
import { ownSums } from '../layout/sums.ts'
import { differingCounts } from './verify-counts.ts'

const uri = uriOf(spot('a0'))

onEveryEngine('each kind of damage is named, and nothing else', async (engine) => {
  const json = (value: string) => (engine === 'sqlite' ? `jsonb('${value}')` : `'${value}'::jsonb`)
  const id = `(select id from "${note}" where rkey = 'a0')`
  const cases: readonly (readonly [statement: string, name: string, problem: RegExp])[] = [
    [
      `update "${note}" set record = ${json('{"text": "Other"}')} where rkey = 'a0'`,
      uri,
      /does not have its CID/,
    ],
    [
      `update "${note}" set cid = (select cid from "${note}" where rkey = 'a1') where rkey = 'a0'`,
      uri,
      /its CID/,
    ],
    [`update "${note}" set ".score" = 4 where rkey = 'a0'`, uri, /^Columns differ from it: \.score\.$/],
    [`update "${note}" set ".language" = null where rkey = 'a0'`, uri, /\.language/],
    [`update "${note}" set ".about:key" = 'x' where rkey = 'a0'`, uri, /\.about:key/],
    [`update "${note}" set ".text:folded" = 'other' where rkey = 'a0'`, uri, /\.text:folded/],
    [`delete from "${note}/tags" where id = ${id} and value = 'fruit'`, uri, /has other elements/],
    [`insert into "${note}/tags" (value, id) values ('strange', ${id})`, uri, /has other elements/],
    [
      `insert into "${note}/tags" (value, id) values ('strange', 123456)`,
      `${note}/tags`,
      /1 elements of records/,
    ],
    [`delete from "${note}/links:uri" where rkey = 'a'`, uriOf(spot('a1')), /has other elements/],
  ]
  for (const [statement, name, problem] of cases) {
    await using store = await filled(engine)
    assert.deepEqual(await findDamage(store.database.read, store.tables), [])
    await tamperWith(store.path, statement)
    const found = await findDamage(store.database.read, store.tables)
    assert.match(found.find((one) => one.name === name)?.problem ?? '', problem, statement)
    assert.deepEqual(
      found.filter((one) => one.name.startsWith('at://')).map((one) => one.name),
      name.startsWith('at://') ? (statement.includes('links') ? [name, uriOf(spot('a3'))] : [name]) : [],
      statement,
    )
  }
})

if (databases.includes('sqlite'))
  test('trigrams of other texts are found', async () => {
    await using store = await filled('sqlite')
    const [text] = store.tables.find(({ name }) => name === note)?.texts ?? []
    assert.ok(text !== undefined)
    for (const statement of [
      `insert into "${text.name}" (rowid, t) values (1000, 'strange')`,
      `insert into "${text.name}" ("${text.name}") values ('delete-all')`,
    ]) {
      await tamperWith(store.path, statement)
      const found = await findDamage(store.database.read, store.tables)
      assert.deepEqual(
        found.map(({ name }) => name),
        [text.name],
        statement,
      )
    }
  })

onEveryEngine('words of other texts, and another number of words, are found', async (engine) => {
  const index = `${note}/:words`
  const vocabulary = vocabularyName(index)
  const id = `(select id from "${note}" where rkey = 'a0')`
  const cases =
    engine === 'sqlite'
      ? [
          [`insert into "${index}" (rowid, f0) values (1000, 'strange')`, index, /for 1 terms/],
          [
            `update "${index}/lengths" set words = words + 1 where id = ${id}`,
            uri,
            /another number of words/,
          ],
        ]
      : [
          [`update "${note}" set words = words || 'Aextra' where rkey = 'a0'`, uri, /has other words/],
          [`update "${vocabulary}" set n = n + 1`, vocabulary, /not those of the records/],
          [`insert into "${vocabulary}" values ('strange', 1)`, vocabulary, /not those of the records/],
          [
            `update "${note}" set word_count = word_count + 1 where rkey = 'a0'`,
            uri,
            /another number of words/,
          ],
        ]
  for (const [statement, name, problem] of cases as [string, string, RegExp][]) {
    await using store = await filled(engine)
    await tamperWith(store.path, statement)
    const found = await findDamage(store.database.read, store.tables)
    // A word that a vocabulary lacks is a difference of its own.
    const names = found.map((one) => one.name).filter((other) => other === name || other !== vocabulary)
    assert.deepEqual(names, [name])
    assert.match(found[0]?.problem ?? '', problem)
  }
})

onFilled('a row of no repository is named by its id', async (store) => {
  await tamperWith(store.path, `update "${note}" set base = 12345 where rkey = 'a0'`)
  const [row] = await store.rows(`select id from "${note}" where rkey = 'a0'`)
  const found = await findDamage(store.database.read, store.tables)
  assert.match(
    found.find(({ name }) => name === `${note}, row ${row?.id}`)?.problem ?? '',
    /^It is of no repository\./,
  )
})

if (databases.includes('sqlite'))
  test('a record that cannot be parsed is named, and so are others of its table', async () => {
    await using store = await filled('sqlite')
    // A line feed within a string.
    await tamperWith(store.path, `update "${note}" set record = x'7c4774657874170A' where rkey = 'a0'`)
    await tamperWith(store.path, `update "${note}" set ".score" = 4 where rkey = 'a1'`)
    const found = await findDamage(store.database.read, store.tables)
    const problems = new Map(found.map(({ name, problem }) => [name, problem]))
    assert.equal(problems.get(uri), 'Its content cannot be parsed.')
    assert.equal(problems.get(uriOf(spot('a1'))), 'Columns differ from it: .score.')
  })

onFilled('a table that cannot be read is named with the reason', async (store, engine) => {
  await tamperWith(store.path, `alter table "${note}" rename to other`)
  const found = await findDamage(store.database.read, store.tables)
  const counts = store.tables.find(({ name }) => name === note)?.counts ?? []
  const vocabularies = engine === 'postgres' ? [vocabularyName(`${note}/:words`)] : []
  assert.deepEqual(
    new Set(found.map(({ name }) => name)),
    new Set([note, ...counts.map(({ name }) => name), ...vocabularies]),
  )
  for (const { problem } of found) assert.match(problem, /^It cannot be read: .*[^.]\.$/)
})

async function filled(engine: Engine): Promise<TestStore> {
  const store = await openNotes(await newUrl(engine))
  const changes = [note, mark].flatMap((collection) =>
    [...Array(contentCount).keys()].map((content) => put(store, spot(`a${content}`, 0, collection), content)),
  )
  await apply(store, ...changes)
  return store
}

function onFilled(sentence: string, holds: (store: TestStore, engine: Engine) => Promise<void>): void {
  onEveryEngine(sentence, async (engine) => {
    await using store = await filled(engine)
    await holds(store, engine)
  })
}

const emptyUrl = emptyDatabases()
const { tables } = understand(reviewLexicons, reviewReferences)
const names = [
  ...tables.flatMap(({ counts }) => counts.map(({ name }) => name)),
  ...tables.flatMap((table) => ownSums(table).map(({ name }) => name)),
]

for (const engine of someForms(databases))
  test(`counts and sums that are not those of the records are found, each by its name (${engine})`, async () => {
    const path = await emptyUrl(engine)
    await using store = await openReviews(path)
    await store.load(reviewLines)
    await store.apply(...laterReviewLines)
    const { read } = store.database
    assert.deepEqual(await differingCounts(read, tables), [])
    const problem = 'Its counts or sums are not those of the records.'
    const damaged: string[] = []
    for (const name of names) {
      const [column] = await store.rows(`select * from "${name}" limit 1`)
      if (column === undefined) continue
      damaged.push(name)
      const last = Object.keys(column).at(-1)
      await tamperWith(path, `update "${name}" set ${last} = ${last} + 1`)
      assert.deepEqual(await differingCounts(read, tables), [{ name, problem }])
      await tamperWith(path, `update "${name}" set ${last} = ${last} - 1`)
    }
    assert.ok(damaged.length > 4, damaged.join())
    const [total] = damaged
    await tamperWith(path, `delete from "${total}"`)
    assert.deepEqual(await differingCounts(read, tables), [{ name: total, problem }])
  })
