/** `serve --ingest` while the thread that writes fails. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { startFakeJetstream } from './network/fake-jetstream.ts'
import { startService } from './network/service.ts'
import { outletNames, publishOutlet } from './network/support-outlets.ts'
import { onOneDatabase } from './support/store/databases.ts'
import type { Engine } from './support/store/postgres.ts'
import { run } from './support/store/postgres-layout.ts'
import { emptyDatabases } from './support/store/store.ts'
import { patience, until } from './support/until.ts'

const emptyUrl = emptyDatabases()

onOneDatabase(
  'a failed ingest thread is logged and started again from its cursor while the server answers',
  async (engine) => {
    const database = await emptyUrl(engine)
    await using jetstream = await startFakeJetstream()
    const args = ['serve', '--ingest', `jetstream:${jetstream.url}`, '--workers', '2']
    await using service = await startService(args, { env: { LEXIGRAPH_DATABASE: database } })
    const served = (count: number) => until(async () => (await outletNames(service)).length === count)
    await until(() => jetstream.connections.length > 0)
    publishOutlet(jetstream, 1)
    await served(1)

    await execute(engine, database, fault[engine].add)
    publishOutlet(jetstream, 2)
    await service.said(/^Following the sources failed and starts anew: .*the disk of this test is broken/m)
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
    assert.deepEqual(await outletNames(service), ['Outlet 1'])

    await execute(engine, database, fault[engine].remove)
    await served(2)
    publishOutlet(jetstream, 3)
    await served(3)
    await service.stop()
  },
)

/** What makes every insertion of a record fail, and what ends that. */
const fault: Readonly<Record<Engine, { readonly add: string; readonly remove: string }>> = {
  sqlite: {
    add: `create trigger fault before insert on "tech.service.news.source"
      begin select raise(abort, 'the disk of this test is broken'); end`,
    remove: 'drop trigger fault',
  },
  postgres: {
    add: `create function public.fault() returns trigger language plpgsql as
        $$ begin raise exception 'the disk of this test is broken'; end $$;
      create trigger fault before insert on lexigraph_records."tech.service.news.source"
        for each row execute function public.fault()`,
    remove: 'drop function public.fault() cascade',
  },
}

async function execute(engine: Engine, url: string, statement: string): Promise<void> {
  if (engine === 'postgres') return run(url, statement)
  const database = new DatabaseSync(url, { timeout: patience })
  database.exec(statement)
  database.close()
}
