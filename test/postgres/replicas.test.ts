import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildDemoCorpus } from '../../demo/corpus.ts'
import { parseConfig } from '../../src/cli/settings/config.ts'
import { openService } from '../../src/cli/service/service.ts'
import { runProgram } from '../network/service.ts'
import { onPostgres } from '../support/store/databases.ts'
import { startCluster } from '../support/store/postgres.ts'
import { accountStatus } from '../support/service/service.ts'
import { until } from '../support/until.ts'

onPostgres(
  'replicas that come to a change one after the other answer, and what was hidden stays so',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lexigraph-replicas-'))
    await using primary = await startCluster()
    const file = join(folder, 'records.jsonl')
    const records = [...buildDemoCorpus()]
    writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    const { status, stderr } = await runProgram(['import', '--database', primary.url, file])
    assert.equal(status, 0, stderr)
    rmSync(folder, { recursive: true })
    await using near = await primary.standby()
    await using far = await primary.standby()
    const replicas = `${near.url},${far.url}`
    const { config } = parseConfig(
      'serve',
      ['--database', primary.url, '--read-database', replicas, '--max-replica-lag', '3600'],
      {},
    )
    await using service = await openService(config, new URL('../../', import.meta.url))
    const count = async (): Promise<number> => {
      const answer = await service.engine.execute({ query: '{ techServiceNewsEnrichment { totalCount } }' })
      assert.ok(answer.kind === 'data', JSON.stringify(answer))
      return JSON.parse(new TextDecoder().decode(answer.body)).data.techServiceNewsEnrichment.totalCount
    }
    const all = await count()
    const did = records.at(-1)?.uri.split('/')[2] ?? ''
    await far.query('select pg_wal_replay_pause()')
    await service.database.write.applyBatch([accountStatus(did, false)])
    await until(async () => (await count()) < all)
    const later = await Promise.all(Array.from({ length: 40 }, count))
    assert.equal(new Set(later).size, 1)
    assert.ok((later[0] as number) < all)
  },
)
