import assert from 'node:assert/strict'
import { clusterFunctions } from '../../../../test/support/clusters/functions.ts'
import { noteLexicons, openNotes } from '../../../../test/support/records/notes.ts'
import { understand } from '../../../../test/support/records/understand.ts'
import { onPostgres } from '../../../../test/support/store/databases.ts'
import { run } from '../../../../test/support/store/postgres-layout.ts'
import { postgresUrl } from '../../../../test/support/store/postgres.ts'
import { openReadDatabase } from '../../open.ts'

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
