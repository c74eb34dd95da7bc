/** Random whole operations, each with the answer that the plain evaluator gives: any fields of any lists, at any depth. */
import fc from 'fast-check'
import type { Facet } from '../../reference/groups/facets.ts'
import type { SortField } from '../../reference/order.ts'
import type { AggregateArguments, ListArguments, Listed, Reference } from '../../reference/reference.ts'
import type { Field, HeldReference, Json, Shape } from '../../reference/shapes.ts'
import { printInstant } from '../../reference/values.ts'
import type { PlainRecord } from '../../reference/dataset.ts'
import { linkOf, recordsOf, shapeOf } from '../../reference/dataset.ts'
import { isFreeText } from '../../reference/words/search.ts'
import { parseSearch, wantedTerms } from '../../../src/search/parse-search.ts'
import { searches } from './searches.ts'
import { aggregateParts } from './aggregate-parts.ts'
import { argumentList, facetArguments, literal, sortLiteral } from '../service/graphql-text.ts'
import { onceFor } from './once.ts'
import { anyCursor, type Part, selections } from './parts.ts'
import { distincts, facets, sorts } from './questions.ts'
import { expectedValue, innerSelection } from '../service/selection.ts'
import { wheres } from './where.ts'

export interface Operation {
  readonly text: string
  readonly expected: Json
}

/** An operation before its answer is worked out, so that it can be for one state of the records after another. */
export interface Question {
  readonly text: string
  answer(): Json
}

/** How deep lists and references are selected in each other. */
const deepest = 2

export function operations(reference: Reference): fc.Arbitrary<Operation> {
  return questions(reference).map(({ text, answer }) => ({ text, expected: answer() }))
}

/** Up to three root fields. */
export function questions(reference: Reference): fc.Arbitrary<Question> {
  const shapes = [...reference.shapes.values()]
  const root = fc.constantFrom(...shapes).chain((shape): fc.Arbitrary<Part<null>> => {
    const aggregate = aggregateParts(reference, shape, records(reference, shape, 1))
    const list = lists(reference, shape.nsid, shape.rootField, deepest, (given) =>
      reference.list(shape.nsid, given),
    )
    const all = reference.records.map(({ uri }) => uri)
    const uris = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...all) },
      { weight: 1, arbitrary: fc.constant(`at://did:plc:nobody/${shape.nsid}/x`) },
    )
    const one = fc.tuple(uris, records(reference, shape, deepest)).map(
      ([uri, { text, answer }]): Part<null> => ({
        text: `${shape.rootField}ByUri(uri: ${literal(uri)})${text}`,
        answer: () => {
          const found = reference.resolve(uri)
          return found === null || found.collection !== shape.nsid ? null : answer(found)
        },
      }),
    )
    return fc.oneof(
      { weight: 6, arbitrary: list },
      { weight: 3, arbitrary: aggregate },
      { weight: 1, arbitrary: one },
    )
  })
  return selections([root], 3).map(({ text, answer }) => ({ text, answer: () => answer(null) }))
}

/** One aggregate; `asked` draws its arguments. */
export function aggregateOperations(
  reference: Reference,
  collections: readonly string[] = [...reference.shapes.keys()],
  asked?: (collection: string) => fc.Arbitrary<AggregateArguments>,
): fc.Arbitrary<Operation> {
  const root = fc.constantFrom(...collections).chain((collection) => {
    const shape = shapeOf(reference, collection)
    return aggregateParts(reference, shape, records(reference, shape, 1), asked?.(collection))
  })
  return selections([root], 1).map(({ text, answer }) => ({ text, expected: answer(null) }))
}

/** A list of any arguments: `listed` says what is in it. */
function lists<Parent>(
  reference: Reference,
  collection: string,
  field: string,
  depth: number,
  listed: (given: ListArguments, parent: Parent) => Listed,
): fc.Arbitrary<Part<Parent>> {
  const shape = reference.shapes.get(collection) as Shape
  const isRoot = depth === deepest
  const given = fc.record({
    search: fc.option(searchesOf(reference, shape), { nil: undefined }),
    isRanked: fc.boolean(),
    where: fc.option(wheres(reference, collection, isRoot ? 3 : 1), { nil: undefined }),
    sortBy: fc.option(sorts(reference, collection), { nil: undefined }),
    size: fc.oneof(fc.constantFrom(0, 1, 2), fc.integer({ min: 0, max: isRoot ? 40 : 5 })),
    direction: fc.constantFrom('first' as const, 'first' as const, 'last' as const),
    distinct: fc.oneof(
      // Seldom, as the public tier does not pay for many conditions besides.
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: distincts(reference, collection) },
    ),
  })
  return fc
    .tuple(given, listFields(reference, shape, depth))
    .map(([{ search, isRanked, where, sortBy: order, size, direction, distinct }, { text, answer }]) => {
      const sortBy = search?.ranks === true && isRanked ? [{ field: 'RELEVANCE' }] : order
      // Neither goes with it.
      const isWhole = sortBy?.[0]?.field === 'RELEVANCE' || text.includes('facets(')
      const distinctOn = isWhole ? undefined : distinct
      const list = argumentList({
        search: search && JSON.stringify(search.text),
        where: where && literal(where),
        sortBy: sortBy && sortLiteral(sortBy as readonly SortField[]),
        distinctOn: distinctOn && `[${distinctOn.join(', ')}]`,
        [direction]: String(size),
      })
      const asked = {
        ...(search && { search: search.text }),
        ...(where && { where }),
        ...(sortBy && { sortBy }),
        ...(distinctOn && { distinctOn }),
        [direction]: size,
      }
      return { text: `${field}${list}${text}`, answer: (parent) => answer(listed(asked, parent)) }
    })
}

interface RandomSearch {
  readonly text: string
  /** Whether a list can be in the order of its relevance. */
  readonly ranks: boolean
}

/** Undefined for a collection without free texts at the top level. */
function searchesOf(reference: Reference, { nsid, fields }: Shape): fc.Arbitrary<RandomSearch | undefined> {
  const names = fields.flatMap(({ name, kind }) =>
    kind.kind === 'string' && isFreeText(kind.lexicon) ? [name] : [],
  )
  if (names.length === 0) return fc.constant(undefined)
  const properties = fields.filter(({ name }) => names.includes(name)).map(({ property }) => property)
  const texts = recordsOf(reference, nsid)
    .flatMap(({ value }) => properties.map((property) => value[property]))
    .filter((text) => typeof text === 'string')
  return searches(texts, names).map((text) => {
    const search = parseSearch(text, names)
    const terms = new Set((search === null ? [] : wantedTerms(search)).map((term) => JSON.stringify(term)))
    return { text, ranks: terms.size > 0 && terms.size <= 16 }
  })
}

function listFields(reference: Reference, shape: Shape, depth: number): fc.Arbitrary<Part<Listed>> {
  return onceFor(() => newListFields(reference, shape, depth), reference, 'list', shape.nsid, depth)
}

function newListFields(reference: Reference, shape: Shape, depth: number): fc.Arbitrary<Part<Listed>> {
  const record = records(reference, shape, depth)
  const nodes = record.map(
    ({ text, answer }): Part<Listed> => ({
      text: `nodes${text}`,
      answer: (list) => list.records.map((one) => answer(one)),
    }),
  )
  const node = record.map(
    ({ text, answer }): Part<PlainRecord> => ({ text: `node${text}`, answer: (one) => answer(one) }),
  )
  const edge = selections(
    [node, constant('__typename', `${shape.typeName}Edge`), constant('cursor', anyCursor)],
    3,
  )
  const edges = edge.map(
    ({ text, answer }): Part<Listed> => ({
      text: `edges${text}`,
      answer: (list) => list.records.map((one) => answer(one)),
    }),
  )
  const bound = ({ records: page }: Listed): Json => (page.length === 0 ? null : anyCursor)
  const info = selections<Listed>(
    [
      field('hasNextPage', ({ hasNextPage }) => hasNextPage),
      field('hasPreviousPage', ({ hasPreviousPage }) => hasPreviousPage),
      field('startCursor', bound),
      field('endCursor', bound),
      constant('__typename', 'PageInfo'),
    ],
    3,
  ).map(({ text, answer }): Part<Listed> => ({ text: `pageInfo${text}`, answer }))
  const total = field<Listed>('totalCount', ({ totalCount }) => totalCount)
  const faceted = facetLists(reference, shape)
  return selections(
    [nodes, edges, info, info, total, faceted, constant('__typename', `${shape.typeName}Connection`)],
    4,
  )
}

function facetLists(reference: Reference, { nsid }: Shape): fc.Arbitrary<Part<Listed>> {
  const value = selections<Facet['values'][number]>(
    [
      field('value', ({ value }) => value),
      field('count', ({ count }) => count),
      constant('__typename', 'FacetValue'),
    ],
    3,
  )
  const values = value.map(
    ({ text, answer }): Part<Facet> => ({
      text: `values${text}`,
      answer: (facet) => facet.values.map((one) => answer(one)),
    }),
  )
  const selected = selections<Facet>(
    [
      values,
      values,
      field('field', ({ field }) => field),
      field('missing', ({ missing }) => missing),
      field('cut', ({ cut }) => cut),
      constant('__typename', 'Facet'),
    ],
    4,
  )
  return fc.tuple(facets(reference, nsid), selected).map(([given, { text, answer }]) => ({
    text: `facets${facetArguments(given)}${text}`,
    answer: (list) => list.facets(given).map((facet) => answer(facet)),
  }))
}

/** Fields of a record of that type. */
function records(reference: Reference, shape: Shape, depth: number): fc.Arbitrary<Part<PlainRecord>> {
  return onceFor(() => newRecords(reference, shape, depth), reference, 'record', shape.nsid, depth)
}

function newRecords(reference: Reference, shape: Shape, depth: number): fc.Arbitrary<Part<PlainRecord>> {
  const system = [
    field<PlainRecord>('id', ({ uri }) => uri),
    field<PlainRecord>('uri', ({ uri }) => uri),
    field<PlainRecord>('cid', ({ cid }) => cid),
    field<PlainRecord>('rev', ({ rev }) => rev ?? null),
    field<PlainRecord>('did', ({ did }) => did),
    field<PlainRecord>('rkey', ({ rkey }) => rkey),
    field<PlainRecord>('collection', ({ collection }) => collection),
    field<PlainRecord>('indexedAt', ({ indexedAt }) => printInstant(indexedAt)),
    field<PlainRecord>('recordJson', ({ value }) => value),
    constant<PlainRecord>('__typename', shape.typeName),
  ]
  const own = properties(reference, shape.fields, 2).map((part) =>
    part.map(({ text, answer }): Part<PlainRecord> => ({ text, answer: ({ value }) => answer(value) })),
  )
  if (depth === 0) return selections([...system, ...own], 3)
  const resolved = shape.fields.flatMap((held) => resolvedPart(reference, held, depth))
  const reverse = reference.referredBy(shape.nsid).map((held) => reverseList(reference, held, depth))
  return selections([...system, ...own, ...resolved, ...resolved, ...reverse, ...reverse], 4)
}

/** Objects and arrays of them are selected field by field, all else as a whole. */
function properties(
  reference: Reference,
  fields: readonly Field[],
  depth: number,
): fc.Arbitrary<Part<Json>>[] {
  return fields.flatMap(({ name, property, kind }): fc.Arbitrary<Part<Json>>[] => {
    const element = kind.kind === 'array' ? kind.of : kind
    const at =
      (answer: (value: Json) => Json) =>
      (object: Json): Json => {
        const value = object[property] ?? null
        if (value === null) return null
        return kind.kind === 'array' ? value.map(answer) : answer(value)
      }
    if (element.kind === 'object') {
      if (depth === 0) return []
      return [
        selections(properties(reference, element.fields(), depth - 1), 3).map(({ text, answer }) => ({
          text: `${name}${text}`,
          answer: at(answer),
        })),
      ]
    }
    const inner = innerSelection(element, 1)
    if (inner === null) return []
    return [
      fc.constant({
        text: `${name}${inner}`,
        answer: at((value) => expectedValue(reference, element, value, 1)),
      }),
    ]
  })
}

/** The record behind a reference, whatever it is, with fields of one type. */
function resolvedPart(
  reference: Reference,
  { name, property, kind }: Field,
  depth: number,
): fc.Arbitrary<Part<PlainRecord>>[] {
  if (kind.kind !== 'reference') return []
  const shapes = [...reference.shapes.values()]
  const likely = shapes.filter(({ nsid }) => kind.targets?.includes(nsid) ?? true)
  const types = fc.constantFrom(...(likely.length === 0 ? shapes : likely))
  return [
    types.chain((shape) =>
      records(reference, shape, depth - 1).map(
        ({ text, answer }): Part<PlainRecord> => ({
          text: `${name}Resolved { kind: __typename uri ... on ${shape.typeName}${text} }`,
          answer: ({ value }) => {
            const link = value[property] ?? null
            const found = link === null ? null : reference.resolve(linkOf(link).uri)
            if (found === null) return null
            const own = { kind: reference.shapes.get(found.collection)?.typeName, uri: found.uri }
            return found.collection === shape.nsid ? { ...own, ...answer(found) } : own
          },
        }),
      ),
    ),
  ]
}

function reverseList(
  reference: Reference,
  held: HeldReference,
  depth: number,
): fc.Arbitrary<Part<PlainRecord>> {
  return lists<PlainRecord>(reference, held.collection, held.viaField, depth - 1, (given, parent) =>
    reference.reverse(parent, held, given),
  )
}

function field<Subject>(name: string, answer: (subject: Subject) => Json): fc.Arbitrary<Part<Subject>> {
  return fc.constant({ text: name, answer })
}

function constant<Subject>(name: string, value: Json): fc.Arbitrary<Part<Subject>> {
  return field(name, () => value)
}
