/** The stored columns that an expression reads of a record's row, so that subqueries carry only these. */
import type { Column, Table } from '../../database/layout/tables.ts'
import type { SystemField } from '../../schema/model/model.ts'
import { isConstant, referenceOperand, storyAt } from '../plan/plan-facts.ts'
import type { Fields } from '../plan/fields.ts'
import type { Output, SortKey } from '../plan/plan.ts'
import type { ReferenceOperand } from '../plan/conditions.ts'

/** Columns of the selected fields of a record, or of an object inside one. */
export function columnsOfFields(table: Table, fields: Fields<Output>): readonly string[] {
  return fields.flatMap(({ output }) => (isConstant(output) ? [] : columnsOfOutput(table, output)))
}

/** Columns of an order; cursors consist of the same values. */
export function columnsOfSort(sort: readonly SortKey[]): readonly string[] {
  return sort.flatMap(({ value }) => {
    switch (value.kind) {
      case 'column':
        return stored(value.column)
      case 'uriText':
        return [...stored(value.base), ...stored(value.key)]
      case 'system':
        return [value.name === 'baseUri' ? 'base' : value.name]
      case 'count':
        return ['base', 'rkey']
      case 'relevance':
        return []
    }
  })
}

/** A virtual column is an expression on the record. */
function stored({ name, virtual }: Column): readonly string[] {
  return [virtual ? 'record' : name]
}

function columnsOfOutput(table: Table, output: Output): readonly string[] {
  switch (output.kind) {
    case 'system':
      return systemColumns[output.name]
    case 'object':
      return ['record', ...columnsOfFields(table, output.fields)]
    case 'union':
      return [
        'record',
        ...[...output.cases.map(({ fields }) => fields), output.otherwise ?? []].flatMap((fields) =>
          columnsOfFields(table, fields),
        ),
      ]
    case 'json': {
      const story = storyAt(table, output.path)
      return story === null ? ['record'] : columnsOfReference(story)
    }
    case 'resolved':
      return columnsOfReference(referenceOperand(table, output.path, output.from))
    case 'list':
      return ['base', 'rkey']
  }
  return ['record']
}

const systemColumns: Readonly<Record<SystemField, readonly string[]>> = {
  uri: ['base', 'rkey'],
  cid: ['cid'],
  rev: ['rev'],
  did: ['did'],
  actorHandle: ['did'],
  rkey: ['rkey'],
  collection: [],
  indexedAt: ['indexed_at'],
  changedAt: ['changed_at'],
  recordJson: ['record'],
}

function columnsOfReference(of: ReferenceOperand): readonly string[] {
  return of.kind === 'json' ? ['record'] : [...stored(of.base), ...stored(of.key)]
}
