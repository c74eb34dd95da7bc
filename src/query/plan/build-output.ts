/** Builds outputs from selections of records, objects and lists: the path in a row of each value of the response. */
import type { GraphQLObjectType, SelectionSetNode } from 'graphql'
import { isObjectType } from 'graphql/type'
import type { Table } from '../../database/layout/tables.ts'
import type { Field, FieldType, SearchField, UnionType } from '../../schema/model/model.ts'
import { constantOutput, fieldsBelow, namedBelow } from './build-fields.ts'
import { buildMergedPage, buildPage } from './build-page.ts'
import { buildSearch, type ListSearch, readSearch, searchCondition } from './build-search.ts'
import { buildWhere } from './build-where.ts'
import { linkOf } from './build-operators.ts'
import { argumentsOf, badInput, type Collected, collectFields, integerArgument } from '../parse/prepare.ts'
import type { Constant, Fields } from './fields.ts'
import type { EdgeOutput, ListOutput, ListPlan, Output, PlanContext, RecordSelections } from './plan.ts'
import {
  alwaysTrue,
  type Condition,
  isNothing,
  type Link,
  type Path,
  type ReferenceShape,
} from './conditions.ts'
import { tableOf } from './plan-facts.ts'
import { buildFacets } from '../outputs/facets.ts'
import { buildMissingWords } from '../outputs/missing-words.ts'

type Sets = readonly SelectionSetNode[]

const strongRefName = 'ComAtprotoRepoStrongRef'

export function buildRecord(context: PlanContext, table: Table, sets: Sets): Fields<Output> {
  return buildFields(context, table.collection.typeName, sets, [])
}

/** The selected fields of a record of each collection, for a reference that may lead to any of them. */
export function buildRecords(context: PlanContext, sets: Sets): RecordSelections {
  return context.counts.withinReference(() =>
    context.tables.map((table) => ({ table, fields: buildRecord(context, table, sets) })),
  )
}

/** A list field; `link` is how its records refer to the outer row. */
export function buildList(
  context: PlanContext,
  collected: Collected,
  table: Table,
  link: Link | null,
): ListPlan {
  const { where: conditions, search: words, ...page } = argumentsOf(context.selection, collected)
  const search = buildSearch(table, words)
  const conditionOf = (given: unknown): Condition => buildWhere(context, table, given, search)
  const where = conditionOf(conditions)
  const order = buildPage(context, table, collected.name, search, page)
  const faceted = { table, where, conditions, conditionOf }
  return {
    table,
    link,
    where,
    ...order,
    fields: fieldsBelow(context, collected, (below) => {
      if (below.name === 'facets' && order.distinct.length > 0)
        throw badInput(
          '`facets` count all records that match, of which `distinctOn` leaves some out. Select them of the same list without `distinctOn`, under an alias.',
        )
      if (below.name === 'facets') return { kind: 'facets', facets: buildFacets(context, below, faceted) }
      if (below.name === 'didYouMean' && table.words !== null)
        return buildMissingWords(context, below, search?.parsed ?? null, [table.words])
      return listOutput(context, below, table, search)
    }),
  }
}

/** What each collection adds to a merged list: none if nothing in it can match, unless that holds for all. */
export function buildMergedLists(context: PlanContext, collected: Collected): readonly ListPlan[] {
  const { text, ...page } = argumentsOf(context.selection, collected)
  const searched = context.tables.flatMap((table) =>
    table.words === null ? [] : [{ table, index: table.words }],
  )
  const indexes = searched.map(({ index }) => index)
  const search = readSearch(
    'text',
    String(text),
    indexes.flatMap(({ fields }) => fields),
  )
  const lists = searched.map(
    ({ table, index }): ListPlan => ({
      table,
      link: null,
      where: search === null ? alwaysTrue : searchCondition(search, index, null),
      ...buildMergedPage(context, table, collected.name, page),
      fields: fieldsBelow(context, collected, (below) =>
        below.name === 'didYouMean'
          ? buildMissingWords(context, below, search, indexes)
          : listOutput(context, below, table, null),
      ),
    }),
  )
  const possible = lists.filter(({ where }) => !isNothing(where))
  return possible.length > 0 ? possible : lists.slice(0, 1)
}

function listOutput(
  context: PlanContext,
  below: Collected,
  table: Table,
  search: ListSearch | null,
): ListOutput {
  const { name, selections } = below
  if (name === 'nodes') return { kind: 'nodes', fields: buildRecord(context, table, selections) }
  if (name === 'edges')
    return {
      kind: 'edges',
      fields: fieldsBelow(context, below, (inner): EdgeOutput => {
        if (inner.name === 'cursor' || inner.name === 'score') return { kind: inner.name }
        if (inner.name === 'snippet') return buildSnippet(context, inner, table, search)
        return { kind: 'node', fields: buildRecord(context, table, inner.selections) }
      }),
    }
  if (name === 'pageInfo') return { kind: 'pageInfo', fields: namedBelow(context, below) }
  return { kind: name === 'ranked' ? 'ranked' : 'totalCount' }
}

/** The words to show are those that the search wants in this field. */
function buildSnippet(
  context: PlanContext,
  collected: Collected,
  { words: index }: Table,
  search: ListSearch | null,
): EdgeOutput {
  const { field, words } = argumentsOf(context.selection, collected)
  const { name, path, isLong } = field as SearchField
  const position = index?.fields.findIndex((each) => each.name === name) ?? -1
  const length = integerArgument('words', words, longestSnippet, usualSnippet, 1)
  const fields = fieldsBelow(context, collected, (below) =>
    below.name === 'text'
      ? { kind: 'text' as const }
      : { kind: 'ranges' as const, fields: namedBelow<'start' | 'end'>(context, below) },
  )
  const terms = (search?.terms ?? []).filter((term) => term.fields?.includes(position) ?? true)
  const number = context.snippets.push({ terms, words: length, fields }) - 1
  return { kind: 'snippet', path, number, isLong }
}

const longestSnippet = 200
const usualSnippet = 30

/** Fields of an object type whose value is at `path` of the row. */
function buildFields(context: PlanContext, typeName: string, sets: Sets, path: Path): Fields<Output> {
  const type = context.selection.schema.getType(typeName)
  if (!isObjectType(type)) throw new Error(`The schema has no object type ${typeName}.`)
  return collectFields(context.selection, type, sets).map((collected) => ({
    key: collected.key,
    output: fieldOutput(context, type, collected, path),
  }))
}

function fieldOutput(
  context: PlanContext,
  type: GraphQLObjectType,
  collected: Collected,
  path: Path,
): Output | Constant {
  const { name, field, selections } = collected
  if (name === '__typename') return constantOutput(type.name)
  const role = field?.extensions.role
  if (role === undefined) return ownOutput(context, type, name, path, selections)
  switch (role.kind) {
    case 'system':
      return { kind: 'system', name: role.name }
    case 'property':
      return valueOutput(context, role.field.type, [...path, role.field.property], selections)
    case 'resolved':
      return resolvedOutput(context, role.field, [...path, role.field.property], selections)
    case 'reverse': {
      const table = tableOf(context, role.collection)
      return { kind: 'list', list: buildList(context, collected, table, linkOf(table, role.reference)) }
    }
  }
  throw new Error(`The field ${type.name}.${name} reads a ${role.kind}.`)
}

/** Fields of the types that every schema has. */
function ownOutput(
  context: PlanContext,
  type: GraphQLObjectType,
  name: string,
  path: Path,
  sets: Sets,
): Output | Constant {
  if (name === 'isCurrent') return { kind: 'isCurrent', path }
  if (name === 'uriResolved')
    return { kind: 'resolved', path, from: 'strongRef', records: buildRecords(context, sets) }
  if (name === '_empty') return constantOutput(null)
  if (type.name === 'Blob') return { kind: 'blobField', path, name: name as 'ref' | 'mimeType' | 'size' }
  if (type.name === 'UnknownObject')
    return name === 'type' ? { kind: 'json', path: [...path, '$type'] } : { kind: 'anyJson', path }
  return { kind: 'json', path: [...path, name] }
}

function valueOutput(context: PlanContext, type: FieldType, path: Path, sets: Sets): Output {
  switch (type.kind) {
    case 'bytes':
      return { kind: 'wrapped', path, key: '$bytes' }
    case 'cidLink':
      return { kind: 'wrapped', path, key: '$link' }
    case 'blob':
      return { kind: 'object', path, fields: buildFields(context, 'Blob', sets, path) }
    case 'strongRef':
      return { kind: 'object', path, fields: buildFields(context, strongRefName, sets, path) }
    case 'object':
      return { kind: 'object', path, fields: buildFields(context, type.type.name, sets, path) }
    case 'union':
      return unionOutput(context, type.type, path, sets)
    case 'unknown':
      return { kind: 'anyJson', path }
    case 'array':
      if (type.of.kind === 'unknown') return { kind: 'anyJson', path }
      return printedKinds.includes(type.of.kind)
        ? { kind: 'array', path, element: valueOutput(context, type.of, [], sets) }
        : { kind: 'jsonArray', path }
    case 'string':
    case 'datetime':
    case 'integer':
    case 'boolean':
    case 'atUri':
      return { kind: 'json', path }
  }
}

/** Arrays of other kinds are printed exactly as the record holds them. */
const printedKinds = ['bytes', 'cidLink', 'blob', 'strongRef', 'object', 'union', 'array']

function unionOutput(context: PlanContext, type: UnionType, path: Path, sets: Sets): Output {
  const otherwise = type.closed ? null : buildFields(context, 'UnknownObject', sets, path)
  if (type.members.length === 0)
    return otherwise === null ? { kind: 'anyJson', path } : { kind: 'object', path, fields: otherwise }
  const cases = type.members.map(({ type: member, origin }) => {
    const name = member === 'strongRef' ? strongRefName : member.name
    return { origin, fields: buildFields(context, name, sets, path) }
  })
  return { kind: 'union', path, cases, otherwise }
}

function resolvedOutput(context: PlanContext, { type }: Field, path: Path, sets: Sets): Output {
  const records = buildRecords(context, sets)
  if (type.kind !== 'array') return { kind: 'resolved', path, from: shapeOf(type), records }
  return { kind: 'array', path, element: { kind: 'resolved', path: [], from: shapeOf(type.of), records } }
}

function shapeOf({ kind }: FieldType): ReferenceShape {
  return kind === 'strongRef' ? 'strongRef' : 'text'
}
