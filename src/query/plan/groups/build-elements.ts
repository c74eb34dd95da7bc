/**
 * Finds the conditions of a `where` that restrict which elements of arrays are grouped and measured: those in `some` of
 * the record's own arrays of objects, at the top level or in an AND there.
 */
import type { Table } from '../../../database/layout/tables.ts'
import { objectWhereFields, recordWhereFields, type WhereField } from '../../../schema/model/operators.ts'
import type { Input } from '../build-operators.ts'
import { buildElementWhere } from '../build-where.ts'
import { all, type Path } from '../conditions.ts'
import type { PlanContext } from '../plan.ts'
import type { ElementFilter, GroupKey } from './group-plan.ts'

type PropertyField = Extract<WhereField, { kind: 'property' }>

/** A `some` and the array that it is about. */
interface Some {
  readonly field: PropertyField
  readonly array: Path
  readonly some: Input
}

/** The filters of the arrays through which keys or measures lead; `where` has been found valid. */
export function buildElements(
  context: PlanContext,
  { collection }: Table,
  where: unknown,
  keys: readonly GroupKey[],
): readonly ElementFilter[] {
  const arrays = new Map(
    keys.flatMap(({ joins, leaf }) =>
      leaf.kind === 'element' && joins.length === 0 ? [[leaf.array.join('.'), leaf.array] as const] : [],
    ),
  )
  if (arrays.size === 0) return []
  const found = somesOf(recordWhereFields(collection), (where ?? {}) as Input, [])
  return Array.from(arrays.values()).flatMap((array) => {
    const own = found.filter((each) => each.array.join('.') === array.join('.'))
    if (own.length === 0) return []
    const parts = own.map(({ field, some }) => buildElementWhere(context, field, some))
    return [{ array, where: all(parts) }]
  })
}

function somesOf(fields: readonly WhereField[], input: Input, path: Path): readonly Some[] {
  return Object.entries(input).flatMap(([name, value]): readonly Some[] => {
    if (name === 'AND') return (value as readonly Input[]).flatMap((each) => somesOf(fields, each, path))
    const field = fields.find((each) => each.name === name)
    if (field?.kind !== 'property') return []
    const { type, property } = field.field
    const here = [...path, property]
    if (type.kind === 'object')
      return somesOf(objectWhereFields(type.type, field.inside), value as Input, here)
    if (type.kind !== 'array' || type.of.kind !== 'object') return []
    const { some } = value as Input
    return some === undefined ? [] : [{ field, array: here, some: some as Input }]
  })
}
