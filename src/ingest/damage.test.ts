import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { tid } from '../../test/network/follow.ts'
import { onOneDatabase } from '../../test/support/store/databases.ts'
import { collections } from '../../test/support/records/lexicons.ts'
import { openRepoNetwork, put, type RepoNetwork } from '../../test/support/network/repo-network.ts'
import type { SignedRepo } from '../../test/support/network/signed-repo.ts'
import { emptyDatabases } from '../../test/support/store/store.ts'
import { connect } from '../database/postgres/connection.ts'

const { book } = collections
const newUrl = emptyDatabases()
/** In ten years. */
const future = tid((Date.now() + 315_576_000_000) * 1_000)
/** Not of the future by a clock that may differ, so that a later version may really be known. Asked for when it is used. */
const later = (): string => tid((Date.now() + 120_000) * 1_000)
const unsettled: readonly ((of: Victim) => readonly string[])[] = [
  (of) => [otherVersion(of, later())],
  (of) => [strange(of, later())],
]

/** An account whose records are damaged; no two damages are of the same account, so that one network has them all. */
interface Victim {
  readonly did: string
  /** Of the first of three records, of which the second is the other. */
  readonly key: string
  readonly other: string
}

/** What is done to an account's records, and what reconciling then says: of those that it makes right. */
const damages: readonly (readonly [
  name: string,
  statements: (of: Victim) => readonly string[],
  changed: number,
  /** Whether a revision has to be forgotten for it. */
  forgets: boolean,
])[] = [
  ['a floor of the future', (of) => [floorOf(of, future), otherVersion(of)], 1, true],
  ['a floor of the future, and no record', (of) => [floorOf(of, future), missing(of)], 1, true],
  ['a record of the future in another version', (of) => [otherVersion(of, future)], 1, true],
  ['a record in another version under the present revision', (of) => [otherVersion(of)], 1, false],
  ['a tombstone of the future, and no record', (of) => [missing(of), tombstone(of, future)], 1, true],
  ['a record that the repository does not have, under the present revision', (of) => [strange(of)], 2, false],
  ['a record that the repository does not have, of the future', (of) => [strange(of, future)], 2, true],
  ['a later floor, and a record under another key', (of) => [floorOf(of, later()), strange(of)], 2, false],
  ['a later tombstone, and no record', (of) => [missing(of), tombstone(of, later())], 1, false],
  [
    'records without a revision, in another version',
    (of) => [
      `update "${book}" set rev = null, cid = ${cidOf(of.other)}
       where base = ${baseOf(of)} and rkey <> '${of.other}'`,
    ],
    2,
    false,
  ],
]

onOneDatabase(
  'reconciling repairs revisions that cannot be, and names what later ones keep from being replaced',
  async (engine) => {
    await using network = await openRepoNetwork({ path: await newUrl(engine) })
    const [repos, others] = [await addVictims(network, damages.length), await addVictims(network, 2, 'yz')]
    await damage(network, [
      ...damages.flatMap(([, statements], index) => statements(victim(repos[index] as SignedRepo))),
      ...unsettled.flatMap((statements, index) => statements(victim(others[index] as SignedRepo))),
    ])
    const result = await network.fetch({ kind: 'reconcile', targets: [] })
    const changed = new Map(
      result.differences.map(({ name, stored, updated, deleted }) => [name, stored + updated + deleted]),
    )
    assert.deepEqual(
      damages.map(([name], index) => [name, changed.get(repos[index]?.did ?? '')]),
      damages.map(([name, , count]) => [name, count]),
    )
    assert.equal(result.forgotten, damages.filter(([, , , forgets]) => forgets).length)
    assert.deepEqual(
      result.unsettled.map(({ name }) => name).toSorted(),
      others.map(({ did }) => did),
    )
    const isSettled = ([uri]: readonly [string, string]): boolean => !/[yz]{24}/.test(uri)
    const settled = async () => [...(await network.stored())].filter(isSettled)
    const published = async () => [...(await network.published())].filter(isSettled)
    assert.deepEqual(await settled(), await published())
    const again = await network.fetch({ kind: 'reconcile', targets: repos.map(({ did }) => did) })
    assert.deepEqual(
      [again.differing, again.forgotten, again.unsettled, again.outcome.unchanged],
      [0, 0, [], 3 * damages.length],
    )
    for (const repo of repos) {
      await repo.write(put(victim(repo).key, 'Sand', 'update'))
      await network.publish(repo)
    }
    await network.fetch({ kind: 'ingest', targets: repos.map(({ did }) => did) })
    assert.deepEqual(await settled(), await published())
  },
)

/** Accounts with three books each, all of them stored. */
async function addVictims(
  network: RepoNetwork,
  count: number,
  letters = 'abcdefghij',
): Promise<readonly SignedRepo[]> {
  const repos: SignedRepo[] = []
  for (const letter of letters.slice(0, count)) repos.push(await network.add(letter, 3))
  await network.fetch({ targets: repos.map(({ did }) => did) })
  return repos
}

function victim({ did }: SignedRepo): Victim {
  const letter = did.at(-1)
  return { did, key: `${letter}0`, other: `${letter}1` }
}

const baseOf = ({ did }: Victim) => `(select id from base where uri = 'at://${did}/${book}/')`
const cidOf = (key: string) => `(select cid from "${book}" where rkey = '${key}')`
const floorOf = ({ did }: Victim, rev: string) => `update actor set floor = '${rev}' where did = '${did}'`
const revision = (rev?: string) => (rev === undefined ? '' : `rev = '${rev}',`)
const otherVersion = ({ key, other }: Victim, rev?: string) =>
  `update "${book}" set ${revision(rev)} cid = ${cidOf(other)} where rkey = '${key}'`
const strange = ({ key }: Victim, rev?: string) =>
  `update "${book}" set ${revision(rev)} rkey = '${key}-strange' where rkey = '${key}'`
const missing = ({ key }: Victim) => `delete from "${book}" where rkey = '${key}'`
const tombstone = (of: Victim, rev: string) =>
  `insert into tombstone (base, rkey, rev) values (${baseOf(of)}, '${of.key}', '${rev}')`

/** Directly, as no program of ours does; without what would keep counts in step. */
async function damage({ store }: RepoNetwork, statements: readonly string[]): Promise<void> {
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

onOneDatabase('what is derived is repaired with its record, or named', async (engine) => {
  const json = (text: string) => (engine === 'sqlite' ? `jsonb('${text}')` : `'${text}'::jsonb`)
  const content = json(JSON.stringify({ $type: book, title: 'Damaged' }))
  await using network = await openRepoNetwork({ path: await newUrl(engine) })
  const repos = await addVictims(network, 3)
  const times = `select rkey, indexed_at from "${book}" order by rkey`
  const before = await network.store.rows(times)
  await damage(network, [
    `update "${book}" set record = ${content} where rkey = 'a0'`,
    `update "${book}" set ".title:folded" = 'damaged' where rkey = 'b0'`,
    // An element that the record does not have.
    `insert into "${book}/tags" (value, id) values ('strange', (select id from "${book}" where rkey = 'c0'))`,
    `update "${book}/:count" set n = n + 1`,
  ])
  const result = await network.fetch({ kind: 'reconcile', targets: [] })
  assert.deepEqual(
    result.repaired
      .map(({ name }) => name)
      // An index of SQLite's is not as the damaged record would have it.
      .filter((name) => name.startsWith('at://'))
      .toSorted(),
    repos.map((repo) => `at://${repo.did}/${book}/${victim(repo).key}`),
  )
  assert.deepEqual(
    result.damage.map(({ name }) => name),
    [`${book}/:count`],
  )
  assert.deepEqual(await network.stored(), await network.published())
  assert.deepEqual(await network.store.rows(times), before)

  // In one step, so that a damaged record is never missing.
  const refuse =
    engine === 'sqlite'
      ? [
          `create trigger no_insert before insert on "${book}" begin select raise(abort, 'no row is added'); end`,
        ]
      : [
          `create function no_insert() returns trigger language plpgsql as $$ begin raise 'no row is added'; end $$`,
          `create trigger no_insert before insert on "${book}" for each row execute function no_insert()`,
        ]
  await damage(network, [`update "${book}" set ".title:folded" = 'damaged' where rkey = 'a0'`, ...refuse])
  const again = await network.fetch({ kind: 'reconcile', targets: [] })
  assert.equal(again.repaired.length, 1)
  assert.deepEqual(again.damage, result.damage)
  assert.deepEqual(await network.stored(), await network.published())
})
