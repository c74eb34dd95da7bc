/** What becomes of what is kept beside the records when their tables are derived anew, in SQL that every engine understands. */
import { splitUri } from '../derive.ts'
import { ofHiddenAccount } from './hidings.ts'
import { ask, type Steps } from './steps.ts'

/** Of accounts that must not be seen, by the network's word or an operator's. */
export const withheld = `(status is not null or ${ofHiddenAccount})`

/** Bases of accounts that are like that. */
export function repoCollectionsWhere(condition: string): string {
  return `select base.id from base join actor using (did) where ${condition}`
}

/** A row of a collection. */
export interface RecordRow {
  readonly base: bigint
  readonly rkey: string
}

/** Records that operators have hidden one by one; their rows may still be in a table that was not served then. */
export function* hiddenRecords(): Steps<readonly RecordRow[]> {
  const hidden = yield* ask(`select subject from hiding where shown_at is null and subject like 'at://%'`)
  const rows: RecordRow[] = []
  for (const { subject } of hidden) {
    const [uri, rkey] = splitUri(String(subject))
    for (const { id } of yield* ask('select id from base where uri = ?', uri))
      rows.push({ base: BigInt(id as bigint), rkey })
  }
  return rows
}

/** Nothing that is hidden comes into the new tables. `former`: a table's name, quoted. */
export function* quarantineHidden(former: string, records: readonly RecordRow[]): Steps<void> {
  yield* ask(
    `insert into parked (base, rkey, cid, rev, indexed_at, changed_at, record)
     select base, rkey, cid, rev, indexed_at, changed_at, record from ${former}
     where base in (${repoCollectionsWhere(`${withheld} and status is distinct from 'deleted'`)})`,
  )
  for (const { base, rkey } of records)
    yield* ask(
      `insert into parked (base, rkey, cid, rev, indexed_at, changed_at, record)
       select base, rkey, cid, rev, indexed_at, changed_at, record from ${former}
       where base = ? and rkey = ? and base not in (${repoCollectionsWhere(withheld)})`,
      base,
      rkey,
    )
}

/** Whose records are in a table is known as an account, also where an older program kept no accounts. `table`: quoted. */
export function* enterAccounts(table: string): Steps<void> {
  yield* ask(
    `insert into actor (did, handle_due, status_at)
     select distinct did, 0, 0 from base where did is not null and id in (select base from ${table})
     on conflict (did) do nothing`,
  )
}

/**
 * Ids are given anew; a collection that is new here may be missing from what was fetched before; and what waits of
 * an account that came back could not return while its collection was not served.
 */
export function* startAnew(): Steps<void> {
  yield* ask('delete from hidden')
  yield* ask('update parked set id = null')
  yield* ask('update actor set floor = null')
  yield* ask(
    `update actor set move = 'return'
     where not ${withheld} and did in (select did from base where id in (select base from parked))`,
  )
}
