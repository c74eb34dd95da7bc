/** Builds the keys by which records are grouped, from the group fields that an argument names. */
import type { Table } from '../../../database/layout/tables.ts'
import { findArray, findColumn, findReference, findValue } from '../../../database/layout/tables.ts'
import {
  type CountLeaf,
  elementArray,
  leafProperties,
  leafType,
  type PropertyLeaf,
  storedName,
} from '../../../schema/model/leaves.ts'
import type { GroupField, PropertyField, WhereField } from '../../../schema/model/operators.ts'
import { objectWhereFields, recordWhereFields, targetOf } from '../../../schema/model/operators.ts'
import { type TimeBucket, utcBucket } from '../../../sql/time-buckets.ts'
import { findZone, nearestZones } from '../../../util/time/zone-rules.ts'
import { assertWithin } from '../../parse/limits.ts'
import { badInput } from '../../parse/prepare.ts'
import { type Input, referringCount } from '../build-operators.ts'
import { buildElementWhere } from '../build-where.ts'
import { all, type Path } from '../conditions.ts'
import { tableOf } from '../plan-facts.ts'
import type { PlanContext } from '../plan.ts'
import type { ElementFilter, ElementLeaf, GroupKey, Join, KeyLeaf } from './group-plan.ts'

/** The group fields of an argument, each of which may be named once. */
export function groupFieldsOf(
  name: string,
  given: unknown,
  limit: 'groupFields' | 'facetFields',
): readonly GroupField[] {
  const fields = (given ?? []) as readonly GroupField[]
  assertWithin(limit, fields.length, `\`${name}\` has too many fields`)
  const twice = fields.find((field, index) => fields.indexOf(field) !== index)
  if (twice !== undefined) throw badInput(`\`${name}\` names ${twice.name} twice. Name each field once.`)
  return fields
}

export function groupKey(
  context: Pick<PlanContext, 'model' | 'tables'> & { readonly time?: TimeFrame },
  table: Table,
  field: Omit<GroupField, 'leaf'> & { readonly leaf: GroupField['leaf'] | CountLeaf },
  interval: number | null = null,
): GroupKey {
  const { joins, leaf, bucket } = field
  const path: Join[] = []
  let holder = table
  for (const reference of joins) {
    const columns = findReference(holder, reference.path)
    const target = targetOf(reference, context.model)
    if (columns === undefined || target === null)
      throw new Error(`No way to join ${reference.collection}#${reference.path.join('.')}.`)
    holder = tableOf(context, target)
    path.push({ ...columns, table: holder })
  }
  return {
    joins: path,
    leaf: leaf.kind === 'count' ? referringCount(context, leaf.reference) : keyLeaf(holder, leaf),
    bucket: bucket === null ? null : { ...utcBucket(bucket), ...context.time },
    interval: isInteger(field) ? interval : null,
  }
}

/** The size of ranges from the argument `interval`; null without it. */
export function intervalOf(given: unknown, groupBy: readonly GroupField[]): number | null {
  if (given === undefined || given === null) return null
  const interval = given as number
  if (interval < 1)
    throw badInput(
      `\`interval: ${interval}\` makes no ranges. Write 1 or more, such as \`interval: 10\`, or leave it out.`,
    )
  if (!groupBy.some(isInteger))
    throw badInput(
      '`interval` makes ranges of integers, and `groupBy` names none. Name an integer field in `groupBy`, or leave `interval` out.',
    )
  return interval
}

/** Parts of time are integers, too. */
function isInteger({ leaf, bucket }: Pick<Parameters<typeof groupKey>[2], 'leaf' | 'bucket'>): boolean {
  return bucket === null ? leafType(leaf).kind === 'integer' : bucket === 'hourOfDay' || bucket === 'weekday'
}

function keyLeaf(table: Table, leaf: GroupField['leaf']): KeyLeaf {
  if (leaf.kind === 'system')
    return { kind: 'system', name: storedName(leaf.name as 'did' | 'collection' | 'indexedAt') }
  const path = leafProperties(leaf)
  const array = elementArray(leaf)
  if (array !== null) return elementLeaf(table, leaf, path.slice(0, array + 1), path.slice(array + 1))
  const reference = findReference(table, path)
  if (reference !== undefined) return { kind: 'reference', ...reference }
  const list = findArray(table, path, false)
  if (list !== undefined) return { kind: 'array', array: list }
  const column = findValue(table, path)
  if (column === undefined) throw new Error(`No column for ${path.join('.')} of ${table.name}.`)
  return { kind: 'column', column }
}

function elementLeaf(table: Table, { field }: PropertyLeaf, array: Path, path: Path): ElementLeaf {
  const { kind } = field.type
  const as = kind === 'integer' || kind === 'boolean' ? kind : kind === 'datetime' ? 'instant' : 'text'
  const names = findColumn(table, [...array, ...path], 'names') ?? null
  const inside = kind === 'strongRef' ? [...path, 'uri'] : path
  return { kind: 'element', array, path: inside, as, names }
}

export type TimeFrame = Pick<TimeBucket, 'weekStart' | 'zone'>

export function buildTimeFrame({ timeZone, weekStart }: Input): TimeFrame {
  return {
    weekStart: (weekStart ?? 0) as number,
    zone: typeof timeZone === 'string' ? zoneNamed(timeZone) : null,
  }
}

function zoneNamed(name: string): TimeFrame['zone'] {
  const zone = findZone(name)
  if (zone !== null) return zone
  const near = nearestZones(name.slice(0, 100))
  const guess = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
  throw badInput(
    `\`timeZone\` names no time zone: "${name.slice(0, 100)}".${guess} Write a name of the IANA time zone database, such as "Europe/Berlin".`,
  )
}

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
