/** The context of emitting SQL, and what a row holds: columns, JSON, its URI and URIs it refers to. */
import type { PlanState } from '../../database/database.ts'
import type { Column, Table } from '../../database/layout/tables.ts'
import type { Dialect, OpaqueTerms, OptimizerHints } from '../../sql/dialect.ts'
import { identifier, raw, type Sql, sql } from '../../sql/sql.ts'
import type { OrderedRows, PhysicalList } from '../plan/physical-plan.ts'
import type { Operand, ReferenceOperand, ReferringCount } from '../plan/conditions.ts'

/** A common table expression. */
export interface Step {
  readonly name: Sql
  readonly query: Sql
  /** Whether its rows are stored; otherwise the engine reads them where the step is named. */
  readonly isStored: boolean
  /** Equal for queries that differ in aliases and values alone. */
  readonly shape?: string
}

export interface Emitter {
  readonly dialect: Dialect
  readonly state: PlanState
  /** The tables of all collections. */
  readonly tables: readonly Table[]
  /** Emits a list below a record. It is passed in because records and lists contain each other. */
  readonly list: (emitter: Emitter, list: PhysicalList, parent: RecordRow) => Sql
  /** Emits the rows of a list in order, of which those by relevance and distinct ones consist. */
  readonly inOrder: EmitRows
  /** Those of the statement so far; within `inSteps`, those of the value. */
  readonly steps: Step[]
  /** Adds a step for a query that names no row around these, and returns its name. */
  step(query: Sql, isStored?: boolean): Sql
  /** An alias that is unique in the statement. */
  alias(): Sql
  /** The visible rows of a table under an alias; scanned by `index`, or (null) in id order, if it is given. */
  rows(table: Table, alias: Sql, index?: string | null): Sql
}

export type EmitRows = (emitter: Emitter, rows: OrderedRows, parent: Parent, selection: SelectedValues) => Sql

export interface SelectedValues {
  /** The expressions to select of a row. */
  value(row: RecordRow): Sql
  /** The expressions to select of all rows with equal keys together, if the order keeps such rows adjacent. */
  tied?(row: RecordRow): Sql
  /** Whether values, which have the columns of the order, are computed before rows are sorted: they are narrower. */
  readonly isComputedFirst?: boolean
  /** A condition that the rows must not meet; of rows in id order, sorted rows and rows along a path. */
  except?(row: RecordRow): Sql
}

/** A record by the alias of its table, or a JSON object inside one. */
export type Row =
  | {
      readonly kind: 'record'
      readonly alias: Sql
      readonly table: Table
      /** In a statement of stages: the `from` clause that yields this row and all others that it stands for. */
      readonly from?: Sql
      /** In the stage of a list: the row of `shards` in which the list's rows lie. */
      readonly shard?: Sql
      /** Collects joins to add to the clause in which this row is printed. */
      readonly joins?: Sql[]
      /** In a list by relevance: the score, and the statistics for cursors as text. */
      readonly ranked?: Ranked
      /** How many records refer to it by links, if the row has been found or sorted by these numbers. */
      readonly counted?: readonly { readonly of: ReferringCount; readonly n: Sql }[]
    }
  | { readonly kind: 'json'; readonly value: Sql; readonly from?: Sql }

export interface Ranked {
  readonly score: Sql
  readonly statistics: Sql
}

export type RecordRow = Extract<Row, { kind: 'record' }>

/** The row to which the link of a list refers; null if the list has no link. */
export type Parent = RecordRow | null

/** A record of a table under a new alias. */
export function newRow(emitter: Emitter, table: Table): RecordRow {
  return { kind: 'record', alias: emitter.alias(), table }
}

export function createEmitter(
  { dialect, state, tables }: Pick<Emitter, 'dialect' | 'state' | 'tables'>,
  { list, inOrder }: Pick<Emitter, 'list' | 'inOrder'> = { list: none, inOrder: none },
): Emitter {
  let aliases = 0
  return {
    dialect,
    state,
    tables,
    list,
    inOrder,
    steps: [],
    step: none,
    alias: () => {
      aliases += 1
      return raw(`t${aliases}`)
    },
    rows: (table, alias, index) => {
      const along = index === undefined ? sql`` : dialect.scan(index)
      const name = identifier(table.name)
      if (!state.hiding) return sql`${name} ${alias}${along}`
      // The engine flattens this subquery into the outer query, so that indexes and orders stay usable.
      return sql`(select * from ${name}${along} where base not in (select base from hidden)) ${alias}`
    },
  }
}

function none(): never {
  throw new Error('A probe has no lists and no steps.')
}

/** For plans that only an engine with hints can run. */
export function hintsOf({ plannerControl }: Dialect): OptimizerHints {
  if (plannerControl.kind !== 'hints') throw new Error('The plan is for an engine with optimizer hints.')
  return plannerControl
}

/** For plans that only an engine without hints can run. */
export function opaqueTermsOf({ plannerControl }: Dialect): OpaqueTerms {
  if (plannerControl.kind !== 'opaque') throw new Error('The plan is for an engine without optimizer hints.')
  return plannerControl
}

export function recordOf(row: Row | null): RecordRow {
  if (row?.kind !== 'record') throw new Error('Only records are referred to.')
  return row
}

export function columnOf({ dialect }: Emitter, alias: Sql, { name, path, virtual }: Column): Sql {
  return virtual ? dialect.virtualText(alias, name, path) : sql`${alias}.${identifier(name)}`
}

export function isVirtual(operand: Operand | ReferringCount): boolean {
  return operand.kind === 'column' && operand.column.virtual
}

export function jsonOf(row: Row): Sql {
  return row.kind === 'record' ? sql`${row.alias}.record` : row.value
}

/** The URI of a record: its repo collection followed by its key. */
export function uriText(base: Sql, key: Sql): Sql {
  return sql`((select uri from base where id = ${base}) || ${key})`
}

export function operandOf(emitter: Emitter, operand: Operand, row: Row): Sql {
  const { dialect } = emitter
  if (operand.kind === 'json') return scalarOf(emitter, jsonOf(row), operand.path, operand.as)
  if (row.kind !== 'record') throw new Error('An array element has no columns.')
  if (operand.kind === 'column') return columnOf(emitter, row.alias, operand.column)
  switch (operand.name) {
    case 'uri':
      return dialect.uri(row.alias, row.table.collection.nsid)
    case 'cid':
      return dialect.cidText(sql`${row.alias}.cid`)
    case 'did':
      return dialect.did(row.alias)
    case 'collection': {
      const name = dialect.constant(row.table.collection.nsid)
      // Like a condition that never holds, one on a constant is simplified (emit-staged-filter.ts).
      return dialect.isSpread ? sql`case when ${row.alias}.base > 0 then ${name} end` : name
    }
    case 'rev':
    case 'rkey':
    case 'indexed_at':
    case 'changed_at':
      return sql`${row.alias}.${identifier(operand.name)}`
  }
}

export function foldedOf(emitter: Emitter, operand: Operand, row: Row): Sql {
  if (operand.kind === 'column' && row.kind === 'record') {
    const index = row.table.texts.find(({ text }) => text === operand.column)
    if (index !== undefined)
      return emitter.dialect.foldedColumn(
        columnOf(emitter, row.alias, index.text),
        columnOf(emitter, row.alias, index.folded),
      )
  }
  const text = operandOf(emitter, operand, row)
  // URIs, DIDs, record keys, CIDs and revisions are ASCII by their specifications.
  return operand.kind === 'system' ? emitter.dialect.lower(text) : emitter.dialect.fold(text)
}

export function scalarOf(
  { dialect }: Emitter,
  json: Sql,
  path: readonly string[],
  as: Extract<Operand, { kind: 'json' }>['as'],
): Sql {
  return as === 'instant' ? sql`instant(${dialect.scalarAt(json, path)})` : dialect.scalarAt(json, path, as)
}

/** Null if the reference is missing. With columns, the repo collection id alone tells whether it is missing. */
export function referenceUri(emitter: Emitter, of: ReferenceOperand, row: Row): Sql {
  const { dialect } = emitter
  if (of.kind === 'columns' && row.kind === 'record') return columnOf(emitter, row.alias, of.base)
  return dialect.scalarAt(jsonOf(row), of.shape === 'strongRef' ? [...of.path, 'uri'] : of.path)
}

export function pinnedCid({ dialect }: Emitter, of: ReferenceOperand, row: Row): Sql {
  return dialect.scalarAt(jsonOf(row), [...of.path, 'cid'])
}

/** The two parts by which a record is found: the id of its repo collection, and its key. */
export interface UriParts {
  readonly base: Sql
  readonly key: Sql
  /** In a statement of stages: the `from` clause of the rows that have such URIs. */
  readonly from?: Sql | undefined
  readonly joins?: Sql[] | undefined
}

/** The URI of a reference in the two parts by which records are found. */
export function referenceParts(emitter: Emitter, of: ReferenceOperand, row: Row): UriParts {
  const parts =
    of.kind === 'columns' && row.kind === 'record'
      ? { base: columnOf(emitter, row.alias, of.base), key: columnOf(emitter, row.alias, of.key) }
      : partsOfUri(emitter, referenceUri(emitter, of, row))
  return { ...parts, from: row.from, joins: row.kind === 'record' ? row.joins : undefined }
}

/** A URI in the same two parts. */
export function partsOfUri({ dialect }: Emitter, uri: Sql): UriParts {
  return {
    base: sql`(select id from base where uri = ${dialect.repoCollectionOfUri(uri)})`,
    key: dialect.uriKey(uri),
  }
}
