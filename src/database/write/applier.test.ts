import assert from 'node:assert/strict'
import { assertOutcome, newUrl } from '../../../test/support/store/note-stores.ts'
import { onUntimedPostgres } from '../../../test/support/store/databases.ts'
import { line } from '../../../test/support/records/note-lines.ts'
import {
  account,
  apply,
  contentJson,
  note,
  openNotes,
  put,
  remove,
  rev,
  spot,
  uriOf,
  visibleRecords,
} from '../../../test/support/records/notes.ts'
import type { TestStore } from '../../../test/support/store/store.ts'
import type { Change } from '../database.ts'
import type { Steps } from '../metadata/steps.ts'
import { Applier } from './applier.ts'
import { connect } from '../postgres/connection.ts'
import { PostgresRecordStore } from '../postgres/write/table-writer.ts'
import { Transactions } from '../postgres/write/transactions.ts'

onUntimedPostgres('what is cached between runs is bounded, and may be dropped', async () => {
  await using store = await openNotes(await newUrl('postgres'))
  await apply(store, put(store, spot('a'), 0, { rev: rev(1) }), put(store, spot('b'), 1, { rev: rev(1) }))
  await apply(store, account(0, 'suspended', 1))
  await apply(store, put(store, spot('a'), 0, { rev: rev(2) }), put(store, spot('b'), 1, { rev: rev(2) }))
  await using transactions = await transactionsOf(store)
  const applier = applierOf(store, 0)
  const changes: readonly Change[] = [
    account(0, null, 2),
    // Returns, with what it refers to, from where it waited, and is then written.
    put(store, spot('a'), 3, { rev: rev(3) }),
    account(1, null, 1),
    put(store, spot('b'), 3, { rev: rev(3) }),
    ...Array.from({ length: 600 }, (_, n) => store.change(line(`k${n}`))),
  ]
  const remembered = await transactions.transact(async (transaction) => {
    const outcome = await transaction.run(applier.apply(transaction, changes))
    await assertOutcome(outcome, { stored: 600, updated: 2 })
    return transaction.bases.size + transaction.accountStatuses.size
  })
  assert.equal(remembered, 0)
  const visible = await visibleRecords(store)
  assert.equal(visible.get(uriOf(spot('a'))), contentJson(note, 3))
  assert.equal(visible.size, 602)
})

onUntimedPostgres('a run of changes takes as many statements as one change', async () => {
  await using store = await openNotes(await newUrl('postgres'))
  await using transactions = await transactionsOf(store)
  const applier = applierOf(store)
  const statementsOf = (changes: readonly Change[], blind = false): Promise<readonly string[]> =>
    transactions.transact(async (transaction) => {
      const texts: string[] = []
      await transaction.run(noting(applier.apply(transaction, changes, { blind }), texts))
      return texts
    })
  const lines = (count: number, prefix: string): readonly Change[] =>
    Array.from({ length: count }, (_, n) => store.change(line(`${prefix}${n}`)))
  await statementsOf(lines(1, 'first'))
  const one = await statementsOf(lines(1, 'one'))
  const many = await statementsOf(lines(500, 'many'))
  assert.deepEqual(many, one)
  const blindly = await statementsOf(lines(500, 'blind'), true)
  assert.equal(blindly.length, many.length - 1)
  const rare = /tombstone|rejection|hiding|expired/
  assert.deepEqual(
    one.filter((text) => rare.test(text)),
    [],
  )
  await apply(store, remove(spot('a'), rev(1)))
  assert.ok((await statementsOf(lines(1, 'last'))).some((text) => rare.test(text)))
  // What was looked up for one run need not be looked up for the next.
  const runs = await statementsOf(lines(1_500, 'runs'))
  const found = runs.filter((text) => text.startsWith('select') && /from (actor|base) /.test(text))
  assert.equal(found.length, 2, found.join('\n'))
})

async function transactionsOf(store: TestStore): Promise<Transactions> {
  const [derivation] = await store.column('select derivation from state')
  return new Transactions(() => connect(store.path, 'write'), String(derivation), false)
}

function applierOf({ tables }: TestStore, cached?: number): Applier {
  return new Applier(new PostgresRecordStore(tables), { tables, now: () => 1n, check: () => null }, cached)
}

/** The same steps, with the texts of their statements. */
function* noting<Result>(steps: Steps<Result>, texts: string[]): Steps<Result> {
  let step = steps.next()
  while (step.done !== true) {
    texts.push(step.value.text)
    step = steps.next(yield step.value)
  }
  return step.value
}
