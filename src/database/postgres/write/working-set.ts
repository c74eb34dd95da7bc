/**
 * The records and accounts that a run of changes needs, read with a few statements before decisions are made, and the
 * decisions themselves: later changes of a run see earlier ones.
 */
import type { Change, Rejection } from '../../changes.ts'
import {
  accountOf,
  repoCollectionUri,
  unknownAccount,
  type RecordSlot,
  type RecordName,
  recordNameOf,
  type AccountStatus,
  uriOf,
  type WriteContext,
} from '../../write/decide.ts'
import type { MonotonicClock } from '../../write/monotonic-clock.ts'
import { findRepoCollections } from './repo-collections.ts'
import { PostgresRecordSlot, type Expired } from './record-slot.ts'
import { RejectionChanges } from './rejection-changes.ts'
import { type FoundRow, jsonKeys, type RowKey, type TableWriter } from './table-writer.ts'
import type { Transaction } from './transactions.ts'

/** Changes of one record each. */
export type RecordChange = Extract<Change, { kind: 'put' | 'delete' | 'reject' }>

/** A record that the run needs. */
interface Asked {
  readonly name: RecordName
  readonly baseUri: string
  readonly table: TableWriter
  readonly accountStatus: AccountStatus
  /** The record must not be visible. */
  readonly withheld: boolean
}

export interface WorkingSetGiven {
  readonly transaction: Transaction
  readonly tables: ReadonlyMap<string, TableWriter>
  readonly clock: MonotonicClock
  /** Assumes that the tables lack these records; the writer notices if that is wrong. */
  readonly blind: boolean
  readonly oldestRetained: WriteContext['oldestRetained']
  /** Moves rows of accounts whose status has changed to where they belong. */
  readonly move: (asked: MoveAsked) => Promise<void>
}

/** Rows of one table that are about to be written. */
export interface MoveAsked {
  readonly table: TableWriter
  /** Rows to be moved into quarantine. */
  readonly quarantine: readonly FoundRow[]
  /** Rows to be brought back if they are quarantined. */
  readonly bringBack: readonly (RowKey & { readonly did: string })[]
}

export class WorkingSet implements WriteContext {
  readonly rejections = new RejectionChanges()
  readonly newActors = new Set<string>()
  readonly #given: WorkingSetGiven
  readonly #cells = new Map<string, PostgresRecordSlot>()

  constructor(given: WorkingSetGiven) {
    this.#given = given
  }

  get cells(): Iterable<PostgresRecordSlot> {
    return this.#cells.values()
  }

  readonly serves = (collection: string): boolean => this.#given.tables.has(collection)

  readonly accountStatus = (did: string): AccountStatus =>
    this.#given.transaction.accountStatuses.get(did) ?? unknownAccount

  readonly enter = (did: string): AccountStatus => {
    const { accountStatuses } = this.#given.transaction
    const known = accountStatuses.get(did) ?? null
    if (known !== null) return known
    accountStatuses.set(did, unknownAccount)
    this.newActors.add(did)
    return unknownAccount
  }

  readonly slot = ({ did, collection, rkey }: RecordName): RecordSlot => {
    const slot = this.#cells.get(repoCollectionUri({ did, collection }) + rkey)
    if (slot === undefined) throw new Error(`Nothing was read of ${did}/${collection}/${rkey}.`)
    return slot
  }

  readonly clearRejection = (uri: string, rev: string | null): void => {
    if (this.#given.transaction.has.rejections || !this.rejections.isEmpty)
      this.rejections.clearRejection(uri, rev)
  }

  readonly keep = (rejection: Rejection, seenAt: bigint): void => this.rejections.keep(rejection, seenAt)

  readonly isPurged = (did: string, uri: string): boolean => {
    const { purged } = this.#given.transaction
    return purged.has(did) || purged.has(uri)
  }

  readonly oldestRetained = (collection: string): bigint | null => this.#given.oldestRetained(collection)

  readonly nextInstant = (): bigint => this.#given.clock.next()

  /** Reads everything that decisions about these changes need. */
  async read(changes: readonly RecordChange[]): Promise<void> {
    const { transaction, tables } = this.#given
    const names = changes.map((change) => (change.kind === 'reject' ? recordNameOf(change.uri) : change))
    await findAccountStatuses(
      transaction,
      names.flatMap((name) => (name === null ? [] : [name.did])),
    )
    await findHidden(
      transaction,
      changes.flatMap((change) => {
        const uri = change.kind === 'reject' ? change.uri : uriOf(change)
        return uri === null ? [] : [accountOf(uri), uri]
      }),
    )
    const asked = new Map<string, Asked>()
    const bases: string[] = []
    for (const [index, change] of changes.entries()) {
      const name = names[index]
      // A rejection without a known revision affects no record.
      if (
        name == null ||
        (change.kind === 'reject' && (change.rev === undefined || !this.serves(name.collection)))
      )
        continue
      const table = tables.get(name.collection)
      if (table === undefined) throw new Error(`No table for collection ${name.collection}.`)
      const accountStatus = this.accountStatus(name.did)
      if (accountStatus.status === 'deleted') continue
      const baseUri = repoCollectionUri(name)
      const uri = baseUri + name.rkey
      if (this.isPurged(name.did, uri)) continue
      const withheld =
        accountStatus.status !== null || transaction.hidden.has(name.did) || transaction.hidden.has(uri)
      asked.set(uri, { name, baseUri, table, accountStatus, withheld })
      bases.push(baseUri)
      if (change.kind === 'put') bases.push(...table.referredRepoCollections(change))
    }
    await findRepoCollections(transaction, bases)
    const found = await this.#findRows([...asked.values()])
    const tombstones = await this.#findTombstones([...asked.values()])
    const expired = await this.#findExpired([...asked.values()])
    for (const [uri, { name, baseUri, table, withheld }] of asked)
      this.#cells.set(
        uri,
        new PostgresRecordSlot({
          name,
          baseUri,
          table,
          quarantined: withheld,
          found: found.get(uri),
          tombstone: tombstones.get(uri) ?? null,
          expired: expired.get(uri) ?? null,
        }),
      )
  }

  async #findRows(asked: readonly Asked[]): Promise<ReadonlyMap<string, FoundRow>> {
    const { transaction, move } = this.#given
    const blind = this.#given.blind && asked.every(({ accountStatus }) => accountStatus.move === null)
    const found = new Map<string, FoundRow>()
    const hidden = asked.filter(({ withheld }) => withheld)
    for (const [table, its] of blind ? [] : byTable(asked)) {
      let rows = await this.#findKeys(its, (keys) => table.find(transaction, keys))
      const moving = its.filter(({ accountStatus }) => accountStatus.move !== null)
      if (moving.length > 0) {
        await move({
          table,
          quarantine: moving.flatMap((one) => (one.withheld ? (rows.get(uriOf(one.name)) ?? []) : [])),
          bringBack: this.#keysOf(moving.filter(({ withheld }) => !withheld)),
        })
        rows = await this.#findKeys(its, (keys) => table.find(transaction, keys))
      }
      for (const [uri, row] of rows) found.set(uri, row)
    }
    const quarantined = await this.#findKeys(hidden, (keys) =>
      transaction.query<FoundRow>(
        `select base, rkey, parked.id, cid, rev from json_to_recordset($1) as given (base bigint, rkey text)
         join parked using (base, rkey)`,
        jsonKeys(keys),
      ),
    )
    for (const [uri, row] of quarantined) found.set(uri, row)
    return found
  }

  async #findTombstones(asked: readonly Asked[]): Promise<ReadonlyMap<string, string>> {
    const { transaction } = this.#given
    if (!transaction.has.tombstones) return new Map()
    const found = await this.#findKeys(asked, (keys) =>
      transaction.query<RowKey & { readonly rev: string }>(
        `select base, rkey, rev from json_to_recordset($1) as given (base bigint, rkey text)
         join tombstone using (base, rkey)`,
        jsonKeys(keys),
      ),
    )
    return new Map([...found].map(([uri, { rev }]) => [uri, rev]))
  }

  async #findExpired(asked: readonly Asked[]): Promise<ReadonlyMap<string, Expired>> {
    const { transaction } = this.#given
    if (!transaction.has.expired) return new Map()
    return this.#findKeys(asked, (keys) =>
      transaction.query<RowKey & Expired>(
        `select base, rkey, rev, indexed_at as "indexedAt"
         from json_to_recordset($1) as given (base bigint, rkey text) join expired using (base, rkey)`,
        jsonKeys(keys),
      ),
    )
  }

  /** Returns rows by URI. */
  async #findKeys<Row extends RowKey>(
    asked: readonly Asked[],
    find: (keys: readonly RowKey[]) => Promise<readonly Row[]>,
  ): Promise<Map<string, Row>> {
    const keys = this.#keysOf(asked)
    if (keys.length === 0) return new Map()
    const uris = new Map(keys.map((key) => [key.base, key.baseUri]))
    const rows = await find(keys)
    return new Map(rows.map((row) => [`${uris.get(row.base)}${row.rkey}`, row]))
  }

  /** Skips records of unknown repository collections, which have no rows. */
  #keysOf(asked: readonly Asked[]): (RowKey & { readonly baseUri: string; readonly did: string })[] {
    return asked.flatMap(({ name: { did, rkey }, baseUri }) => {
      const base = this.#given.transaction.bases.get(baseUri)
      return base === undefined ? [] : [{ base, baseUri, did, rkey }]
    })
  }
}

/** Adds stored statuses of accounts to `accountStatuses`, and null for unknown accounts. */
export async function findAccountStatuses(
  { accountStatuses, query }: Transaction,
  dids: Iterable<string>,
): Promise<void> {
  const unknown = [...new Set(dids)].filter((did) => !accountStatuses.has(did))
  if (unknown.length === 0) return
  for (const did of unknown) accountStatuses.set(did, null)
  const found = await query<AccountStatus & { readonly did: string }>(
    'select did, status, floor, move from actor where did = any($1)',
    unknown,
  )
  for (const { did, ...accountStatus } of found) accountStatuses.set(did, accountStatus)
}

/** Adds those of the DIDs and URIs that operators hid to `hidden` and `purged`. */
async function findHidden(
  { hidden, purged, has, query }: Transaction,
  subjects: Iterable<string>,
): Promise<void> {
  const asked = has.hidings ? [...new Set(subjects)] : []
  if (asked.length === 0) return
  const found = await query<{ readonly subject: string; readonly purged: boolean }>(
    `select h.subject, p.subject is not null as purged
     from hiding h left join purge p using (subject, hidden_at) where h.shown_at is null and h.subject = any($1)`,
    asked,
  )
  for (const { subject, purged: isPurged } of found) {
    hidden.add(subject)
    if (isPurged) purged.add(subject)
  }
}

function byTable(asked: readonly Asked[]): Map<TableWriter, Asked[]> {
  return Map.groupBy(asked, ({ table }) => table)
}
