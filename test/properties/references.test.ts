import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Reference } from '../reference/reference.ts'
import type { Field, Json } from '../reference/shapes.ts'
import { linkOf } from '../reference/dataset.ts'
import { onEveryDatabase as test } from '../support/store/databases.ts'
import { argumentList, literal, sortLiteral } from '../support/service/graphql-text.ts'
import { anyCollection, type Loaded, loadCorpus, property } from '../support/random/property.ts'
import { sorts } from '../support/random/questions.ts'
import { expectedRecord, recordSelection } from '../support/service/selection.ts'
import { wheres } from '../support/random/where.ts'

for (const [seed, hiding] of [
  [11, false],
  [12, true],
] as const) {
  test(`every reference resolves to whatever is indexed there, arrays keep their positions (corpus ${seed})`, async (database) => {
    await using loaded = await loadCorpus(seed, { database, hiding })
    const { reference, service } = loaded
    for (const shape of reference.shapes.values()) {
      const { list } =
        await service.data(`{ list: ${shape.rootField}(first: 100, sortBy: [{field: uri}]) { nodes {
        uri ${resolvedSelection(reference, shape.fields)} } } }`)
      const expected = reference.sorted(shape.nsid, { sortBy: [{ field: 'uri' }] })
      assert.deepEqual(
        list.nodes,
        expected.map((record) => ({
          uri: record.uri,
          ...resolvedObject(reference, shape.fields, record.value),
        })),
      )
    }
  })
}

/** Every reference of an object, through nested objects, with what it resolves to. */
function resolvedSelection(reference: Reference, fields: readonly Field[]): string {
  const record = recordSelection(reference)
  return fields
    .map(({ name, kind }) => {
      const element = kind.kind === 'array' ? kind.of : kind
      if (element.kind === 'object' && holdsReferences(element.fields()))
        return `${name} { ${resolvedSelection(reference, element.fields())} }`
      if (element.kind !== 'reference') return ''
      const own = element.link === 'atUri' ? name : `${name} { uri isCurrent uriResolved ${record} }`
      return `${own} ${name}Resolved ${record}`
    })
    .join(' ')
}

function resolvedObject(reference: Reference, fields: readonly Field[], object: Json): Json {
  return Object.assign(
    {},
    ...fields.map(({ name, property, kind }): Json => {
      const element = kind.kind === 'array' ? kind.of : kind
      const value = object[property] ?? null
      const each = (convert: (one: Json) => Json) =>
        value === null ? null : Array.isArray(value) ? value.map(convert) : convert(value)
      if (element.kind === 'object' && holdsReferences(element.fields())) {
        return { [name]: each((one) => resolvedObject(reference, element.fields(), one)) }
      }
      if (element.kind !== 'reference') return {}
      const resolved = (one: Json) => expectedRecord(reference, linkOf(one).uri)
      const own = (one: Json) =>
        element.link === 'atUri'
          ? one
          : { uri: one.uri, isCurrent: reference.isCurrent(one), uriResolved: resolved(one) }
      return { [name]: each(own), [`${name}Resolved`]: each(resolved) }
    }),
  )
}

/** Circular objects of the library hold none. */
function holdsReferences(fields: readonly Field[]): boolean {
  return fields.some(({ kind }) => (kind.kind === 'array' ? kind.of : kind).kind === 'reference')
}

const reverseQuestions = ({ reference }: Loaded) =>
  anyCollection.chain((collection) =>
    fc.constantFrom(...reference.referredBy(collection)).chain((held) =>
      fc.record({
        collection: fc.constant(collection),
        held: fc.constant(held),
        where: fc.option(wheres(reference, held.collection, 1), { nil: undefined }),
        sortBy: fc.option(sorts(reference, held.collection), { nil: undefined }),
      }),
    ),
  )

property(
  'pages of a reverse field give every record that points here once',
  reverseQuestions,
  async (loaded, question) => {
    const { reference, service } = loaded
    const { collection, held, where, sortBy } = question
    const { typeName, rootField } = reference.shapes.get(collection)!
    const given = { ...(where && { where }), ...(sortBy && { sortBy }) }
    const parent = reference
      .list(collection, { first: 100 })
      .records.toSorted(
        (a, b) => reference.reverse(b, held, {}).totalCount - reference.reverse(a, held, {}).totalCount,
      )[0]
    // All of its accounts may be hidden.
    if (parent === undefined) return
    const seen: string[] = []
    for (let after: string | undefined, more = true; more; ) {
      const list = argumentList({
        where: where && literal(where),
        sortBy: sortBy && sortLiteral(sortBy),
        first: '2',
        after: after && literal(after),
      })
      const { record } =
        await service.data(`{ record: ${rootField}ByUri(uri: ${literal(parent.uri)}) { ... on ${typeName} {
      page: ${held.viaField}${list} { nodes { uri } pageInfo { hasNextPage endCursor } } } } }`)
      seen.push(...record.page.nodes.map((node: Json) => node.uri))
      more = record.page.pageInfo.hasNextPage
      after = record.page.pageInfo.endCursor
      assert.ok(seen.length <= 100)
    }
    assert.deepEqual(
      seen,
      reference.reverse(parent, held, { ...given, first: 100 }).records.map(({ uri }) => uri),
    )
  },
  20,
)

property(
  'nodes gives the record of each id, or null, in the order of the ids',
  ({ reference }) => {
    const known = reference.records.map(({ uri }) => uri)
    const unknown = [
      'at://did:plc:nobody/org.example.library.book/x',
      'at://did:plc:nobody/app.example.thing/x',
      'at://did:plc:nobody',
    ]
    return fc.array(fc.constantFrom(...known, ...unknown), { maxLength: 20 })
  },
  async ({ reference, service }, ids) => {
    const selection = recordSelection(reference).replace('__typename', '__typename id')
    const { nodes, first } = await service.data(
      `query ($ids: [ID!]!, $first: ID!) { nodes(ids: $ids) ${selection} first: node(id: $first) ${selection} }`,
      { ids, first: ids[0] ?? 'at://did:plc:nobody' },
    )
    const expected = ids.map((id) => {
      const record = expectedRecord(reference, id)
      return record === null ? null : { __typename: record.__typename, id, uri: record.uri }
    })
    assert.deepEqual({ nodes, first }, { nodes: expected, first: expected[0] ?? null })
  },
  20,
)

test('a record is found by its URI in its own collection only', async (database) => {
  await using loaded = await loadCorpus(3, { database })
  const { reference, service } = loaded
  for (const { rootField, nsid } of reference.shapes.values()) {
    for (const record of reference.records) {
      const { found } = await service.data(
        `{ found: ${rootField}ByUri(uri: ${literal(record.uri)}) { uri cid } }`,
      )
      assert.deepEqual(found, record.collection === nsid ? { uri: record.uri, cid: record.cid } : null)
    }
  }
  const unknown = await service.data(`{
    missing: orgExampleLibraryBookByUri(uri: "at://did:plc:nobody/org.example.library.book/x") { uri }
    foreign: orgExampleLibraryBookByUri(uri: "at://did:plc:nobody/app.example.thing/x") { uri }
    handle: orgExampleLibraryBookByUri(uri: "at://handle.example.com/org.example.library.book/self") { uri }
  }`)
  assert.deepEqual(unknown, { missing: null, foreign: null, handle: null })
  for (const wrong of ['', 'https://example.com/', 'at://', 'did:plc:nobody']) {
    const { code } = await service.refusal(`{ orgExampleLibraryBookByUri(uri: ${literal(wrong)}) { uri } }`)
    assert.equal(code, 'BAD_USER_INPUT')
  }
})
