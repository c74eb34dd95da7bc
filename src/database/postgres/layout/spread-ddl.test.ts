import assert from 'node:assert/strict'
import { clusterFunctions } from '../../../../test/support/clusters/functions.ts'
import { noteLexicons, openNotes } from '../../../../test/support/records/notes.ts'
import { understand } from '../../../../test/support/records/understand.ts'
import { onPostgres } from '../../../../test/support/store/databases.ts'
import { connected, run } from '../../../../test/support/store/postgres-layout.ts'
import { postgresUrl } from '../../../../test/support/store/postgres.ts'
import {
  author,
  book,
  link,
  openReviews,
  review,
  reviewLexicons,
  reviewLine,
  reviewReferences,
} from '../../../../test/support/records/reviews.ts'
import { assertCounts, recordLexicon, temporaryFolder } from '../../../../test/support/store/store.ts'
import { fill } from '../../copy/database-copy.ts'
import { partsOf } from '../../copy/parts.ts'
import { openCopyTarget, openReadDatabase, openSnapshot } from '../../open.ts'

const inFolder = temporaryFolder()

onPostgres('a cluster of a version before 13.2 is refused in a sentence', async () => {
  for (const version of ['12.1.5', '13.1.0']) {
    const url = await postgresUrl()
    await run(url, clusterFunctions(version))
    await assert.rejects(openNotes(url), {
      message: new RegExp(
        `The cluster runs Citus ${version} in tests: Lexigraph needs Citus 13\\.2 or later\\.$`,
      ),
    })
  }
})

onPostgres(
  'a database whose records are spread over nodes stays one when it has no workers any more',
  async () => {
    const url = await postgresUrl()
    await run(url, clusterFunctions())
    await using store = await openNotes(url)
    assert.ok(store.database.read.dialect.isSpread)
    await run(
      url,
      'create or replace function citus_get_active_worker_nodes() returns setof text language sql as $$ select null::text where false $$',
    )
    await using again = await openNotes(url)
    assert.ok(again.database.read.dialect.isSpread)
  },
)

onPostgres('a copy, and a rebuild, lay out small collections on each node', async () => {
  const url = await postgresUrl()
  await run(url, clusterFunctions())
  await run(
    url,
    `create or replace function create_reference_table(name regclass) returns void language plpgsql
       as $$ begin execute format('comment on table %s is ''copied''', name); end $$`,
  )
  const { tables, set } = understand(reviewLexicons, reviewReferences)
  const given = { tables, fingerprint: set.fingerprint, check: () => null, now: () => 1n }
  {
    await using store = await openReviews(inFolder('reviews.db'))
    await store.load(lines)
    await using source = await openSnapshot(store.path, given)
    await using target = await openCopyTarget(url, source, given)
    await fill(source, target, partsOf(tables), () => undefined)
    await target.finish()
  }
  const copies = await copiedIn(url)
  assert.deepEqual(copies, [
    author,
    `${author}/.mentor:base:count`,
    `${book}/.any:base:count`,
    `${book}/.author:base:count`,
    `${book}/.either:base:count`,
    `${review}/.by:base:count`,
  ])
  await using store = await openReviews(url, [...reviewLexicons, recordLexicon('org.example.new', {})])
  assert.deepEqual(await copiedIn(url), copies)
  await assertCounts(store.database.read, store.tables)
})

/** An author, and twelve books of his. */
const lines = [
  reviewLine(author, '1', { country: 'FR' }),
  ...Array.from({ length: 12 }, (_, at) => reviewLine(book, String(at), { author: link(author, '1').uri })),
]

async function copiedIn(url: string): Promise<readonly string[]> {
  await using client = await connected(url)
  const { rows } = await client.query(
    `select relname from pg_class where relnamespace = to_regnamespace('lexigraph_records')
       and obj_description(oid, 'pg_class') = 'copied' order by relname collate "C"`,
  )
  return rows.map(({ relname }) => relname)
}

onPostgres('what the planner of a cluster refuses is refused as a question', async () => {
  const url = await postgresUrl()
  await run(url, clusterFunctions())
  await using store = await openNotes(url)
  await run(
    url,
    `create function lexigraph.refused() returns bytea language plpgsql
       as $$ begin raise exception 'not planned' using errcode = 'feature_not_supported'; end $$`,
  )
  const statement = { text: 'select cast(1 as bigint) as version, refused() as body', values: [] }
  await assert.rejects(store.database.read.readAnswer(statement, { kind: 'short' }), {
    code: 'QUERY_TOO_COMPLEX',
    message: /^This index is spread over several servers, which cannot answer this question as it is\./,
  })
})

onPostgres('replicas of a cluster are refused', async () => {
  const url = await postgresUrl()
  await run(url, clusterFunctions())
  await (await openNotes(url))[Symbol.asyncDispose]()
  const reading = { readDatabases: [url], maxReplicaLag: 10, poolSize: 2, onNotice: () => undefined }
  await assert.rejects(
    openReadDatabase(url, {
      fingerprint: understand(noteLexicons, {}).set.fingerprint,
      now: () => 0n,
      reading,
      readers: 1,
    }),
    /--read-database/,
  )
})
