import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openDemo } from '../../../test/support/service/pages.ts'

const demo = await openDemo()
after(() => demo[Symbol.asyncDispose]())

/** What a caller is told who asks so. */
async function told(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const answer = await demo.engine.execute({ query, variables })
  assert.ok(answer.kind === 'errors', query)
  return answer.errors.map(({ message }) => message).join('\n')
}

const list = (args: string): string => `{ techServiceNewsArticle(${args}) { totalCount } }`
const enrichments = (where: string): string => `{ techServiceNewsEnrichment(where: ${where}) { totalCount } }`
const groups = (args: string): string => `{ techServiceNewsArticleAggregate(${args}) { count } }`

const searchTitle = 'Words are searched with `search: "…"`.'
const cursors = 'There are no offsets: pass the `endCursor` of `pageInfo` as `after`.'
const joined = 'Conditions are joined with `AND`, `OR` and `NOT`, in upper case.'
const texts =
  'Text is searched with `contains` and `startsWith`, which ignore case and accents, and words with `matches`; there are no patterns.'

const mistakes: readonly (readonly [query: string, advice: string])[] = [
  // Selections.
  ['{ techServiceNewsArticle { title } }', 'Select it of the records: `nodes { title }`.'],
  ['{ techServiceNewsArticle { edges { title } } }', 'Select it of the record: `node { title }`.'],
  ['{ techServiceNewsArticle { count } }', 'How many records match is `totalCount`.'],
  ['{ techServiceNewsArticle { groups { count } } }', 'with counts, are in `facets(fields: […])`.'],
  ['{ techServiceNewsArticle { items { title } } }', 'The records of a list are in `nodes`, or in `edges`.'],
  ['{ techServiceNewsArticle { nodes { source { domain } } } }', 'A reference has `uri` and `cid`;'],
  [
    '{ techServiceNewsArticle { nodes { sourceResolved { domain } } } }',
    'Name the type: `... on <Type> { … }`.',
  ],
  ['{ node(id: "at://a/b.c.d/e") { title } }', 'Name the type: `... on <Type> { … }`.'],
  [
    '{ techServiceNewsArticle { nodes { duplicateOf { title } } } }',
    'When it is a reference, read the record',
  ],
  [
    '{ techServiceNewsArticle { nodes { enrichments { topics } } } }',
    'Records that refer to this one are in `techServiceNewsEnrichmentViaArticle`.',
  ],
  [
    '{ techServiceNewsArticleAggregate(groupBy: [language]) { language count } }',
    'Select it of the groups: `groups { language }`.',
  ],
  [
    '{ techServiceNewsArticleAggregate(groupBy: [language], significant: {against: {}}) { groups { score } } }',
    'Select it of the significance: `significance { score }`.',
  ],
  [
    groups('groupBy: [language], significant: {against: {}, minCount: 5}'),
    '`minCount` is an argument of the aggregate: `significant: {against: …}, minCount: …`.',
  ],
  [
    groups('groupBy: [language], significant: {language: {eq: "en"}}'),
    'Write `significant: {against: {…}}`, with the conditions of a `where`.',
  ],
  [
    '{ techServiceNewsArticleAggregate { nodes { title } } }',
    'Records are in the list `techServiceNewsArticle`.',
  ],
  ['{ node(id: "at://a/b.c.d/e") { uri } }', 'All records have it: `... on Record { uri }`.'],
  ['{ techServiceNewsArticle }', 'Select its records, such as `techServiceNewsArticle { nodes { uri } }`.'],
  // The search of all collections.
  ['{ search(text: "x") { totalCount } }', '`totalCount` is in the list of each collection.'],
  ['{ search(text: "x") { title } }', 'The records of a list are in `nodes`, or in `edges`.'],
  ['{ search(text: "x") { nodes { title } } }', 'Name the type: `... on <Type> { … }`.'],
  ['{ search(query: "x") { nodes { uri } } }', 'Write `text`: the words to find.'],
  ['{ search(text: "x", limit: 5) { nodes { uri } } }', '`first` says how many records a page has.'],
  ['{ search(text: "x", last: 5) { nodes { uri } } }', '`first` says how many records a page has.'],
  ['{ search(text: "x", before: "y") { nodes { uri } } }', 'Pages go forwards: pass the `endCursor`'],
  ['{ search(text: "x", where: {}) { nodes { uri } } }', '`search` takes words alone:'],
  // Names of collections.
  ['{ article { totalCount } }', 'Did you mean `techServiceNewsArticle`?'],
  ['{ articles { totalCount } }', 'Did you mean `techServiceNewsArticle`?'],
  ['{ Article { totalCount } }', 'Did you mean `techServiceNewsArticle`?'],
  ['{ newsArticle { totalCount } }', 'Did you mean `techServiceNewsArticle`?'],
  ['{ articleAggregate { count } }', 'Did you mean `techServiceNewsArticleAggregate`?'],
  ['{ sourceByUri(uri: "at://a/b.c.d/e") { uri } }', 'Did you mean `techServiceNewsSourceByUri`?'],
  [
    '{ weather { totalCount } }',
    'The fields of the query are named after collections, such as `techServiceNewsArticle`.',
  ],
  // Arguments.
  [list('query: "x"'), searchTitle],
  [list('query: "x"'), searchTitle],
  [list('limit: 5'), '`first` says how many records a page has.'],
  [list('take: 5'), '`first` says how many records a page has.'],
  [list('id: "x"'), 'One record is found by `techServiceNewsArticleByUri(uri: …)`.'],
  [list('uri: "x"'), 'One record is found by `techServiceNewsArticleByUri(uri: …)`.'],
  ['{ techServiceNewsArticleByUri(id: "x") { uri } }', 'Write `uri`: an id is the URI of its record.'],
  ['{ node(uri: "x") { id } }', 'Write `id`: the id of a record is its URI.'],
  ['{ nodes(uris: ["x"]) { id } }', 'Write `ids`: the id of a record is its URI.'],
  [list('skip: 5'), cursors],
  [list('offset: 5'), cursors],
  [list('page: 5'), cursors],
  [list('filter: {language: {eq: "en"}}'), 'Conditions are in `where`.'],
  [list('orderBy: indexedAt'), 'Lists are sorted with `sortBy: [{field: …, direction: …}]`.'],
  [list('sort: indexedAt'), 'Lists are sorted with `sortBy: [{field: …, direction: …}]`.'],
  [groups('groupBy: [language], first: 5'), '`limit` says how many groups there are.'],
  [
    groups('groupBy: [language], skip: 5'),
    'There are no offsets: pass the `endCursor` of `groupsPageInfo` as `after`.',
  ],
  [
    groups('groupBy: [language], before: "x"'),
    'Groups are paged forwards: pass the `endCursor` of `groupsPageInfo` as `after`.',
  ],
  [
    '{ techServiceNewsArticleAggregate { pageInfo { hasNextPage } } }',
    'Where a page of groups ends is in `groupsPageInfo`.',
  ],
  [
    groups('groupBy: [language], sortBy: [{field: count}]'),
    'Groups are ordered with `orderBy: COUNT_DESC` or `rankBy`.',
  ],
  // Conditions.
  [list('where: {title: {regex: "x"}}'), texts],
  [list('where: {title: {like: "x"}}'), texts],
  [list('where: {title: {search: "x"}}'), texts],
  [list('where: {title: {endsWith: "x"}}'), texts],
  [list('where: {title: {not: "x"}}'), 'Other values are found with `ne` and `notIn`.'],
  [list('where: {wordCount: {between: [1, 2]}}'), 'A range is `{gte: …, lt: …}`.'],
  [list('where: {wordCount: {_gt: 1}}'), 'Operators have no `_` or `$` before them: write `gt`.'],
  [list('where: {title: "x"}'), 'Name an operator, such as `{eq: …}`.'],
  [list('where: {url: "x"}'), 'Name an operator, such as `{sameUrl: …}`.'],
  [list('where: {url: {like: "x"}}'), 'A web address is found with `sameUrl` however it was copied,'],
  [list('where: {url: {link: "x"}}'), 'A web address is found with `sameUrl` however it was copied,'],
  [list('where: {title: {sameUrl: "x"}}'), 'Only fields of format `uri` have `sameUrl`;'],
  [list('where: {title_contains: "x"}'), 'Write `title: {contains: …}`.'],
  [
    list('where: {search: "x"}'),
    'Text is searched with `title: {contains: "…"}`, which ignores case and accents; words with the argument `search` of the list.',
  ],
  [list('where: {or: []}'), joined],
  [list('where: {id: {eq: "x"}}'), 'Write `uri`: an id is the URI of its record.'],
  [enrichments('{topics: "x"}'), 'Name an operator, such as `{has: …}`.'],
  [enrichments('{topics: {eq: "x"}}'), 'Elements of an array are found with `has`, `hasAny` and `hasAll`.'],
  [list('where: {techServiceNewsEnrichmentViaArticle: {gte: 2}}'), 'Their number is `count: {gte: …}`.'],
  [list('where: {techServiceNewsEnrichmentViaArticle: {size: 2}}'), 'Their number is `count: {gte: …}`.'],
  [
    list('where: {techServiceNewsEnrichmentViaArticle: {sentiment: {eq: "mixed"}}}'),
    'Say of which records: `some: {sentiment: …}`, or `none`.',
  ],
  [
    list('where: {techServiceNewsEnrichmentViaArticle: {every: {}}}'),
    'Every one meets a condition if not one fails it: `none: {NOT: {…}}`.',
  ],
  [list('where: {techServiceNewsEnrichmentViaArticle: {count: 2}}'), 'Name an operator, such as `{eq: …}`.'],
  [list('distinct: [source]'), 'The first record of each value is found with `distinctOn: [<field>]`'],
  [
    list('sortBy: [{field: count}]'),
    'Numbers of records that refer are `techServiceNewsArticleViaDuplicateOf_count`',
  ],
  [enrichments('{entities: {name: {eq: "x"}}}'), 'Say which elements: `some: {name: …}`.'],
  [list('where: {wordCount: {gt: "5"}}'), 'Numbers are written without quotes.'],
  [list('first: "5"'), 'Numbers are written without quotes.'],
  // Orders and groups.
  [list('sortBy: title'), 'Write `{field: title, direction: ASC}`.'],
  [list('sortBy: [{title: ASC}]'), 'Write `{field: title, direction: ASC}`.'],
  [list('sortBy: [{field: id}]'), 'Write `uri`: an id is the URI of its record.'],
  [
    groups('groupBy: [source.displayName]'),
    'Names have no dots: in `groupBy` write `source_displayName`, in `where` `source: {displayName: …}`.',
  ],
  [groups('groupBy: ["source.displayName"]'), 'Did you mean the enum value "source_displayName"?'],
  [groups('groupBy: [displayName]'), 'Did you mean `source_displayName`?'],
  [groups('groupBy: [{field: language}]'), 'Write the names alone, such as `groupBy: [language]`.'],
]

test('common mistakes get advice', async () => {
  for (const [query, advice] of mistakes) {
    const message = await told(query)
    assert.ok(message.includes(advice), `${query}\n  is told\n${message}\n  and not\n${advice}`)
  }
})

test('advice takes the place of names that look alike', async () => {
  assert.equal(
    await told(list('where: {title: {like: "x"}}')),
    `Expected value of type "StringWhereInput" not to include unknown field "like". Found: { like: "x" }. ${texts}`,
  )
})

test('advice begins a sentence of its own', async () => {
  assert.equal(
    await told(list('first: "3"')),
    'Int cannot represent non-integer value: "3". Numbers are written without quotes.',
  )
})

test('a mistake in variables gets the advice that it gets in the document', async () => {
  const query =
    'query ($where: TechServiceNewsArticleWhereInput) { techServiceNewsArticle(where: $where) { totalCount } }'
  assert.ok((await told(query, { where: { title: { regex: 'x' } } })).includes(texts))
})

test('where the validator has its own suggestion of a name, no second one is made', async () => {
  const message = await told('{ techServiceNewsArticles { totalCount } }')
  assert.match(message, /^[^?]+Did you mean "techServiceNewsArticle"[^?]+\?$/)
})
