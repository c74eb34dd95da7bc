/**
 * Derives all tables again from their records. New tables are filled next to those in use, in steps that each commit
 * with their progress: other processes go on reading and writing, and an interrupted rebuild resumes after its last
 * step. Triggers record which records change meanwhile. One last transaction applies these changes and gives the new
 * tables the names of the old ones, which are dropped afterwards.
 */
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { type Change, DatabaseBusyError } from '../../database.ts'
import { enterDerivation, leaveUnserved } from '../../rebuild/preview.ts'
import {
  repoCollectionsWhere,
  countStored,
  hiddenRecords,
  quarantineHidden,
  refuseAndJudge,
  startAnew,
  withheld,
} from '../../metadata/rebuild.ts'
import { tableNames } from '../../metadata/collections.ts'
import { stepsOf } from '../../metadata/steps.ts'
import { RebuildCounters, type RebuildReport } from '../../rebuild/rebuild-report.ts'
import { RebuildConflictError, ReplacedFileError } from '../../refusals.ts'
import { createVocabularies, derivationOf, layOut, quote } from './ddl.ts'
import { isBusy } from '../failures.ts'
import { formerPrefix, moveAside, moveInPlace, nextLeftover, nextPrefix, nextTables } from './generations.ts'
import { readDataVersion, readDerivation } from './layout.ts'
import { createLogShortener } from '../write/transactions.ts'
import type { MigrateOptions } from '../../migrate-options.ts'
import { NextTables, selectStored } from './next-tables.ts'
import {
  dropRebuildTables,
  findRebuild,
  isAtWork,
  readParts,
  readProgress,
  rebuildTables,
} from './rebuild-state.ts'
import { createRunner, transact } from '../steps.ts'
import { SqliteWriter } from '../write/writer.ts'

/** Pauses between steps, for other writers: at most these milliseconds, and this part of the step's duration. */
const longestRest = 25
const restPart = 1 / 4
/** Changes that one step applies, and below which the last transaction may begin. */
const changesAtOnce = 500

/** Call it outside of a transaction. A killed process loses at most the current step. */
export async function rebuild(
  database: DatabaseSync,
  options: MigrateOptions,
  assertSame: () => void,
): Promise<void> {
  const derivation = derivationOf(options.fingerprint)
  while (!transact(database, () => begin(database, options))) await dropLeftovers(database)
  try {
    await fill(database, options, derivation, assertSame)
  } catch (error) {
    // On a permanent error, drop the new tables; on a lock, the rebuild resumes next time. If dropping fails, the next
    // command that writes does it, and the original error is reported.
    if (!isBusy(error) && !(error instanceof DatabaseBusyError || error instanceof ReplacedFileError))
      await giveUp(database, derivation).catch(() => undefined)
    throw error
  }
  await dropLeftovers(database)
}

async function fill(
  database: DatabaseSync,
  options: MigrateOptions,
  derivation: string,
  assertSame: () => void,
): Promise<void> {
  const shortenLog = createLogShortener(database)
  let report: RebuildReport | null = null
  let next: NextTables | null = null
  let version: unknown
  for (;;) {
    await shortenLog()
    const started = performance.now()
    const isDone = transact(database, () => {
      // Another process may have finished the same rebuild.
      if (readDerivation(database) === derivation) return true
      if (findRebuild(database)?.derivation !== derivation) throw new RebuildConflictError()
      next ??= new NextTables(database, options.tables, options.check)
      const now = readDataVersion(database)
      if (now !== version) next.refresh()
      version = now
      const isLast = step(database, next)
      // After the step, which may take long, so that the committed time is recent.
      database.prepare('update rebuild set heard_at = ?').run(options.now())
      assertSame()
      if (!isLast) return false
      report = finish(database, options, next)
      return true
    })
    if (isDone) {
      if (report !== null) options.onRebuilt?.(report)
      return
    }
    const progress = readProgress(database)
    if (progress !== null) options.onProgress?.(progress)
    await pause(Math.min((performance.now() - started) * restPart, longestRest))
  }
}

async function giveUp(database: DatabaseSync, derivation: string): Promise<void> {
  transact(database, () => {
    if (findRebuild(database)?.derivation === derivation) abandon(database)
  })
  await dropLeftovers(database)
}

/** Removes the leftovers of a finished rebuild, or of one that was abandoned by going back to the former lexicons. */
export async function tidyUp(database: DatabaseSync, now: () => bigint): Promise<void> {
  const isAbandoned = (): boolean => {
    const found = findRebuild(database)
    return found !== null && !isAtWork(found, now())
  }
  if (isAbandoned())
    transact(database, () => {
      if (isAbandoned()) abandon(database)
    })
  if (findRebuild(database) === null) await dropLeftovers(database)
}

/** True if the tables to fill exist; false if leftovers must be dropped first. */
function begin(database: DatabaseSync, options: MigrateOptions): boolean {
  const derivation = derivationOf(options.fingerprint)
  const found = findRebuild(database)
  if (found?.derivation === derivation || readDerivation(database) === derivation) return true
  if (found !== null) {
    if (isAtWork(found, options.now())) throw new RebuildConflictError()
    abandon(database)
  }
  if (nextLeftover(database) !== null) return false
  database.exec(rebuildTables)
  database
    .prepare('insert into rebuild (id, derivation, heard_at) values (1, ?, ?)')
    .run(derivation, options.now())
  const names = createRunner(database)(tableNames())
  for (const table of nextTables(options.tables)) {
    const former = names.get(table.collection.nsid) ?? null
    database.exec(layOut(table))
    const total =
      former === null ? 0 : database.prepare(`select count(*) as n from ${quote(former)}`).get()?.n
    database
      .prepare(
        'insert into rebuild_part (nsid, former, total, done, stage, at, ordered) values (?, ?, ?, 0, 0, 0, 1)',
      )
      .run(table.collection.nsid, former, Number(total))
    if (former !== null) database.exec(createTriggers(former))
  }
  return true
}

const events = ['insert', 'update', 'delete'] as const

/** Triggers, because they also record writes by older versions of the program. */
function createTriggers(former: string): string {
  return events
    .map((event) => {
      const row = event === 'delete' ? 'old' : 'new'
      return `create trigger ${triggerName(former, event)} after ${event} on ${quote(former)} begin
          insert or ignore into rebuild_change (former, base, rkey) values ('${former}', ${row}.base, ${row}.rkey);
        end;`
    })
    .join('\n')
}

function triggerName(former: string, event: string): string {
  return quote(`${nextPrefix}${former}/${event}`)
}

/** The tables that were filled are dropped later. */
function abandon(database: DatabaseSync): void {
  for (const { former } of readParts(database))
    if (former !== null)
      for (const event of events) database.exec(`drop trigger if exists ${triggerName(former, event)}`)
  database.exec(dropRebuildTables)
}

async function dropLeftovers(database: DatabaseSync): Promise<void> {
  for (let name = nextLeftover(database); name !== null; name = nextLeftover(database)) {
    const leftover = name
    transact(database, () => {
      if (findRebuild(database) === null) database.exec(`drop table if exists ${quote(leftover)}`)
    })
    if (findRebuild(database) !== null) return
    await pause(1)
  }
}

/** True when at most the last few changes are missing. */
function step(database: DatabaseSync, next: NextTables): boolean {
  const parts = readParts(database)
  const part = next.findPart(parts)
  if (part === null) return next.catchUp(parts, changesAtOnce) < changesAtOnce
  const reached = next.work(part)
  const { nsid, done, stage, at } = reached
  const save = 'update rebuild_part set done = ?, stage = ?, at = ?, complete = ? where nsid = ?'
  database.prepare(save).run(done, stage, at, Number(next.isComplete(reached)), nsid)
  return false
}

/** Holds the write lock until the commit. */
function finish(database: DatabaseSync, options: MigrateOptions, next: NextTables): RebuildReport {
  const parts = readParts(database)
  while (next.catchUp(parts, changesAtOnce) > 0);
  const run = createRunner(database)
  const hidden = run(hiddenRecords())
  next.removeWithheld(hidden)
  const formers = parts.flatMap(({ former }) => former ?? [])
  for (const former of formers) {
    for (const event of events) database.exec(`drop trigger ${triggerName(former, event)}`)
    run(quarantineHidden(quote(former), hidden))
    database.exec(`delete from ${quote(former)} where base in (${repoCollectionsWhere(withheld)})`)
    const remove = database.prepare(`delete from ${quote(former)} where base = ? and rkey = ?`)
    for (const { base, rkey } of hidden) remove.run(base, rkey)
    moveAside(database, former)
  }
  run(startAnew())
  moveInPlace(database)
  for (const table of options.tables) {
    database.exec(createVocabularies(table))
    database
      .prepare(
        `insert or replace into collection
           (nsid, table_name, ordered, last_id, last_indexed_at, last_rkey, last_did)
         select nsid, ?, ordered, last_id, last_indexed_at, last_rkey, last_did from rebuild_part where nsid = ?`,
      )
      .run(table.name, table.collection.nsid)
  }
  run(enterDerivation(derivationOf(options.fingerprint), options.now()))
  const counters = new RebuildCounters()
  run(countStored(options.tables, counters))
  run(leaveUnserved(options.tables, counters))
  // Expired records are removed later, with an entry in `expired`.
  const writer = new SqliteWriter(database, { ...options, retention: new Map() })
  const refused = '(select base, rkey from rebuild_refusal where nsid = ?)'
  const selectRefused = (former: string): string =>
    `${selectStored(formerPrefix + former)} where (t.base, t.rkey) in ${refused} and t.id > ?`
  const apply = (changes: readonly Change[]) => stepsOf(() => writer.applyWithin(changes))
  run(refuseAndJudge(options, parts, counters, selectRefused, apply))
  database.exec(dropRebuildTables)
  return counters.report()
}
