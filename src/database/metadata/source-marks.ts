/** State and progress of sources, and the outcomes of their changes, stored with each batch. */
import type { Change, SourceMark, SourceState } from '../changes.ts'
import type { RecordOutcome } from '../write/decide.ts'
import { ask, type Steps } from './steps.ts'

export function* readCursor(source: string): Steps<string | null> {
  const [row] = yield* ask('select cursor from source where name = ?', source)
  return (row?.cursor ?? null) as string | null
}

/** Sets the name of the source that callers see. */
export function* nameSource(source: string, publicName: string, now: bigint): Steps<void> {
  const set = `insert into source (name, public_name, state, rate, heard_at) values (?, ?, 'connecting', 0, ?)
    on conflict (name) do update set public_name = excluded.public_name`
  yield* ask(set, source, publicName, now)
}

/** Also serves as the heartbeat of the process that works on the source. */
export function* writeState(
  source: string,
  state: SourceState,
  detail: string | null,
  eventsPerSecond: number,
  now: bigint,
): Steps<void> {
  const set = `insert into source (name, state, detail, rate, heard_at) values (?, ?, ?, ?, ?)
    on conflict (name) do update set state = excluded.state, detail = excluded.detail, rate = excluded.rate,
      heard_at = excluded.heard_at`
  yield* ask(set, source, state, detail, eventsPerSecond, now)
}

interface Count {
  readonly collection: string
  readonly outcome: string
  records: number
}

/** The source under which imported files are counted. */
export const importSource = 'import'

export class OutcomeCounts {
  readonly #counts = new Map<string, Count>()

  /** Counts a refused record under its reason. */
  add(change: Change, recordOutcome: RecordOutcome, records: number): void {
    if (records === 0) return
    const outcome =
      recordOutcome === 'rejected' && change.kind === 'reject' ? `refused ${change.reason}` : recordOutcome
    const collection = collectionOf(change)
    const key = `${collection}\0${outcome}`
    const known = this.#counts.get(key)
    if (known === undefined) this.#counts.set(key, { collection, outcome, records })
    else known.records += records
  }

  /** Runs within the batch's own transaction; also stores the progress of the source. */
  *saveMarked({ source, cursor, eventAt }: SourceMark, now: bigint): Steps<void> {
    const lag = eventAt === null ? null : Math.max(0, Number(now - eventAt) / 1e6)
    yield* ask(
      `insert into source (name, cursor, state, event_at, lag, rate, heard_at) values (?, ?, 'connecting', ?, ?, 0, ?)
       on conflict (name) do update set cursor = coalesce(excluded.cursor, source.cursor),
         event_at = coalesce(excluded.event_at, source.event_at), lag = coalesce(excluded.lag, source.lag),
         heard_at = excluded.heard_at`,
      source,
      cursor,
      eventAt,
      lag,
      now,
    )
    yield* this.save(source)
  }

  /** Runs within the batch's own transaction. */
  *save(source: string): Steps<void> {
    for (const { collection, outcome, records } of this.#counts.values())
      yield* addToOutcome(source, collection, outcome, records)
  }
}

export function* addToOutcome(
  ...counted: [source: string, collection: string, outcome: string, records: number]
) {
  const add = `insert into outcome (source, collection, outcome, records) values (?, ?, ?, ?)
    on conflict (source, collection, outcome) do update set records = outcome.records + excluded.records`
  yield* ask(add, ...counted)
}

/** Empty if the collection is unknown, or if the change concerns a whole account. */
function collectionOf(change: Change): string {
  if (change.kind === 'reject') return change.uri?.split('/')[3] ?? ''
  return change.kind === 'put' || change.kind === 'delete' ? change.collection : ''
}
