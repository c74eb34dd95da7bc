/** Adapts the metadata when the tables of records are derived again, in SQL for every engine. */
import { quote } from '../../sql/sql.ts'
import type { Change } from '../changes.ts'
import { splitUri } from '../derive.ts'
import type { Table } from '../layout/tables.ts'
import type { MigrateOptions } from '../migrate-options.ts'
import type { RebuildCounters } from '../rebuild/rebuild-report.ts'
import { storedRecord } from '../stored-record.ts'
import { ofHiddenAccount } from './hidings.ts'
import { judgeRejections } from './read-rejections.ts'
import { ask, type RowKey, type Steps } from './steps.ts'

/** Condition on rows of `actor`: the network or an operator hides the account. */
export const withheld = `(status is not null or ${ofHiddenAccount})`

/** Selects the repository collections of accounts that meet the condition. */
export function repoCollectionsWhere(condition: string): string {
  return `select base.id from base join actor using (did) where ${condition}`
}

/** Records that operators hid individually; their rows may still be in a table that was not served at that time. */
export function* hiddenRecords(): Steps<readonly RowKey[]> {
  const hidden = yield* ask(`select subject from hiding where shown_at is null and subject like 'at://%'`)
  const rows: RowKey[] = []
  for (const { subject } of hidden) {
    const [uri, rkey] = splitUri(String(subject))
    for (const { id } of yield* ask('select id from base where uri = ?', uri))
      rows.push({ base: BigInt(id as bigint), rkey })
  }
  return rows
}

/** Quarantines hidden records, so that none enters the new tables. `former`: a table's name, quoted. */
export function* quarantineHidden(former: string, records: readonly RowKey[]): Steps<void> {
  const quarantine = `insert into parked (base, rkey, cid, rev, indexed_at, changed_at, record)
    select base, rkey, cid, rev, indexed_at, changed_at, record from ${former} where base`
  const ofAccounts = repoCollectionsWhere(`${withheld} and status is distinct from 'deleted'`)
  yield* ask(`${quarantine} in (${ofAccounts})`)
  const alone = `${quarantine} = ? and rkey = ? and base not in (${repoCollectionsWhere(withheld)})`
  for (const { base, rkey } of records) yield* ask(alone, base, rkey)
}

/**
 * Resets state that a rebuild invalidates: ids change; earlier fetches may lack a collection that is new here; and
 * quarantined rows of an account that came back could not return while their collection was not served.
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

/** Counts the records of the new tables. */
export function* countStored(tables: readonly Table[], counters: RebuildCounters): Steps<void> {
  for (const { name, collection } of tables) {
    const [row] = yield* ask(`select count(*) as n from ${quote(name)}`)
    counters.addStored(collection.nsid, Number(row?.n))
  }
}

/**
 * Refuses records that no longer fit the lexicons, in batches, and judges those again that were refused before.
 * `select`: the statement for those of a former table, given its NSID and the id after which they are read.
 */
export function* refuseAndJudge(
  { tables, check, judge }: MigrateOptions,
  parts: readonly { readonly nsid: string; readonly former: string | null }[],
  counters: RebuildCounters,
  select: (former: string) => string,
  apply: (changes: readonly Change[]) => Steps<unknown>,
): Steps<void> {
  for (const { nsid, former } of parts) {
    const table = tables.find(({ collection }) => collection.nsid === nsid)
    if (former === null || table === undefined) continue
    for (let after = 0n; ; ) {
      const rows = yield* ask(`${select(former)} order by t.id limit 500`, nsid, after)
      if (rows.length === 0) break
      after = rows.at(-1)?.id as bigint
      const changes = rows.map((row) => storedRecord(table, row, check))
      for (const change of changes) counters.addKept(nsid, change)
      yield* apply(changes)
    }
  }
  if (judge !== undefined) yield* judgeRejections(judge, counters, apply)
}
