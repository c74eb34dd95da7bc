/** What a rebuild for other lexicons would do to stored records. All statements see one snapshot and write nothing. */
import { quote } from '../../sql/sql.ts'
import { type LostCollection, LostCollectionsError } from '../database.ts'
import type { MigrateOptions } from '../migrate-options.ts'
import { BuiltElsewiseError, ReplacedLexiconsError } from '../refusals.ts'
import { RebuildCounters, type RebuildReport } from './rebuild-report.ts'
import type { Table } from '../layout/tables.ts'
import { judgeRejections } from '../metadata/read-rejections.ts'
import { readCollections } from '../metadata/collections.ts'
import { ask, type Steps } from '../metadata/steps.ts'

export type PreviewOptions = Required<Pick<MigrateOptions, 'tables' | 'check' | 'judge'>>

/** The engine's spelling of the column `record` as JSON text. */
export type RecordText = (column: string) => string

/** Checks every record and every rejection. */
export function* previewRebuild(options: PreviewOptions, recordText: RecordText): Steps<RebuildReport> {
  const { tables, check, judge } = options
  const counters = new RebuildCounters()
  const isServed = servedBy(tables)
  for (const { name, table, served } of yield* readCollections()) {
    if (!isServed(name)) {
      if (served === 1n) counters.addStored(name, yield* countRecords(name, table), false)
      continue
    }
    for (const rows of [quote(table), 'parked'])
      yield* eachRecord(rows, name, recordText, (uri, json) => {
        const fault = check(uri, json)
        counters.addStored(name, 1)
        if (fault !== null) counters.addRefused(name, uri, fault.message)
        return true
      })
  }
  yield* judgeRejections(judge, counters, null)
  return counters.report()
}

/** Microseconds for which a rebuild back needs permission: the process that rebuilt may still run. */
const longestReturn = 3_600_000_000n

/** Throws if the policy forbids a rebuild for these lexicons. */
export function* assertMayRebuild(
  options: Pick<MigrateOptions, 'tables' | 'check' | 'rebuild' | 'now'>,
  derivation: string,
  recordText: RecordText,
): Steps<void> {
  const { rebuild: policy = 'always' } = options
  if (policy === 'never') throw new BuiltElsewiseError()
  if (policy === 'always') return
  const [replaced] = yield* ask('select at from replaced where derivation = ?', derivation)
  const at = replaced?.at as bigint | undefined
  const passed = at === undefined ? longestReturn : options.now() - at
  // A clock that was set back says nothing.
  if (at !== undefined && passed >= 0n && passed < longestReturn) throw new ReplacedLexiconsError(at)
  const lost = yield* findLost(options, recordText)
  if (lost.length > 0) throw new LostCollectionsError(lost)
}

/** Stores from which lexicons the tables are derived now, and when those before were replaced. */
export function* enterDerivation(derivation: string, now: bigint): Steps<void> {
  yield* ask('delete from replaced where derivation = ?', derivation)
  const note = 'insert into replaced (derivation, at) select derivation, cast(? as bigint) from state'
  yield* ask(`${note} where true on conflict (derivation) do update set at = excluded.at`, now)
  yield* ask('update state set plan_version = plan_version + 1, derivation = ?', derivation)
}

/**
 * Collections that are served now and would lose all their records. One valid record is enough to keep a collection, so
 * most collections are not read to their end.
 */
function* findLost(
  { tables, check }: Pick<PreviewOptions, 'tables' | 'check'>,
  recordText: RecordText,
): Steps<readonly LostCollection[]> {
  const lost: LostCollection[] = []
  const isServed = servedBy(tables)
  for (const { name, table, served } of yield* readCollections()) {
    let refusal: LostCollection['refusal'] = null
    if (isServed(name)) {
      let fits = false
      yield* eachRecord(quote(table), name, recordText, (uri, json) => {
        const fault = check(uri, json)
        fits = fault === null
        if (fault !== null) refusal ??= { uri, message: fault.message }
        return !fits
      })
      if (fits || refusal === null) continue
    } else if (served === 0n) continue
    const records = yield* countRecords(name, table)
    if (records > 0) lost.push({ name, records, refusal })
  }
  return lost
}

/** Rows in one query. */
const pageSize = 500

function servedBy(tables: readonly Table[]): (name: string) => boolean {
  const served = new Set(tables.map(({ collection }) => collection.nsid))
  return (name) => served.has(name)
}

/** Marks collections that the new lexicons do not have as not served, and counts their records. */
export function* leaveUnserved(tables: readonly Table[], counters: RebuildCounters): Steps<void> {
  const isServed = servedBy(tables)
  for (const { name, table, served } of yield* readCollections()) {
    if (isServed(name) || served === 0n) continue
    counters.addStored(name, yield* countRecords(name, table), false)
    yield* ask('update collection set served = 0 where nsid = ?', name)
  }
}

/** Counts hidden records too. */
function* countRecords(name: string, table: string): Steps<number> {
  const [row] = yield* ask(
    `select (select count(*) from ${quote(table)}) +
       (select count(*) from parked where base in (select id from base where collection = ?)) as n`,
    name,
  )
  return Number(row?.n)
}

/** Reads a collection's records from its table or from the quarantine, until `visit` returns false. */
function* eachRecord(
  rows: string,
  collection: string,
  recordText: RecordText,
  visit: (uri: string, json: string) => boolean,
): Steps<void> {
  const select = `select t.base, t.rkey, base.uri || t.rkey as uri, ${recordText('t.record')} as json
    from ${rows} t join base on base.id = t.base
    where (t.base, t.rkey) > (?, ?) and base.collection = ? order by t.base, t.rkey limit ?`
  let [base, rkey]: [bigint, string] = [-1n, '']
  for (;;) {
    const found = yield* ask(select, base, rkey, collection, pageSize)
    for (const row of found) if (!visit(String(row.uri), String(row.json))) return
    const last = found.at(-1)
    if (last === undefined) return
    ;[base, rkey] = [last.base as bigint, String(last.rkey)]
  }
}
