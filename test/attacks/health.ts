/** What an attack must leave behind: a server that answers as before, and nothing of the attack. */
import assert from 'node:assert/strict'
import { storeSettings } from '../../src/cli/settings/store-settings.ts'
import { openFiles, residentMemoryOf } from '../support/processes.ts'
import type { Engine } from '../support/store/postgres.ts'
import { until } from '../support/until.ts'
import { errorLine } from './launch.ts'
import type { AttackedServers, Target } from './servers.ts'

/**
 * What a server may open and keep: connections to PostgreSQL, as many as its settings say; on SQLite, three files to
 * speak to each of five processes that read for long, of which one was there at first.
 */
const keptOpen: Readonly<Record<Engine, number>> = {
  postgres: storeSettings['database-connections'].default,
  sqlite: 3 * 4,
}

/** With a key, because the address may have nothing left. */
export async function assertHealthy({ url, articles, isUp }: Target, key: string): Promise<void> {
  assert.ok(isUp(), 'the server has ended')
  const query = encodeURIComponent('{ __typename techServiceNewsArticle { totalCount } }')
  const response = await fetch(`${url}/api/graphql?query=${query}`, {
    headers: { 'x-api-key': key, connection: 'close' },
  })
  const { data } = (await response.json()) as { data: unknown }
  assert.deepEqual(data, { __typename: 'Query', techServiceNewsArticle: { totalCount: articles } })
  const health = await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
  assert.equal(await health.text(), '{"status":"up"}')
}

/** After all attacks: no open files or connections, no memory, and no error in the operator's log. */
export async function assertNothingLeft({ given, started }: AttackedServers): Promise<void> {
  for (const { target, files } of await started()) {
    const { pid, engine } = target
    await until(() => openFiles(pid).length <= files + keptOpen[engine] + 5).catch((cause: Error) => {
      throw new Error(`There were ${files}, now there are: ${openFiles(pid).join(', ')}`, { cause })
    })
    // V8 returns memory when a process has nothing to do for some seconds; agents' tokens have a vocabulary of 55 MB.
    await until(() => residentMemoryOf(pid) < 700).catch((cause: Error) => {
      throw new Error(`${residentMemoryOf(pid)} MB are left`, { cause })
    })
    assert.doesNotMatch(target.stderr(), errorLine)
    assert.ok(!target.stderr().includes(given.goodKey), 'the log has a key in it')
  }
}
