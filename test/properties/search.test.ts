import assert from 'node:assert/strict'
import fc from 'fast-check'
import { parseSearch, type SearchTerm, wantedTerms } from '../../src/search/parse-search.ts'
import { plainWordsOf } from '../../src/search/words.ts'
import type { Json } from '../reference/shapes.ts'
import { snippetOf } from '../reference/words/snippet.ts'
import { argumentList, literal, sortLiteral } from '../support/service/graphql-text.ts'
import { collections } from '../support/records/lexicons.ts'
import { type Loaded, property } from '../support/random/property.ts'
import { hasMeaning, searches } from '../support/random/searches.ts'
import { wheres } from '../support/random/where.ts'

/** Collections with free texts, and the names of these. */
const searched = {
  [collections.book]: ['title', 'blurb'],
  [collections.person]: ['name'],
  [collections.publisher]: ['name'],
} as const

const textsOf = ({ reference }: Loaded, collection: keyof typeof searched): readonly string[] =>
  reference
    .sorted(collection, {})
    .flatMap(({ value }) => searched[collection].map((field) => value[field]))
    .filter((text) => typeof text === 'string')

const questions = (loaded: Loaded) =>
  fc.constantFrom(...Object.entries(searched)).chain(([collection, fields]) => {
    const { reference } = loaded
    const texts = textsOf(loaded, collection as keyof typeof searched)
    return fc.record({
      collection: fc.constant(collection),
      search: searches(texts, fields),
      where: fc.oneof(
        { weight: 2, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: wheres(reference, collection, 1) },
      ),
    })
  })

property(
  'a list by relevance has the scores and the order of the formula, page by page',
  (loaded: Loaded) =>
    questions(loaded).chain((question) =>
      fc.record({
        question: fc.constant(question),
        direction: fc.constantFrom('ASC' as const, 'DESC' as const, undefined),
        size: fc.integer({ min: 1, max: 4 }),
        backward: fc.boolean(),
      }),
    ),
  async ({ reference, service }, { question, direction, size, backward }) => {
    const { collection, search, where } = question
    if (!asksForWords(search, searched[collection as keyof typeof searched])) return
    const { rootField } = reference.shapes.get(collection)!
    const sortBy = [{ field: 'RELEVANCE', ...(direction && { direction }) }]
    const given = { search, where, sortBy }
    const scores = reference.scores(collection, given)
    const expected = reference
      .sorted(collection, given)
      .map((record) => ({ score: scores.get(record), node: { uri: record.uri } }))
    const found: unknown[] = []
    let cursor: string | null = null
    for (let pages = 0; pages < 40; pages += 1) {
      const page = {
        [backward ? 'last' : 'first']: String(size),
        ...(cursor !== null && { [backward ? 'before' : 'after']: JSON.stringify(cursor) }),
      }
      const { list } = await service.data(`{ list: ${rootField}${argumentList({
        search: JSON.stringify(search),
        where: literal(where),
        sortBy: sortLiteral(sortBy),
        ...page,
      })} { ranked totalCount edges { score node { uri } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`)
      assert.equal(list.totalCount, expected.length)
      assert.equal(list.ranked, expected.length)
      const before = found.length
      if (backward) found.unshift(...list.edges)
      else found.push(...list.edges)
      const [more, behind] = backward
        ? [list.pageInfo.hasPreviousPage, list.pageInfo.hasNextPage]
        : [list.pageInfo.hasNextPage, list.pageInfo.hasPreviousPage]
      assert.equal(behind, before > 0)
      assert.equal(more, found.length < expected.length)
      cursor = backward ? list.pageInfo.startCursor : list.pageInfo.endCursor
      if (!more) break
    }
    assert.deepEqual(found, expected)
  },
  30,
)

/** Words of records with some characters changed, and others. */
const misspelt = (texts: readonly string[]) => {
  const words = texts.flatMap(plainWordsOf)
  const word = fc.oneof(fc.constantFrom('news', ...words), fc.string({ maxLength: 5 }))
  const edit = fc.tuple(fc.nat(9), fc.nat(2), fc.constantFrom('', 'a', 'e', 'ё', 's'))
  return fc.tuple(word, fc.array(edit, { maxLength: 3 })).map(([text, edits]) => {
    const characters = [...text]
    for (const [at, cut, put] of edits) characters.splice(at, cut, put)
    return characters.join('')
  })
}

property(
  'words that no record has are told, with the nearest ones that records have',
  (loaded: Loaded) =>
    questions(loaded).chain(({ collection, search }) => {
      const texts = textsOf(loaded, collection as keyof typeof searched)
      return fc.record({
        collection: fc.constant(collection),
        search: fc
          .tuple(fc.array(misspelt(texts), { minLength: 1, maxLength: 12 }), fc.constant(search))
          .map(([words, more]) => `${words.join(' ')} ${more}`)
          .filter((text) => hasMeaning(text, searched[collection as keyof typeof searched])),
      })
    }),
  async ({ reference, service, isHiding }, { collection, search }) => {
    const { rootField } = reference.shapes.get(collection)!
    const fields = 'didYouMean { word nearest { word count } }'
    const text = JSON.stringify(search)
    const { list, all } = await service.data(
      `{ list: ${rootField}(search: ${text}, first: 0) { ${fields} } all: search(text: ${text}, first: 0) { ${fields} } }`,
    )
    // Nothing is told until the records of hidden accounts are moved away.
    assert.deepEqual(list.didYouMean, isHiding ? [] : reference.missingWords(collection, search))
    assert.deepEqual(all.didYouMean, isHiding ? [] : reference.missingWords(null, search))
  },
  30,
)

property(
  'relevance among the records that refer to one is that of a list with this condition',
  (loaded) => searches(textsOf(loaded, collections.book), searched[collections.book]),
  async ({ reference, service }, search) => {
    if (!asksForWords(search, searched[collections.book])) return
    const people = reference.shapes.get(collections.person)!.rootField
    const books = reference.shapes.get(collections.book)!.rootField
    const given = `search: ${JSON.stringify(search)}, sortBy: [{field: RELEVANCE}], first: 30`
    const { list } = await service.data(
      `{ list: ${people}(first: 30) { nodes { uri books: ${books}ViaAuthor(${given}) { edges { score node { uri } } } } } }`,
    )
    for (const { uri, books } of list.nodes) {
      const given = { search, where: { author: { uri: { eq: uri } } }, sortBy: [{ field: 'RELEVANCE' }] }
      const scores = reference.scores(collections.book, given)
      const expected = reference
        .sorted(collections.book, given)
        .map((record) => ({ score: scores.get(record), node: { uri: record.uri } }))
      assert.deepEqual(books.edges, expected.slice(0, 30))
    }
  },
  30,
)

property(
  'a snippet shows the passage of a text with the most of what a search asks for',
  (loaded: Loaded) =>
    questions(loaded).chain((question) =>
      fc.record({ question: fc.constant(question), words: fc.integer({ min: 1, max: 8 }) }),
    ),
  async ({ reference, service }, { question: { collection, search, where }, words }) => {
    const fields = searched[collection as keyof typeof searched]
    const { rootField } = reference.shapes.get(collection)!
    const snippets = fields.map(
      (field) => `${field}: snippet(field: ${field}, words: ${words}) { ranges { start end } text }`,
    )
    const given = argumentList({ search: JSON.stringify(search), where: literal(where), first: '100' })
    const { list } = await service.data(`{ list: ${rootField}${given} { edges { ${snippets.join(' ')} } } }`)
    const parsed = parseSearch(search, fields)
    const terms = uniqueTerms(parsed === null ? [] : wantedTerms(parsed))
    const expected = reference.sorted(collection, { search, where }).map(({ value }) => {
      const shown = fields.map((field) => {
        const inField = terms.filter((term) => term.field === null || term.field === field)
        return [field, typeof value[field] === 'string' ? snippetOf(value[field], inField, words) : null]
      })
      return Object.fromEntries(shown)
    })
    assert.deepEqual(list.edges, expected)
  },
  40,
)

function uniqueTerms(terms: readonly SearchTerm[]): readonly SearchTerm[] {
  return [...new Map(terms.map((term) => [JSON.stringify(term), term])).values()]
}

property(
  'the unusual words of a field are those of the plain computation',
  (loaded: Loaded) =>
    questions(loaded).chain((question) =>
      fc.record({
        question: fc.constant(question),
        field: fc.constantFrom(...searched[question.collection as keyof typeof searched]),
        against: wheres(loaded.reference, question.collection, 1),
        minCount: fc.integer({ min: 1, max: 3 }),
        limit: fc.integer({ min: 1, max: 30 }),
      }),
    ),
  async ({ reference, service }, { question: { collection, search, where }, ...asked }) => {
    const { rootField } = reference.shapes.get(collection)!
    const given = argumentList({ search: JSON.stringify(search), where: literal(where) })
    const { field, against, minCount, limit } = asked
    const { all } = await service.data(`{ all: ${rootField}Aggregate${given} {
      unusualWords(field: ${field}, against: ${literal(against)}, minCount: ${minCount}, limit: ${limit}) {
        recordsRead againstRecordsRead
        words { word count significance { share againstCount againstShare score } } } } }`)
    assert.deepEqual(all.unusualWords, reference.unusualWords(collection, { search, where }, asked))
  },
  40,
)

const everyField = Object.values(searched).flat()

property(
  'a search of all collections finds their records in one order, page by page',
  ({ reference }) => {
    const texts = Object.entries(searched).flatMap(([collection, fields]) =>
      reference.sorted(collection, {}).flatMap(({ value }) => fields.map((field) => value[field])),
    )
    return fc.record({
      search: searches(
        texts.filter((text) => typeof text === 'string'),
        everyField,
      ),
      first: fc.integer({ min: 1, max: 7 }),
    })
  },
  async ({ reference, service }, { search, first }) => {
    let after: { readonly cursor: string; readonly uri: string } | null = null
    for (let pages = 0; pages < 30; pages += 1) {
      const given = argumentList({
        text: JSON.stringify(search),
        first: String(first),
        after: after === null ? undefined : JSON.stringify(after.cursor),
      })
      const { search: page } = await service.data(`{ search${given} {
        edges { cursor node { uri collection kind: __typename ... on OrgExampleLibraryBook { title } } }
        nodes { uri ... on OrgExampleLibraryPerson { name } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`)
      const expected = reference.search(search, { first, ...(after !== null && { after: after.uri }) })
      const { records, hasNextPage, hasPreviousPage } = expected
      assert.deepEqual(
        page.edges.map(({ node }: Json) => node),
        records.map(({ uri, collection, value }) => ({
          uri,
          collection,
          kind: reference.shapes.get(collection)?.typeName,
          ...(collection === collections.book && { title: value.title ?? null }),
        })),
      )
      assert.deepEqual(
        page.nodes,
        records.map(({ uri, collection, value }) => ({
          uri,
          ...(collection === collections.person && { name: value.name ?? null }),
        })),
      )
      const cursors = page.edges.map(({ cursor }: Json) => cursor)
      assert.deepEqual(page.pageInfo, {
        hasNextPage,
        hasPreviousPage,
        startCursor: cursors[0] ?? null,
        endCursor: cursors.at(-1) ?? null,
      })
      const last = records.at(-1)
      if (!hasNextPage || last === undefined) break
      after = { cursor: cursors.at(-1), uri: last.uri }
    }
  },
  30,
)

function asksForWords(search: string, fields: readonly string[]): boolean {
  const parsed = parseSearch(search, fields)
  if (parsed === null) return false
  const { length } = uniqueTerms(wantedTerms(parsed))
  return length > 0 && length <= 16
}
