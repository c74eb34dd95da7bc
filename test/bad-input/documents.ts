/** Documents that do not parse, do not validate, or ask for too much. */
import { type BadRequest, refused, variable } from './bad-request.ts'

const list = (given: string) => `{ techServiceNewsArticle(${given}) { nodes { uri } } }`
const repeat = (count: number, each: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => each(index)).join(' ')
const nestedWhere = (levels: number) =>
  list(`where: ${'{AND: ['.repeat(levels - 1)}{}${']}'.repeat(levels - 1)}`)
const deepType = (levels: number) =>
  `{ __schema { types { ${'fields { type { '.repeat(levels)}name${' } }'.repeat(levels)} } } }`

export const badDocuments: readonly BadRequest[] = [
  ...refused('GRAPHQL_PARSE_FAILED', [
    ['an empty document', '', /Unexpected <EOF>/],
    ['a comment alone', '# nothing', /Unexpected <EOF>/],
    [
      'a bracket that is not closed',
      '{ techServiceNewsArticle { nodes { uri }',
      /Expected Name, found <EOF>/,
    ],
    ['an empty selection', '{ }', /Expected Name, found "}"/],
    ['SQL', 'select * from article', /Unexpected character: "\*"/],
    [
      'a text that is not closed',
      '{ techServiceNewsArticleByUri(uri: "at://) { uri } }',
      /Unterminated string/,
    ],
    ['NUL between tokens', '{ __typename \0 }', /Unexpected character: U\+0000/],
    [
      'half a surrogate pair escaped',
      String.raw`{ techServiceNewsArticle(where: {title: {eq: "\uD83D"}}) { totalCount } }`,
      /Invalid Unicode escape/,
    ],
    [
      'half a surrogate pair as it is',
      `{ techServiceNewsArticle(where: {title: {eq: "\ud83d"}}) { totalCount } }`,
      /Invalid character/,
    ],
  ]),
  ...refused('GRAPHQL_VALIDATION_FAILED', [
    ['an unknown argument', list('frist: 3'), /Did you mean "first"/],
    [
      'contains on a number',
      '{ techServiceNewsEnrichment(where: {impactLevel: {contains: "9"}}) { totalCount } }',
      /"IntWhereInput" not to include unknown field "contains"/,
    ],
    ['a quoted enum value', list('sortBy: [{field: "title"}]'), /Enum values are written without quotes/],
    [
      'an unknown direction',
      list('sortBy: [{field: title, direction: DOWN}]'),
      /Value "DOWN" does not exist in "SortDirection"/,
    ],
    [
      'sorting by text without bound',
      list('sortBy: [{field: description}]'),
      /Value "description" does not exist/,
    ],
    [
      'a reference without selection',
      '{ techServiceNewsArticle { nodes { source } } }',
      /must have a selection of subfields/,
    ],
    [
      'grouping by what has no groups',
      '{ techServiceNewsArticleAggregate(groupBy: [image]) { count } }',
      /Value "image" does not exist in "TechServiceNewsArticleGroupByField"/,
    ],
    [
      'a fragment of a type that is not there',
      '{ techServiceNewsArticle { nodes { ... on TechServiceNewsSource { domain } } } }',
      /can never be of type "TechServiceNewsSource"/,
    ],
    ['a fragment alone', 'fragment A on Query { __typename }', /Fragment "A" is never used/],
    ['a fragment that is not there', '{ ...Missing }', /Unknown fragment "Missing"/],
    [
      'a fragment that contains itself',
      '{ ...A } fragment A on Query { ...A }',
      /Cannot spread fragment "A" within itself/,
    ],
    ['a variable that is not declared', list('first: $size'), /Variable "\$size" is not defined/],
    [
      'a variable of the wrong type',
      'query ($size: String) { techServiceNewsArticle(first: $size) { totalCount } }',
      /"String" used in position expecting type "Int"/,
    ],
    ['a variable of no type', 'query ($x: Nothing) { __typename }', /Unknown type "Nothing"/],
    [
      'one key for two fields',
      '{ a: techServiceNewsArticle { totalCount } a: techServiceNewsSource { totalCount } }',
      /Fields "a" conflict/,
    ],
    [
      'one key for two arguments',
      '{ techServiceNewsArticle(first: 1) { totalCount } techServiceNewsArticle(first: 2) { totalCount } }',
      /conflict because they have differing arguments/,
    ],
    ['an unknown directive', '{ __typename @live }', /Unknown directive "@live"/],
    ['@include without if', '{ __typename @include }', /@include\(if:\)".* is required/],
    [
      'a mutation',
      'mutation { createArticle(title: "x") { uri } }',
      /read-only: write a query instead of a mutation/,
    ],
    [
      'a subscription',
      'subscription { techServiceNewsArticle { totalCount } }',
      /read-only: write a query instead of a subscription/,
    ],
    [
      'a mutation beside a query',
      'query A { __typename } mutation B { x }',
      /read-only/,
      { operationName: 'A' },
    ],
    ['a type definition', 'type Query { x: Int } { __typename }', /not executable/],
  ]),
  ...refused('BAD_USER_INPUT', [
    [
      'two operations without a name',
      'query A { __typename } query B { __typename }',
      /set operationName to one of A, B/,
    ],
    [
      'an operation that is not there',
      'query A { __typename }',
      /no operation named "C"; it has A/,
      { operationName: 'C' },
    ],
  ]),
  ...refused('QUERY_TOO_COMPLEX', [
    ['65 levels of AND', nestedWhere(65), /nested too deep: 65, and the limit is 64/],
    [
      '33 joins',
      list(`where: {AND: [${repeat(33, () => '{source: {country: {eq: "x"}}}')}]}`),
      /too many references and arrays: 33, and the limit is 32/,
    ],
    [
      '401 conditions',
      list(`where: {OR: [${repeat(401, (index) => `{wordCount: {eq: ${index}}}`)}]}`),
      /too many conditions: 401, and the limit is 400/,
    ],
    [
      '1,001 values in a list',
      list(`where: {wordCount: {in: [${repeat(1001, String)}]}}`),
      /`in` has too many values: 1001, and the limit is 1000/,
    ],
    variable(
      '100,000 values in a variable',
      '[Int!]',
      'where: {wordCount: {in: $x}}',
      Array.from({ length: 100_000 }, (_, index) => index),
      /100000, and the limit is 1000/,
    ),
    variable(
      'a needle of 20,001 characters',
      'String',
      'where: {title: {contains: $x}}',
      'x'.repeat(20_001),
      /A string in the variables is too long: 20001, and the limit is 20000/,
    ),
    [
      'a needle of 1,001 characters',
      list(`where: {title: {startsWith: "${'x'.repeat(1_001)}"}}`),
      /`startsWith` looks for too many characters: 1001, and the limit is 1000/,
    ],
    [
      'a text of 20,001 characters',
      list(`where: {title: {eq: "${'x'.repeat(20_001)}"}}`),
      /A string in the document is too long: 20001, and the limit is 20000/,
    ],
    [
      'six sort fields',
      list(
        'sortBy: [{field: uri}, {field: did}, {field: rkey}, {field: title}, {field: url}, {field: createdAt}]',
      ),
      /`sortBy` has too many fields: 6, and the limit is 5/,
    ],
    [
      'six group fields',
      '{ techServiceNewsArticleAggregate(groupBy: [language, section, country, did, source, articleType]) { count } }',
      /`groupBy` has too many fields: 6, and the limit is 5/,
    ],
    ['10,000 nested levels', `${'{a'.repeat(10_000)}${'}'.repeat(10_000)}`, /nested too deep: 257/],
    [
      '1,001 aliases',
      `{ ${repeat(1_001, (index) => `a${index}: __typename`)} }`,
      /Too many fields have an alias, fragments spread: 1001, and the limit is 1000/,
    ],
    [
      '6,000 fields',
      `{ ${repeat(6_000, () => '__typename')} }`,
      /Too many fields .*6000, and the limit is 5000/,
    ],
    [
      '600,000 characters',
      `{ ${',x'.repeat(300_000)} }`,
      /too many characters: 600004, and the limit is 100000/,
    ],
    ['10,001 tokens', `{ ${',x'.repeat(10_000)} }`, /too many tokens: 10001, and the limit is 10000/],
    [
      '101 fields of the query',
      `{ ${repeat(101, (index) => `a${index}: __typename`)} }`,
      /Too many fields are selected of the query itself: 101, and the limit is 100/,
    ],
    [
      'one field 51 times',
      `{ techServiceNewsSource { nodes { ${repeat(50, () => 'uri')} } ...F } } fragment F on TechServiceNewsSourceConnection { nodes { uri } }`,
      /One field is selected too often in one place: 51, and the limit is 50/,
    ],
    [
      '21 operations',
      repeat(21, (index) => `query q${index} { __typename }`),
      /too many operations: 21, and the limit is 20/,
    ],
    [
      '51 fragments',
      `{ __typename } ${repeat(51, (index) => `fragment f${index} on Query { __typename }`)}`,
      /too many fragments: 51, and the limit is 50/,
    ],
    [
      '501 spreads',
      `{ ${repeat(501, () => '...F')} } fragment F on Query { __typename }`,
      /spread in too many places: 501, and the limit is 500/,
    ],
    [
      '101 variables',
      `query (${repeat(101, (index) => `$v${index}: Int`)}) { __typename }`,
      /defines too many variables: 101, and the limit is 100/,
    ],
    [
      '6 directives of one field',
      `{ __typename ${repeat(6, () => '@include(if: true)')} }`,
      /Too many directives are in one place: 6, and the limit is 5/,
    ],
    [
      '501 directives',
      `{ techServiceNewsSource { nodes { ${repeat(501, (index) => `a${index}: uri @skip(if: false)`)} } } }`,
      /too many directives: 501, and the limit is 500/,
    ],
    [
      '2,001 input objects',
      list(`where: {OR: [${repeat(2_000, () => '{}')}]}`),
      /too many input objects: 2001, and the limit is 2000/,
    ],
    variable(
      '2,001 input objects in variables',
      'TechServiceNewsArticleWhereInput',
      'where: $x',
      { OR: Array.from({ length: 900 }, () => ({ AND: [{}, {}] })) },
      /too many objects: \d+, and the limit is 2000/,
    ),
    variable(
      '5,001 names in variables',
      'TechServiceNewsArticleWhereInput',
      'where: $x',
      { title: Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`n${index}`, 'a'])) },
      /too many names: 5002, and the limit is 5000/,
    ),
    [
      '100,000 values in variables',
      'query ($x: TechServiceNewsArticleWhereInput) { techServiceNewsArticle(where: $x) { totalCount } }',
      /too many names and values: \d+, and the limit is 60000/,
      {
        variables: {
          x: { OR: Array.from({ length: 100 }, () => ({ title: { in: Array(1_000).fill('a') } })) },
        },
      },
    ],
    [
      'the schema six times at once',
      `{ __schema { ${repeat(6, (n) => `a${n}: types { fields { name description args { name description } type { name kind } } inputFields { name description } enumValues { name description } }`)} } }`,
      /Too much of the schema is asked for at once: \d+, and the limit is 2\d{4}/,
    ],
    ['deep introspection', deepType(40), /Selections are nested too deep: 83, and the limit is 32/],
    variable(
      '65 levels of NOT in variables',
      'TechServiceNewsArticleWhereInput',
      'where: $x',
      nestedNot(64),
      /nested too deep: 65, and the limit is 64/,
    ),
  ]),
]

function nestedNot(levels: number): unknown {
  let value: unknown = {}
  for (let level = 0; level < levels; level++) value = { NOT: value }
  return value
}
