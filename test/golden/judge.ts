/** A second opinion on a golden answer: its lists and aggregates, as the plain reference evaluator sees them. */
import assert from 'node:assert/strict'
import {
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  valueFromASTUntyped,
  visit,
} from 'graphql'
import type { GraphQLRequest } from '../../src/query/execute/execute.ts'
import { printKey } from '../reference/groups/group-fields.ts'
import type { Reference } from '../reference/reference.ts'
import type { Json, Shape } from '../reference/shapes.ts'
import { facetArguments } from '../support/service/graphql-text.ts'
import type { Corpus } from './corpora.ts'

type Request = Required<GraphQLRequest>

/**
 * Asks each list and aggregate of the operation again for what the reference can tell (URIs, counts, keys),
 * and holds the answer's own totals and lengths to it. How many fields were judged is returned.
 */
export async function judge(
  { reference, service }: Corpus,
  { query, variables, operationName }: Request,
  answer: Json,
): Promise<number> {
  const operation = parse(query).definitions.find(
    (definition): definition is OperationDefinitionNode =>
      definition.kind === Kind.OPERATION_DEFINITION &&
      (operationName === null || definition.name?.value === operationName),
  )
  if (operation === undefined) throw new Error('The case has no operation.')
  const values = { ...defaultsOf(operation), ...variables }
  let judged = 0
  for (const field of operation.selectionSet.selections) {
    if (field.kind !== Kind.FIELD) continue
    const own = answer[field.alias?.value ?? field.name.value]
    const found = findShape(reference, field.name.value)
    const isSearch = field.name.value === 'search'
    if ((found === null && !isSearch) || own === undefined) continue
    const given = argumentsOf(field, values)
    if (given.after !== undefined || given.before !== undefined) continue
    const ask = async (selection: string): Promise<Json> => {
      const { asked } = await service.data(askAgain(operation, field, selection), variables ?? {})
      return asked
    }
    if (found === null) await judgeSearch(reference, given, own, ask)
    else if (found.kind === 'list') {
      await judgeList(reference, found.shape, given, own, ask)
      for (const facets of facetsIn(field, values))
        await judgeFacets(reference, found.shape, given, facets, ask)
    } else await judgeAggregate(reference, found.shape, given, own, ask)
    judged += 1
  }
  return judged
}

type Ask = (selection: string) => Promise<Json>

async function judgeList(reference: Reference, { nsid }: Shape, given: Json, own: Json, ask: Ask) {
  const expected = reference.list(nsid, given)
  assert.deepEqual(await ask('{ totalCount nodes { uri } pageInfo { hasNextPage hasPreviousPage } }'), {
    totalCount: expected.totalCount,
    nodes: expected.records.map(({ uri }) => ({ uri })),
    pageInfo: { hasNextPage: expected.hasNextPage, hasPreviousPage: expected.hasPreviousPage },
  })
  if (own.totalCount !== undefined) assert.equal(own.totalCount, expected.totalCount)
  for (const rows of [own.nodes, own.edges])
    if (rows !== undefined) assert.equal(rows.length, expected.records.length)
}

async function judgeFacets({ list }: Reference, { nsid }: Shape, given: Json, facets: Json, ask: Ask) {
  // One value stands for a list of one, and null for what is left out.
  const asked = { ...facets, fields: [facets.fields].flat() }
  const answered = await ask(
    `{ facets${facetArguments(asked)} { field values { value count } missing cut } }`,
  )
  assert.deepEqual(answered.facets, list(nsid, given).facets(asked))
}

/** The arguments of the facets that are selected of a list. */
function facetsIn({ selectionSet }: FieldNode, values: Readonly<Record<string, unknown>>): readonly Json[] {
  return (selectionSet?.selections ?? []).flatMap((selected) =>
    selected.kind === Kind.FIELD && selected.name.value === 'facets' ? [argumentsOf(selected, values)] : [],
  )
}

async function judgeSearch(reference: Reference, { text, ...page }: Json, own: Json, ask: Ask) {
  const { records, hasNextPage, hasPreviousPage } = reference.search(text, page)
  assert.deepEqual(await ask('{ nodes { uri } pageInfo { hasNextPage hasPreviousPage } }'), {
    nodes: records.map(({ uri }) => ({ uri })),
    pageInfo: { hasNextPage, hasPreviousPage },
  })
  for (const rows of [own.nodes, own.edges]) if (rows !== undefined) assert.equal(rows.length, records.length)
}

async function judgeAggregate(reference: Reference, { nsid }: Shape, given: Json, own: Json, ask: Ask) {
  // One value stands for a list of one.
  const names: readonly string[] = [given.groupBy ?? []].flat()
  const expected = reference.aggregate(nsid, { ...given, groupBy: names })
  const fields = names.map((name) => reference.groupFields(nsid, given).find((field) => field.name === name)!)
  const groups = expected.groups.map(({ keys, members, significance, total, share }) => ({
    count: members.length,
    total,
    share,
    significance,
    ...Object.fromEntries(fields.map((field, at) => [field.name, printKey(field, keys[at])])),
  }))
  const { count, groupCount, total, share, hasNextPage } = expected
  const answered = await ask(
    `{ count groupCount total share groupsPageInfo { hasNextPage } groups { count total share significance { share againstCount againstShare score } ${names.join(' ')} } }`,
  )
  assert.deepEqual(answered, { count, groupCount, total, share, groupsPageInfo: { hasNextPage }, groups })
  if (own.count !== undefined) assert.equal(own.count, count)
  if (own.groupCount !== undefined) assert.equal(own.groupCount, groupCount)
  if (own.groups !== undefined) assert.equal(own.groups.length, expected.groups.length)
}

function findShape(
  reference: Reference,
  rootField: string,
): { kind: 'list' | 'aggregate'; shape: Shape } | null {
  for (const shape of reference.shapes.values()) {
    if (shape.rootField === rootField) return { kind: 'list', shape }
    if (`${shape.rootField}Aggregate` === rootField) return { kind: 'aggregate', shape }
  }
  return null
}

/** As written; variables that are not given drop out, and so do nulls, which mean the same. */
function argumentsOf(field: FieldNode, values: Readonly<Record<string, unknown>>): Json {
  const entries = (field.arguments ?? []).map(({ name, value }): [string, unknown] => [
    name.value,
    withoutOmitted(valueFromASTUntyped(value, values)),
  ])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null))
}

function withoutOmitted(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutOmitted)
  if (typeof value !== 'object' || value === null) return value
  const given = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(given.map(([key, inner]) => [key, withoutOmitted(inner)]))
}

function defaultsOf(operation: OperationDefinitionNode): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)]],
    ),
  )
}

/** The one field with another selection, under the operation's variables that it uses. */
function askAgain(operation: OperationDefinitionNode, field: FieldNode, selection: string): string {
  const used = new Set<string>()
  for (const argument of field.arguments ?? [])
    visit(argument, { Variable: ({ name }) => void used.add(name.value) })
  const declared = (operation.variableDefinitions ?? []).filter(({ variable }) =>
    used.has(variable.name.value),
  )
  const given = (field.arguments ?? []).map((argument) => print(argument)).join(', ')
  return `query ${declared.length === 0 ? '' : `(${declared.map((each) => print(each)).join(', ')})`} {
    asked: ${field.name.value}${given === '' ? '' : `(${given})`} ${selection} }`
}
