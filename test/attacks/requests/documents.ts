/** Attacks with documents: what takes long to parse, to validate, to plan or to answer for the bytes that it has. */
import { getIntrospectionQuery } from 'graphql'
import { asked, type Attack, attacks, posted, repeat, variants } from '../attack.ts'

const list = 'techServiceNewsArticle'
/** Each fragment spreads the next one twice: 2^n fields from n lines. */
const doubling = (count: number): string =>
  `{ ...F0 } ${repeat(count, (index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 1} }`)} fragment F${count} on Query { __typename }`
const chain = (count: number): string =>
  `{ ...F0 } ${repeat(count, (index) => `fragment F${index} on Query { ...F${index + 1} }`)} fragment F${count} on Query { __typename }`
const ring = (count: number): string =>
  `{ ...F0 } ${repeat(count, (index) => `fragment F${index} on Query { ...F${(index + 1) % count} }`)}`
const ofType = (levels: number): string =>
  `{ __schema { types { fields { type ${'{ ofType '.repeat(levels)}{ name }${' }'.repeat(levels)} } } } }`
const toAndFro = (levels: number): string =>
  `{ techServiceNewsSource { nodes { ${'techServiceNewsArticleViaSource { nodes { sourceResolved { ... on TechServiceNewsSource { '.repeat(levels)}domain${' } } } }'.repeat(levels)} } } }`
const where = (condition: string): string => `{ ${list}(where: ${condition}) { totalCount } }`
/** Where a document has a name that the schema must have. */
const names = [
  '{ NAME }',
  `{ ${list}(NAME: 1) { totalCount } }`,
  'query ($x: NAME) { __typename }',
  `{ ${list}(sortBy: [{field: NAME}]) { totalCount } }`,
]
/** Over any price. */
const tooCostly = repeat(
  20,
  (index) => `b${index}: ${list}(first: 100) { nodes { ${repeat(45, (field) => `c${field}: recordJson`)} } }`,
)

export const documentAttacks: readonly Attack[] = [
  ...attacks({ status: 400, code: 'QUERY_TOO_COMPLEX', leaves: 'open' }, [
    [
      'fields that overlap in inline fragments',
      asked(`{ ${repeat(600, () => `... { ${list} { nodes { uri } } }`)} }`),
    ],
    ['867 bytes that are 262,144 fields', asked(doubling(18))],
    [
      'a hundred aliases of __type',
      asked(`{ ${repeat(100, (index) => `a${index}: __type(name: "Query") { name fields { name } }`)} }`),
    ],
    [
      'aliases of all fields of all types, of which nothing is left',
      asked(
        `{ __schema { types { ${repeat(120, (index) => `a${index}: fields { name @skip(if: true) }`)} } } }`,
      ),
    ],
    [
      'the whole schema, beside what costs too much',
      asked(getIntrospectionQuery().replace('{', `{ ${tooCostly} `)),
    ],
    ['ofType 100 levels deep', asked(ofType(100))],
    ['500,000 tokens', asked(`{ ${',x'.repeat(500_000).slice(0, 1_000_000)} }`)],
    ['500,000 brackets', asked('{'.repeat(500_000))],
    [
      'a variable type of 1,000 lists',
      asked(`query ($x: ${'['.repeat(1_000)}Int${']'.repeat(1_000)}) { __typename }`),
    ],
    ['references to and fro, over the price', asked(toAndFro(3))],
  ]),
  ...attacks({ status: 400, code: 'GRAPHQL_VALIDATION_FAILED', leaves: 'open' }, [
    ['a ring of 50 fragments', asked(ring(50))],
    [
      'rings of fragments beside each other',
      asked(
        `{ ...F0 } ${repeat(20, (index) => `fragment F${index} on Query { ${repeat(20, (other) => `...F${other}`)} }`)}`,
      ),
    ],
    [
      'a ring through fields',
      asked(
        `{ ${list} { ...A } } fragment A on TechServiceNewsArticleConnection { nodes { sourceResolved { ... on TechServiceNewsSource { techServiceNewsArticleViaSource { ...A } } } } }`,
      ),
    ],
    [
      '2,000 fields that do not exist',
      asked(`{ ${list} { nodes { ${repeat(2_000, (index) => `x${index}`)} } } }`),
    ],
    ['a field of 900 characters that is nearly one', asked(`{ ${list.repeat(40)} }`)],
    ...variants('90,000 characters where there is', names, (place) =>
      asked(place.replace('NAME', 'x'.repeat(90_000))),
    ),
    ['a date of 19,000 characters', asked(where(`{publishedAt: {gt: "${'x'.repeat(19_000)}"}}`))],
    ['an integer of 90,000 digits', asked(`{ ${list}(first: ${'9'.repeat(90_000)}) { totalCount } }`)],
    ...variants('__proto__ where there is', names, (place) => asked(place.replace('NAME', '__proto__'))),
    ['a field toString', asked(`{ ${list} { nodes { toString hasOwnProperty valueOf } } }`)],
    ['a directive twice', asked('{ __typename @skip(if: false) @skip(if: false) }')],
    ['@deprecated on a query', asked('query @deprecated { __typename }')],
    ['@defer and @stream', asked(`{ ... @defer { __typename } ${list} { nodes @stream { uri } } }`)],
    [
      'a subscription of 2,000 fields',
      asked(`subscription { ${repeat(2_000, (index) => `a${index}: __typename`)} }`),
    ],
    ['100 variables of one name', asked(`query (${repeat(100, () => '$a: Int', ',')}) { __typename }`)],
    [
      '100 variables that nobody uses',
      asked(`query (${repeat(100, (index) => `$v${index}: Int`, ',')}) { __typename }`),
    ],
    [
      '3,000 arguments of one name',
      asked(`{ ${list}(${repeat(3_000, () => 'first: 1', ',')}) { totalCount } }`),
    ],
    ['3,000 input fields of one name', asked(where(`{title: {${repeat(3_000, () => 'eq: "a"', ',')}}}`))],
    ['a union without its type', asked(`{ ${list} { nodes { sourceResolved { domain } } } }`)],
  ]),
  ...attacks({ status: 400, code: 'GRAPHQL_PARSE_FAILED', leaves: 'open' }, [
    ['90,000 spaces', asked(' '.repeat(90_000))],
    ['a comment of 90,000 characters', asked(`#${'x'.repeat(90_000)}`)],
    ['a block string that is not closed', asked(where(`{title: {eq: """${'x\n'.repeat(45_000)}`))],
    ['9,000 quotes', asked(`{ a(b: ${'"'.repeat(9_001)}) }`)],
    ['a number with a letter', asked(`{ ${list}(first: 1a) { totalCount } }`)],
    ['letters that look like others', asked('{ __typen\u0430me }')],
    ['a right-to-left override', asked('{ __typename \u202e}')],
    ['an escape outside of a string', asked('{ \\u005f_typename }')],
    ['an escape beyond U+10FFFF', asked(where(String.raw`{title: {eq: "\u{110000}"}}`))],
    ['an escape of 10,000 digits', asked(where(`{title: {eq: "\\u{${'0'.repeat(10_000)}61}"}}`))],
    ['a description before a query', asked('"""x""" query { __typename } {')],
    ['a fragment called on', asked('{ ...on } fragment on on Query { __typename }')],
    ['a variable as an alias', asked('{ $a: __typename }')],
  ]),
  ...attacks({ status: 200, code: null, leaves: 'open' }, [
    ['inline fragments 200 levels deep', asked(`${'{ ... '.repeat(200)}{ __typename }${' }'.repeat(200)}`)],
    [
      'forty aliases of a count',
      asked(
        `{ ${repeat(40, (index) => `a${index}: ${list}(where: {description: {contains: "${index}"}}) { totalCount }`)} }`,
      ),
    ],
    [
      '900 aliases of one field',
      asked(`{ ${list} { nodes { ${repeat(900, (index) => `a${index}: title`)} } } }`),
    ],
    [
      'aliases called like properties',
      asked(
        '{ constructor: __typename toString: __typename hasOwnProperty: __typename valueOf: __typename then: __typename }',
      ),
    ],
    ['a chain of 50 fragments', asked(chain(49))],
    [
      '400 fields with @skip by one variable',
      asked(
        `query ($a: Boolean = true) { ${list} { nodes { uri ${repeat(400, (index) => `a${index}: title @skip(if: $a)`)} } } }`,
      ),
    ],
    [
      'a heavy field that is skipped',
      asked(`{ __typename ${list}(first: 100) @skip(if: true) { nodes { uri } } }`),
    ],
    ['a comment of 99,000 characters', asked(`{ __typename } #${'x'.repeat(99_000)}`)],
    [
      'a block string of 100,000 lines that is not used',
      asked(
        `query ($a: String = """${'x\n'.repeat(9_000)}""") { ${list}(where: {title: {eq: $a}}) { totalCount } }`,
      ),
    ],
    ['the schema, as tools ask for it', asked(getIntrospectionQuery())],
    ['a name beyond ASCII in an escape of JSON', posted('{"query":"{ \\u005f\\u005ftypename }"}')],
  ]),
]
