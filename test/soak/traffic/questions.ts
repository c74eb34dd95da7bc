/**
 * Random questions of every kind, each a root field that can stand beside others in one operation, and what the plain
 * evaluator answers. Those `within` accounts are about the records of these alone.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { printKey } from '../../reference/groups/group-fields.ts'
import type { Where } from '../../reference/matches.ts'
import type { Reference } from '../../reference/reference.ts'
import type { Json } from '../../reference/shapes.ts'
import { recordsOf } from '../../reference/dataset.ts'
import { aggregateArguments, argumentList, literal, sortLiteral } from '../../support/service/graphql-text.ts'
import { aggregates } from '../../support/random/aggregates.ts'
import { sorts } from '../../support/random/questions.ts'
import { expectedObject, selectionOf } from '../../support/service/selection.ts'
import { wheres } from '../../support/random/where.ts'
import { expectedList, wholeList } from '../../support/service/whole-list.ts'
import type { Question } from './client.ts'
import { libraryCollections } from '../corpora.ts'

export interface Drawn {
  readonly kind: string
  /** Its alias is `q`. */
  readonly field: string
  readonly declares?: string
  readonly variables?: Readonly<Record<string, Json>>
  /** Throws where the answer is not what the records make it. */
  readonly check: (reference: Reference, answer: Json) => void
}

/** Null: of all accounts. */
export type Within = readonly string[] | null

export function within(accounts: Within, where: Where): Where {
  return accounts === null ? where : { AND: [{ did: { in: accounts } }, where] }
}

/** The same seed gives the same question about the same records. */
export function drawQuestion(
  reference: Reference,
  collections: readonly string[],
  accounts: Within,
  seed: number,
): Drawn {
  return draw(
    fc
      .constantFrom(...collections)
      .chain((collection) =>
        fc
          .constantFrom(...kindsFor(collection))
          .chain((kind): fc.Arbitrary<Drawn> => kinds[kind](reference, collection, accounts)),
      ),
    seed,
  )
}

/** A whole operation, with other root fields before it. */
export function questionOf({ field, declares, variables }: Drawn, before = ''): Question {
  const head = declares === undefined ? '' : `query (${declares}) `
  return { query: `${head}{ ${before} ${field} }`, ...(variables !== undefined && { variables }) }
}

export function draw<T>(arbitrary: fc.Arbitrary<T>, seed: number): T {
  const [drawn] = fc.sample(arbitrary, { seed, numRuns: 1 })
  return drawn as T
}

/** One for each way to read; all that can be asked in each is for the property tests. */
function kindsFor(collection: string): readonly Kind[] {
  const everywhere = ['list', 'list', 'record'] as const
  return libraryCollections.includes(collection) ? [...everywhere, 'whole', 'groups'] : everywhere
}

type Kind = 'list' | 'whole' | 'groups' | 'record'
type Draw = (reference: Reference, collection: string, accounts: Within) => fc.Arbitrary<Drawn>

const kinds: Readonly<Record<Kind, Draw>> = {
  list: (reference, collection, accounts) =>
    fc
      .record({
        where: wheres(reference, collection, 2),
        sortBy: sorts(reference, collection),
        size: fc.oneof(fc.constant(100), fc.integer({ min: 0, max: 30 })),
        backwards: fc.boolean(),
        asVariable: fc.boolean(),
      })
      .map(({ where: free, sortBy, size, backwards, asVariable }): Drawn => {
        const { rootField, typeName } = shapeOf(reference, collection)
        const where = within(accounts, free)
        const page = backwards ? { last: size } : { first: size }
        const list = argumentList({
          where: asVariable ? '$where' : literal(where),
          sortBy: sortLiteral(sortBy),
          [backwards ? 'last' : 'first']: String(size),
        })
        return {
          kind: 'list',
          field: `q: ${rootField}${list} ${wholeList}`,
          ...(asVariable && { declares: `$where: ${typeName}WhereInput`, variables: { where } }),
          check: (records, answer) => {
            assert.deepEqual(answer, expectedList(records, collection, { where, sortBy, ...page }))
          },
        }
      }),

  /** Every property of every record of a page. */
  whole: (reference, collection, accounts) =>
    fc.integer({ min: 1, max: 40 }).map((first): Drawn => {
      const { rootField, fields } = shapeOf(reference, collection)
      const where = within(accounts, {})
      const sortBy = [{ field: 'uri' }]
      const list = `(where: ${literal(where)}, first: ${first}, sortBy: [{field: uri}])`
      return {
        kind: 'whole',
        field: `q: ${rootField}${list} { nodes { uri cid did rkey collection recordJson ${selectionOf(fields)} } }`,
        check: (records, answer) => {
          const expected = records.list(collection, { where, sortBy, first }).records.map((record) => ({
            uri: record.uri,
            cid: record.cid,
            did: record.did,
            rkey: record.rkey,
            collection: record.collection,
            recordJson: record.value,
            ...expectedObject(records, fields, record.value),
          }))
          assert.deepEqual(answer.nodes, expected)
        },
      }
    }),

  groups: (reference, collection, accounts) =>
    aggregates(reference, collection).map((free): Drawn => {
      const { significant, denominator } = free
      const given = {
        ...free,
        where: within(accounts, free.where ?? {}),
        ...(significant && {
          significant: { ...significant, against: within(accounts, significant.against) },
        }),
        ...(denominator && { denominator: within(accounts, denominator) }),
      }
      const names = given.groupBy ?? []
      return {
        kind: 'groups',
        field: `q: ${shapeOf(reference, collection).rootField}Aggregate${aggregateArguments(given)} { count groupCount groups { count ${names.join(' ')} } }`,
        check: (records, answer) => {
          const expected = records.aggregate(collection, given)
          const fields = names.map(
            (name) => records.groupFields(collection, given).find((field) => field.name === name)!,
          )
          assert.deepEqual(answer, {
            count: expected.count,
            groupCount: expected.groupCount,
            groups: expected.groups.map(({ keys, members }) => ({
              count: members.length,
              ...Object.fromEntries(fields.map((field, index) => [field.name, printKey(field, keys[index])])),
            })),
          })
        },
      }
    }),

  record: (reference, collection) => {
    const { rootField } = shapeOf(reference, collection)
    const records = recordsOf(reference, collection)
    const nowhere = `at://did:plc:nobody/${collection}/x`
    return fc.constantFrom(...records.map(({ uri }) => uri), nowhere).map(
      (uri): Drawn => ({
        kind: 'record',
        field: `q: ${rootField}ByUri(uri: ${literal(uri)}) { uri cid recordJson }`,
        check: (now, answer) => {
          const record = now.resolve(uri)
          assert.deepEqual(answer, record && { uri, cid: record.cid, recordJson: record.value })
        },
      }),
    )
  },
}

export function shapeOf(reference: Reference, collection: string) {
  const shape = reference.shapes.get(collection)
  if (shape === undefined) throw new Error(`There is no collection ${collection}.`)
  return shape
}
