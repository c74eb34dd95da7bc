/** Builds outputs from selections of records and objects: the path in a row of each value of the response. */
import type { GraphQLObjectType, SelectionSetNode } from 'graphql'
import { isObjectType } from 'graphql/type'
import type { Table } from '../../database/layout/tables.ts'
import type { Field, FieldType, UnionType } from '../../schema/model/model.ts'
import { buildList } from './build-list.ts'
import { linkOf } from './conditions.ts'
import { type Collected, collectFields } from '../parse/collect.ts'
import { type PlanContext, tableOf } from './context.ts'
import type { Output, RecordSelections, ReferenceShape, Selected } from './plan.ts'

type Sets = readonly SelectionSetNode[]

/** The selected fields of a record of the table. */
export function buildRecord(context: PlanContext, table: Table, sets: Sets): readonly Selected[] {
  return buildFields(context, objectNamed(context, table.collection.typeName), sets, [])
}

/** The selected fields of a record of each collection, for a reference that may lead to any of them. */
export function buildRecords(context: PlanContext, sets: Sets): RecordSelections {
  return context.tables.map((table) => ({ table, fields: buildRecord(context, table, sets) }))
}

/** Fields of an object type whose value is at `path` of the row. */
function buildFields(
  context: PlanContext,
  type: GraphQLObjectType,
  sets: Sets,
  path: readonly string[],
): readonly Selected[] {
  return collectFields(context.selection, type, sets).map((collected) => ({
    key: collected.key,
    output: fieldOutput(context, type, collected, path),
  }))
}

function fieldOutput(
  context: PlanContext,
  type: GraphQLObjectType,
  collected: Collected,
  path: readonly string[],
): Output {
  const { name, field, selections } = collected
  if (name === '__typename') return { kind: 'constant', json: JSON.stringify(type.name) }
  const role = field?.extensions.role
  switch (role?.kind) {
    case 'system':
      return { kind: 'system', name: role.name }
    case 'property':
      return valueOutput(context, role.field.type, [...path, role.field.property], selections)
    case 'resolved':
      return resolvedOutput(context, role.field, [...path, role.field.property], selections)
    case 'reverse': {
      const table = tableOf(context, role.collection)
      return { kind: 'list', list: buildList(context, collected, table, linkOf(table, role.reference), name) }
    }
    case undefined:
      return ownOutput(context, type, name, path, selections)
    case 'connection':
    case 'aggregate':
    case 'byUri':
    case 'node':
    case 'nodes':
    case 'status':
    case 'group':
    case 'groupResolved':
      throw new Error(`The field ${type.name}.${name} reads a ${role.kind}.`)
  }
}

/** Fields of the types that every schema has. */
function ownOutput(
  context: PlanContext,
  type: GraphQLObjectType,
  name: string,
  path: readonly string[],
  sets: Sets,
): Output {
  if (name === 'isCurrent') return { kind: 'isCurrent', path }
  if (name === 'uriResolved')
    return { kind: 'resolved', path, from: 'strongRef', records: buildRecords(context, sets) }
  if (name === '_empty') return { kind: 'constant', json: 'null' }
  if (type.name === 'Blob') return { kind: 'blobField', path, name: name as 'ref' | 'mimeType' | 'size' }
  if (type.name === 'UnknownObject')
    return name === 'type' ? { kind: 'json', path: [...path, '$type'] } : { kind: 'anyJson', path }
  return { kind: 'json', path: [...path, name] }
}

function valueOutput(context: PlanContext, type: FieldType, path: readonly string[], sets: Sets): Output {
  switch (type.kind) {
    case 'bytes':
      return { kind: 'wrapped', path, key: '$bytes' }
    case 'cidLink':
      return { kind: 'wrapped', path, key: '$link' }
    case 'blob':
      return { kind: 'object', path, fields: buildFields(context, objectNamed(context, 'Blob'), sets, path) }
    case 'strongRef': {
      const strongRef = objectNamed(context, 'ComAtprotoRepoStrongRef')
      return { kind: 'object', path, fields: buildFields(context, strongRef, sets, path) }
    }
    case 'object':
      return {
        kind: 'object',
        path,
        fields: buildFields(context, objectNamed(context, type.type.name), sets, path),
      }
    case 'union':
      return unionOutput(context, type.type, path, sets)
    case 'unknown':
      return { kind: 'anyJson', path }
    case 'array':
      if (type.of.kind === 'unknown') return { kind: 'anyJson', path }
      return isPlain(type.of)
        ? { kind: 'json', path }
        : { kind: 'array', path, element: valueOutput(context, type.of, [], sets) }
    case 'string':
    case 'datetime':
    case 'integer':
    case 'boolean':
    case 'atUri':
      return { kind: 'json', path }
  }
}

/** Arrays of these kinds are printed exactly as the record holds them. */
function isPlain({ kind }: FieldType): boolean {
  return !['bytes', 'cidLink', 'blob', 'strongRef', 'object', 'union', 'array'].includes(kind)
}

function unionOutput(context: PlanContext, type: UnionType, path: readonly string[], sets: Sets): Output {
  if (type.members.length === 0 && type.closed) return { kind: 'anyJson', path }
  const otherwise = type.closed
    ? null
    : buildFields(context, objectNamed(context, 'UnknownObject'), sets, path)
  if (type.members.length === 0) return { kind: 'object', path, fields: otherwise ?? [] }
  const cases = type.members.map((member) => {
    const name = member.type === 'strongRef' ? 'ComAtprotoRepoStrongRef' : member.type.name
    return { origin: member.origin, fields: buildFields(context, objectNamed(context, name), sets, path) }
  })
  return { kind: 'union', path, cases, otherwise }
}

function resolvedOutput(context: PlanContext, { type }: Field, path: readonly string[], sets: Sets): Output {
  const records = buildRecords(context, sets)
  if (type.kind !== 'array') return { kind: 'resolved', path, from: shapeOf(type), records }
  return { kind: 'array', path, element: { kind: 'resolved', path: [], from: shapeOf(type.of), records } }
}

function shapeOf({ kind }: FieldType): ReferenceShape {
  return kind === 'strongRef' ? 'strongRef' : 'text'
}

function objectNamed({ selection }: PlanContext, name: string): GraphQLObjectType {
  const type = selection.schema.getType(name)
  if (!isObjectType(type)) throw new Error(`The schema has no object type ${name}.`)
  return type
}
