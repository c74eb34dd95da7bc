import assert from 'node:assert/strict'
import { assertOutcome } from '../../../../test/support/store/note-stores.ts'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { onUntimedPostgres } from '../../../../test/support/store/databases.ts'
import { day, line, snapshot } from '../../../../test/support/records/note-lines.ts'
import { apply, note, openNotes, put, rev, spot, uriOf } from '../../../../test/support/records/notes.ts'
import { connected } from '../../../../test/support/store/postgres-layout.ts'
import { freshDatabase } from '../../../../test/support/store/postgres.ts'
import { inPairs, type TestStore } from '../../../../test/support/store/store.ts'
import { until } from '../../../../test/support/until.ts'
import { type Change, DatabaseBusyError } from '../../database.ts'

onStore('a connection that was lost while nobody used it is replaced unnoticed', async (store, { admin }) => {
  await apply(store, put(store, spot('a'), 0))
  await admin.endAll()
  await assertOutcome(apply(store, put(store, spot('b'), 0)), { stored: 1 })
})

onStore('a batch whose connection is lost leaves nothing, and may be repeated', async (store, { admin }) => {
  await apply(store, put(store, spot('a'), 0, { rev: rev(1) }))
  const before = await snapshot(store)
  const changes = [put(store, spot('a'), 1, { rev: rev(2) }), put(store, spot('b', 1), 1, { rev: rev(2) })]
  await admin.query(`begin; lock table lexigraph_records."${note}" in exclusive mode`)
  const batch = assert.rejects(apply(store, ...changes), DatabaseBusyError)
  await until(() => admin.someWait())
  await admin.endAll()
  await batch
  await admin.query('rollback')
  assert.deepEqual(await snapshot(store), before)
  await assertOutcome(apply(store, ...changes), { stored: 1, updated: 1 })
})

onStore('a load whose connection is lost leaves nothing but its indexes', async (store, { admin }) => {
  const before = await snapshot(store)
  const lines = ['a', 'b', 'c', 'd'].map((key) => line(key))
  async function* interrupted() {
    for await (const pair of inPairs(lines.map(store.change))) {
      yield pair
      await admin.endAll()
    }
  }
  await assert.rejects(store.database.write.load(interrupted()), DatabaseBusyError)
  assert.deepEqual(await snapshot(store), before)
  await assertOutcome(store.load(lines), { stored: 4 })
})

onStore('a server that takes no writes for a while is waited for', async (store, { admin }) => {
  const readOnly = (value: string) =>
    admin.query(
      `set default_transaction_read_only = off;
       alter database "${admin.database}" set default_transaction_read_only = ${value}`,
    )
  await readOnly('on')
  await admin.endAll()
  await assert.rejects(apply(store, put(store, spot('a'), 0)), DatabaseBusyError)
  await readOnly('off')
  await assertOutcome(apply(store, put(store, spot('a'), 0)), { stored: 1 })
})

onStore('of what a load finds to be there already the highest revision stands', async (store) => {
  // More than are written at once, so that what is looked for and what is not come together.
  const lines = Array.from({ length: 1_300 }, (_, n) =>
    line(`k${n % 600}`, { rev: rev(n % 7), text: `version ${n}`, tags: [`t${n}`], indexedAt: day(1) }),
  )
  const { stored, updated, older } = await store.load(lines)
  assert.deepEqual([stored, updated + older], [600, 700])
  const accountStatus = new Map<string, (typeof lines)[number]>()
  for (const one of lines) {
    const known = accountStatus.get(one.uri)
    if (known === undefined || String(one.rev) >= String(known.rev)) accountStatus.set(one.uri, one)
  }
  const rows = await store.rows(
    `select b.uri || t.rkey as uri, record ->> 'text' as text, value from "${note}" t
     join base b on b.id = t.base left join "${note}/tags" s on s.id = t.id order by uri`,
  )
  assert.deepEqual(
    rows.map(({ uri, text, value }) => [uri, text, value]),
    [...accountStatus.values()]
      .map(({ uri, value }) => [uri, value.text, (value.tags as string[])[0]])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  )
})

onStore('sequences of text are counted after a load, and again when much has changed', async (store) => {
  const counts = async () => {
    const rows = await store.rows('select term, records from text_count order by term')
    return Object.fromEntries(rows.map(({ term, records }) => [term, records]))
  }
  await store.load([line('a', { text: 'aba' }), line('b', { text: 'Äb' }), line('c', { text: 'xyz' })])
  // What is seen only once counts as rare.
  assert.deepEqual(await counts(), { a: 2, ab: 2, b: 2 })
  await store.apply(...Array.from({ length: 900 }, (_, n) => line(`k${n}`, { text: 'xyz' })))
  assert.deepEqual(await counts(), { a: 2, ab: 2, b: 2 })
  await store.apply(...Array.from({ length: 900 }, (_, n) => line(`l${n}`, { text: 'xyz' })))
  const after = await counts()
  assert.deepEqual([after.xyz, after.xy, after.x, after.ab], [1801, 1801, 1801, 2])
})

onStore('a load indexes and counts its rows at its end', async (store, { admin, t }) => {
  await admin.query(`
      create table public.seen (what text);
      grant all on public.seen to public;
      create function public.note_index() returns event_trigger language plpgsql as $$
        begin insert into public.seen values (current_setting('maintenance_work_mem')); end $$;
      create event trigger note_index on ddl_command_end when tag in ('CREATE INDEX')
        execute function public.note_index();
    `)
  const changes = [0, 1, 2].map((n) => store.change(line(`k${n}`)))
  const query = t.mock.method(pg.Client.prototype, 'query').mock
  await store.database.write.load(inPairs(changes))
  const asked = query.calls.map((call) => {
    const [given] = call.arguments as unknown as readonly [string | { readonly text: string }]
    return typeof given === 'string' ? given : given.text
  })
  const first = asked.findIndex((text) => text.startsWith(`insert into "${note}"`))
  const before = asked.slice(0, first).join('\n')
  assert.match(before, new RegExp(`drop index .*"${note}`))
  assert.ok(!asked.some((text) => text.startsWith('select t.base, t.rkey, t.id')))
  assert.deepEqual(await store.rows('select distinct what from public.seen'), [{ what: '512MB' }])
  const columns = await store.rows('select attname from pg_stats where tablename = ? order by 1', note)
  const names = columns.map(({ attname }) => attname)
  assert.ok(names.includes('rkey'), names.join())
  assert.ok(!names.includes('.text:folded') && !names.includes('record'), names.join())
})

onStore('a record of a few kilobytes stays in its row', async (store) => {
  const tags = Array.from({ length: 400 }, (_, n) => ((n * 104_729) % 1_000_003).toString(36))
  await store.apply(line('a', { tags }))
  const [row] = await store.rows(
    `select pg_column_size(t.*) as bytes, pg_relation_size(reltoastrelid) as apart
     from "${note}" t join pg_class on pg_class.oid = t.tableoid`,
  )
  assert.ok(Number(row?.bytes) > 2_500, String(row?.bytes))
  assert.equal(row?.apart, 0)
})

onStore('what is refused is kept even if it is no text that the server takes', async (store) => {
  const refused: Change = {
    kind: 'reject',
    source: 'test',
    uri: uriOf(spot('a')),
    reason: 'bad-text',
    message: 'It has a NUL.',
    record: 'a\0b\ud800c',
  }
  await assertOutcome(apply(store, refused), { rejected: 1 })
  assert.deepEqual(await store.rows('select record from rejection'), [{ record: 'a\uFFFDb\uFFFDc' }])
})

interface Given {
  readonly admin: Awaited<ReturnType<typeof adminOf>>
  readonly t: TestContext
}

function onStore(sentence: string, holds: (store: TestStore, given: Given) => Promise<void>): void {
  onUntimedPostgres(sentence, async (t) => {
    await using database = await freshDatabase()
    await using admin = await adminOf(database.adminUrl)
    await using store = await openNotes(database.url)
    await holds(store, { admin, t })
  })
}

async function adminOf(url: string) {
  const client = await connected(url)
  const connections = `from pg_stat_activity where datname = current_database() and application_name = 'lexigraph'`
  return {
    database: client.database,
    query: (text: string) => client.query(text),
    /** Ends the program's connections, and waits until they are gone. */
    async endAll() {
      await client.query(`select pg_terminate_backend(pid, 10000) ${connections}`)
    },
    async someWait() {
      return (await client.query(`select 1 ${connections} and wait_event_type = 'Lock'`)).rows.length > 0
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}
