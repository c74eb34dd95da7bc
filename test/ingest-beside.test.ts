/** `serve --ingest` while the thread that writes fails. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startFakeJetstream } from './network/fake-jetstream.ts'
import { startService } from './network/service.ts'
import { onEveryDatabase } from './support/store/databases.ts'
import type { Engine } from './support/store/postgres.ts'
import { run } from './support/store/postgres-layout.ts'
import { emptyDatabases, temporaryFolder } from './support/store/store.ts'
import { size, thing, thingUri } from './support/records/things.ts'
import { patience, until } from './support/until.ts'

const inFolder = temporaryFolder()
const emptyUrl = emptyDatabases()
const lexicons = inFolder('lexicons')
mkdirSync(lexicons)
writeFileSync(join(lexicons, 'thing.json'), JSON.stringify(thing(size)))

onEveryDatabase(
  'a failed ingest thread is logged and started again from its cursor while the server answers',
  async (engine) => {
    const database = await emptyUrl(engine)
    await using jetstream = await startFakeJetstream()
    const args = ['--lexicons', lexicons, '--ingest', `jetstream:${jetstream.url}`, '--workers', '2']
    await using service = await startService(['serve', ...args], { env: { LEXIGRAPH_DATABASE: database } })
    const publish = (rkey: string): void =>
      jetstream.publishRecord({
        did: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa',
        collection: 'org.example.thing',
        rkey,
        rev: '3kaaaaaaaaa22',
        record: { $type: 'org.example.thing' },
      })
    const isServed = async (rkey: string): Promise<boolean> => {
      const where = `{ uri: { eq: "${thingUri(rkey)}" } }`
      const { orgExampleThing } = await service.query(
        `{ orgExampleThing(where: ${where}) { nodes { uri } } }`,
      )
      return orgExampleThing.nodes.length === 1
    }
    await until(() => jetstream.connections.length > 0)
    publish('first')
    await until(() => isServed('first'))

    await execute(engine, database, fault[engine].add)
    publish('second')
    await service.said(/^Following the sources failed and starts anew: .*the disk of this test is broken/m)
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
    assert.equal(await isServed('first'), true)
    assert.equal(await isServed('second'), false)

    await execute(engine, database, fault[engine].remove)
    await until(() => isServed('second'))
    publish('third')
    await until(() => isServed('third'))
    await service.stop()
  },
)

/** What makes every insertion of a record fail, and what ends that. */
const fault: Readonly<Record<Engine, { readonly add: string; readonly remove: string }>> = {
  sqlite: {
    add: `create trigger fault before insert on "org.example.thing"
      begin select raise(abort, 'the disk of this test is broken'); end`,
    remove: 'drop trigger fault',
  },
  postgres: {
    add: `create function public.fault() returns trigger language plpgsql as
        $$ begin raise exception 'the disk of this test is broken'; end $$;
      create trigger fault before insert on lexigraph_records."org.example.thing"
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
