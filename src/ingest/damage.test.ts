import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { tid } from '../../test/network/follow.ts'
import { onEveryDatabase } from '../../test/support/databases.ts'
import { collections } from '../../test/support/lexicons.ts'
import { openWorld, put, type World } from '../../test/support/repo-world.ts'
import { emptyDatabases } from '../../test/support/store.ts'
import { connect } from '../database/postgres/connection.ts'

const { book } = collections
const newUrl = emptyDatabases()
const future = tid(2_100_000_000_000_000)
const base = `(select id from base where collection = '${book}')`

/** What is done to the database, and what reconciling then says: of records that it makes right, and of revisions. */
const damages: readonly {
  readonly name: string
  readonly statements: (of: { readonly did: string }) => readonly string[]
  readonly says: { readonly changed: number; readonly forgotten: number }
}[] = [
  {
    name: 'a floor of the future',
    statements: ({ did }) => [
      `update actor set floor = '${future}' where did = '${did}'`,
      `update "${book}" set cid = (select cid from "${book}" where rkey = 'a1') where rkey = 'a0'`,
    ],
    says: { changed: 1, forgotten: 1 },
  },
  {
    name: 'a floor of the future over a record that is missing',
    statements: ({ did }) => [
      `update actor set floor = '${future}' where did = '${did}'`,
      `delete from "${book}" where rkey = 'a0'`,
    ],
    says: { changed: 1, forgotten: 1 },
  },
  {
    name: 'a record of the future in another version',
    statements: () => [
      `update "${book}" set rev = '${future}', cid = (select cid from "${book}" where rkey = 'a1') where rkey = 'a0'`,
    ],
    says: { changed: 1, forgotten: 1 },
  },
  {
    name: 'a record in another version under the present revision',
    statements: () => [
      `update "${book}" set cid = (select cid from "${book}" where rkey = 'a1') where rkey = 'a0'`,
    ],
    says: { changed: 1, forgotten: 0 },
  },
  {
    name: 'a tombstone of the future over a record that is missing',
    statements: () => [
      `delete from "${book}" where rkey = 'a0'`,
      `insert into tombstone (base, rkey, rev) values (${base}, 'a0', '${future}')`,
    ],
    says: { changed: 1, forgotten: 1 },
  },
  {
    name: 'a record that the repository does not have, under the present revision',
    statements: () => [`update "${book}" set rkey = 'strange' where rkey = 'a0'`],
    says: { changed: 2, forgotten: 0 },
  },
  {
    name: 'a record that the repository does not have, of the future',
    statements: () => [`update "${book}" set rkey = 'strange', rev = '${future}' where rkey = 'a0'`],
    says: { changed: 2, forgotten: 1 },
  },
  {
    name: 'records without a revision, in another version',
    statements: () => [
      `update "${book}" set rev = null, cid = (select cid from "${book}" where rkey = 'a1') where rkey <> 'a1'`,
    ],
    says: { changed: 2, forgotten: 0 },
  },
]

onEveryDatabase(
  'reconciling repairs revisions that cannot be, and what they kept from being replaced',
  async (engine) => {
    for (const { name, statements, says } of damages) {
      await using world = await openWorld({ path: await newUrl(engine) })
      const ana = await world.add('a', 3)
      await world.fetch({ targets: [ana.did] })
      await damage(world, statements(ana))
      const result = await world.fetch({ kind: 'reconcile', targets: [] })
      const { stored, updated, deleted } = result.outcome
      assert.deepEqual({ changed: stored + updated + deleted, forgotten: result.forgotten }, says, name)
      assert.deepEqual(result.unsettled, [], name)
      assert.deepEqual(await world.stored(), await world.published(), name)
      const again = await world.fetch({ kind: 'reconcile', targets: [] })
      assert.deepEqual(
        [again.differing, again.forgotten, again.unsettled, again.outcome.unchanged],
        [0, 0, [], 3],
        name,
      )
      await ana.write(put('a0', 'Sand', 'update'))
      await world.publish(ana)
      await world.fetch({ kind: 'ingest', targets: [ana.did] })
      assert.deepEqual(await world.stored(), await world.published(), name)
    }
  },
)

onEveryDatabase(
  'what later revisions than those of the repository keep from being replaced is named',
  async (engine) => {
    // Not of the future by a clock that may differ.
    const later = tid((Date.now() + 120_000) * 1_000)
    const cases = [
      [`update actor set floor = '${later}'`, `update "${book}" set rkey = 'strange' where rkey = 'a0'`],
      [
        `update "${book}" set rev = '${later}', cid = (select cid from "${book}" where rkey = 'a1') where rkey = 'a0'`,
      ],
      [
        `delete from "${book}" where rkey = 'a0'`,
        `insert into tombstone (base, rkey, rev) values (${base}, 'a0', '${later}')`,
      ],
      [`update "${book}" set rkey = 'strange', rev = '${later}' where rkey = 'a0'`],
    ]
    for (const statements of cases) {
      await using world = await openWorld({ path: await newUrl(engine) })
      const ana = await world.add('a', 3)
      await world.fetch({ targets: [ana.did] })
      await damage(world, statements)
      const { unsettled } = await world.fetch({ kind: 'reconcile', targets: [] })
      assert.deepEqual(
        unsettled.map(({ name }) => name),
        [ana.did],
        statements.join(),
      )
    }
  },
)

/** Directly, as no program of ours does; without what would keep counts in step. */
async function damage({ store }: World, statements: readonly string[]): Promise<void> {
  if (store.engine === 'sqlite') {
    const database = new DatabaseSync(store.path)
    for (const statement of statements) database.exec(statement)
    database.close()
    return
  }
  const client = await connect(store.path, 'write')
  try {
    await client.query('set session_replication_role = replica')
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

onEveryDatabase('what is derived is repaired with its record, or named', async (engine) => {
  const json = (text: string) => (engine === 'sqlite' ? `jsonb('${text}')` : `'${text}'::jsonb`)
  const content = json(JSON.stringify({ $type: book, title: 'Damaged' }))
  const folded = `"${book}" set ".title:folded" = 'damaged' where rkey = 'a0'`
  const uri = `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/${book}/a0`
  const cases: readonly (readonly [statement: string, name: string, isRepaired: boolean])[] = [
    [`update "${book}" set record = ${content} where rkey = 'a0'`, uri, true],
    [`update ${folded}`, uri, true],
    [`update "${book}/:count" set n = n + 1`, `${book}/:count`, false],
  ]
  for (const [statement, name, isRepaired] of cases) {
    await using world = await openWorld({ path: await newUrl(engine) })
    const ana = await world.add('a', 3)
    await world.fetch({ targets: [ana.did] })
    const times = 'select rkey, indexed_at from "org.example.library.book" order by rkey'
    const before = await world.store.rows(times)
    await damage(world, [statement])
    const result = await world.fetch({ kind: 'reconcile', targets: [] })
    const named = (isRepaired ? result.repaired : result.damage).map((one) => one.name)
    assert.ok(named.includes(name), `${statement}: ${JSON.stringify(result)}`)
    assert.deepEqual(await world.stored(), await world.published(), statement)
    assert.deepEqual(await world.store.rows(times), before, statement)
    const again = await world.fetch({ kind: 'reconcile', targets: [] })
    assert.equal(
      again.damage.some((one) => one.name === name),
      !isRepaired,
      statement,
    )
  }
})

onEveryDatabase('a damaged record is replaced in one step, so that it is never missing', async (engine) => {
  await using world = await openWorld({ path: await newUrl(engine) })
  const ana = await world.add('a', 3)
  await world.fetch({ targets: [ana.did] })
  const refuse =
    engine === 'sqlite'
      ? [
          `create trigger no_insert before insert on "${book}" begin select raise(abort, 'no row is added'); end`,
        ]
      : [
          `create function no_insert() returns trigger language plpgsql as $$ begin raise 'no row is added'; end $$`,
          `create trigger no_insert before insert on "${book}" for each row execute function no_insert()`,
        ]
  await damage(world, [`update "${book}" set ".title:folded" = 'damaged' where rkey = 'a0'`, ...refuse])
  const { repaired, damage: left } = await world.fetch({ kind: 'reconcile', targets: [] })
  assert.deepEqual([repaired.length, left], [1, []])
  assert.deepEqual(await world.stored(), await world.published())
})

onEveryDatabase('elements that are not those of the record go when it is repaired', async (engine) => {
  await using world = await openWorld({ path: await newUrl(engine) })
  const ana = await world.add('a', 3)
  await world.fetch({ targets: [ana.did] })
  const id = `(select id from "${book}" where rkey = 'a0')`
  await damage(world, [`insert into "${book}/tags" (value, id) values ('strange', ${id})`])
  const { repaired, damage: left } = await world.fetch({ kind: 'reconcile', targets: [] })
  assert.deepEqual([repaired.length, left], [1, []])
})
