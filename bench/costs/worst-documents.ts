/** Documents that are made to be costly before anything is read, by name, for bench/costs/cost-search.ts. */
import { getIntrospectionQuery } from 'graphql'

interface Document {
  readonly text: string
  readonly variables?: Readonly<Record<string, unknown>>
}

const list = 'techServiceNewsArticle'
const times = (number: number, text: (n: number) => string, between = ' ') =>
  Array.from({ length: number }, (_, n) => text(n)).join(between)
const nodes = (fields: string, given = '') => `{ ${list}${given} { nodes { ${fields} } } }`
const where = (condition: string) => nodes('uri', `(where: {${condition}})`)
const query = `query ($where: TechServiceNewsArticleWhereInput) { ${list}(where: $where) { nodes { uri } } }`
/** One variable in each of the fields that a query may have. */
const everywhere = `query ($where: TechServiceNewsArticleWhereInput) { ${times(99, (n) => `a${n}: ${list}(where: $where) { totalCount }`)} }`
const wide = 'uri cid did rkey title description url publishedAt language country section'
/** With those, 25 fields. */
const articleFields =
  'indexedAt changedAt canonicalUrl updatedAt articleType wordCount isAccessibleForFree guid duplicateOf document usageTerms createdAt tags recordJson'
/** Each fragment spreads the next twice, so that fields double with every one. */
const doubling = (levels: number) =>
  `{ ${list} { nodes { ...f0 } } } ${times(levels, (n) => `fragment f${n} on TechServiceNewsArticle { ...f${n + 1} a${n}: sourceResolved { ... on TechServiceNewsSource { ${list}ViaSource { nodes { ...f${n + 1} } } } } }`)} fragment f${levels} on TechServiceNewsArticle { uri }`
const chain = (length: number, inside = '') =>
  `${times(length, (n) => `fragment f${n} on TechServiceNewsArticle { ...f${n + 1} ${inside} }`)} fragment f${length} on TechServiceNewsArticle { uri }`
const deep = (levels: number) => `${'source { '.repeat(levels)}uri${' }'.repeat(levels)}`
const resolvedChain = (levels: number) => {
  let inner = 'uri'
  for (let level = 0; level < levels; level += 1)
    inner = `sourceResolved { ... on TechServiceNewsSource { ${list}ViaSource(first: 1) { nodes { ${inner} } } } }`
  return nodes(inner)
}
const typeOf = (levels: number, inner: string) =>
  `${'type { ofType { '.repeat(levels)}${inner}${' } }'.repeat(levels)}`
const ofType = (levels: number) => `${'ofType { '.repeat(levels)}name${' }'.repeat(levels)}`

export const documents: Readonly<Record<string, Document>> = {
  'introspection: full': { text: getIntrospectionQuery() },
  'introspection: full, four times': {
    text: `{ ${times(4, (n) => `a${n}: __schema { ...S }`)} } fragment S on __Schema { types { ...FullType } directives { name args { ...InputValue } } } ${getIntrospectionQuery().slice(getIntrospectionQuery().indexOf('fragment'))}`,
  },
  'introspection: fields of types of fields': {
    text: '{ __schema { types { fields { type { fields { name } } } } } }',
  },
  'introspection: fields of types of fields, four times': {
    text: `{ ${times(4, (n) => `a${n}: __schema { types { fields { type { fields { name } } } } }`)} }`,
  },
  'introspection: fields of types of fields, with args': {
    text: '{ __schema { types { fields { name args { name type { name ofType { name ofType { name } } } } type { name fields { name description args { name type { ofType { name } } } type { name } } } } } } }',
  },
  'introspection: enum values of args of fields of types': {
    text: '{ __schema { types { fields { args { type { ofType { ofType { ofType { enumValues { name description } } } enumValues { name } } } } type { fields { args { type { enumValues { name } ofType { enumValues { name } } } } } } } } } }',
  },
  'introspection: aliases of types': {
    text: `{ __schema { ${times(300, (n) => `a${n}: types { name fields { name } }`)} } }`,
  },
  'introspection: aliases of fields of types': {
    text: `{ __schema { types { ${times(500, (n) => `a${n}: fields { name args { name } }`)} } } }`,
  },
  'introspection: aliases of fields of types, of which nothing is left': {
    text: `{ __schema { types { ${times(120, (n) => `a${n}: fields { name @skip(if: true) }`)} } } }`,
  },
  'introspection: aliases of all types, of which nothing is left': {
    text: `{ __schema { ${times(500, (n) => `a${n}: types { name @skip(if: true) }`)} } }`,
  },
  'introspection: names of all types 1000 times': {
    text: `{ __schema { types { ${times(1000, (n) => `a${n}: description`)} } } }`,
  },
  'introspection: ofType 14 deep': { text: `{ __schema { types { fields { type { ${ofType(14)} } } } } }` },
  'introspection: args of args': {
    text: `{ __schema { types { fields { args { type { inputFields { type { inputFields { type { name } } } } } } } } } }`,
  },
  'introspection: input fields of args': {
    text: `{ __schema { types { fields { args { type { inputFields { name type { name ofType { name } } } ofType { inputFields { name } } } } } } } }`,
  },
  'introspection: possible types, their fields, args': {
    text: `{ __schema { types { possibleTypes { fields { name args { name type { name enumValues { name } } } type { name enumValues { name } } } } } } }`,
  },
  'introspection: type of every name': {
    text: `{ ${times(4, (n) => `a${n}: __type(name: "Query") { fields { type { fields { type { ...T } } } args { type { inputFields { type { ...T } } } } } }`)} } fragment T on __Type { name ofType { name ofType { name ofType { name } } } }`,
  },
  'introspection: wrapped': { text: `{ __schema { types { fields { ${typeOf(6, 'name')} } } } }` },

  'tokens: 1 MB of braces': { text: '{'.repeat(1_000_000) },
  'tokens: 1 MB of names': { text: `{ ${'a '.repeat(500_000)}}` },
  'tokens: 20000 of one field': { text: nodes('uri '.repeat(19_900)) },
  'tokens: 5000 of one field': { text: nodes('uri '.repeat(4_990)) },
  'tokens: 1000 of one field': { text: nodes('uri '.repeat(990)) },
  'tokens: 200 of one field': { text: nodes('uri '.repeat(200)) },
  'text: 1 MB of comments': { text: `${'# comment\n'.repeat(100_000)}{ __typename }` },
  'text: 1 MB of one comment': { text: `#${'x'.repeat(1_000_000)}\n{ __typename }` },
  'text: 1 MB of commas': { text: `${','.repeat(1_000_000)}{ __typename }` },
  'text: 1 MB of lines': { text: `${'\n'.repeat(1_000_000)}{ __typename }` },
  'text: 1 MB of lines, then an error': { text: `${'\n'.repeat(1_000_000)}{ __typename ?` },
  'text: 1 MB on a line, then an error': { text: `${' '.repeat(1_000_000)}{ __typename ?` },
  'text: a name of 1 MB': { text: `{ ${'x'.repeat(1_000_000)} }` },
  'text: a type of 1 MB': { text: `{ ... on ${'x'.repeat(1_000_000)} { a } }` },
  'text: a number of 1 MB': { text: where(`wordCount: {eq: ${'1'.repeat(1_000_000)}}`) },
  'text: a string of 1 MB': { text: where(`title: {eq: "${'x'.repeat(1_000_000)}"}`) },
  'text: a string of 1 MB of escapes': { text: where(`title: {eq: "${'\\u0041'.repeat(160_000)}"}`) },
  'text: a block string of 1 MB': { text: where(`title: {eq: """${'x\n'.repeat(500_000)}"""}`) },
  'text: a block string of 1 MB of blanks': { text: where(`title: {eq: """${' '.repeat(1_000_000)}x"""}`) },
  'text: block strings of 20000': {
    text: where(`OR: [${times(40, () => `{title: {contains: """${' \n'.repeat(9_000)}x"""}}`)}]`),
  },
  'text: a description of 1 MB': { text: `"${'x'.repeat(1_000_000)}" query { __typename }` },
  'text: one character that is none': { text: `{ a \u0000 }` },
  'text: half a surrogate pair': { text: `{ a "\ud800" }` },
  'text: unicode names': { text: `{ ${'é '.repeat(100_000)} }` },
  'text: needle of 20000 that folds': { text: where(`title: {contains: "${'ﷺ'.repeat(20_000)}"}`) },
  'text: needle of 1000 that folds': { text: where(`title: {contains: "${'ﷺ'.repeat(1_000)}"}`) },

  'fields: 4900 unknown': { text: nodes(times(4_900, (n) => `unknownField${n}`)) },
  'fields: 4900 nearly known': { text: nodes(times(4_900, (n) => `titl${n}`)) },
  'fields: 4900 aliases of one': { text: nodes(times(4_900, (n) => `a${n}: title`)) },
  'fields: 900 aliases of one': { text: nodes(times(900, (n) => `a${n}: title`)) },
  'fields: 1000 lists with other arguments': {
    text: nodes(
      `sourceResolved { ... on TechServiceNewsSource { ${times(900, (n) => `a${n}: ${list}ViaSource(first: ${n}) { nodes { uri } }`)} } }`,
    ),
  },
  'fields: one list 1000 times with other arguments': {
    text: `{ ${times(1000, (n) => `${list}(first: ${n}) { nodes { uri } }`)} }`,
  },
  'fields: one list 100 times with other arguments': {
    text: `{ ${times(100, (n) => `${list}(first: ${n}) { nodes { uri } }`)} }`,
  },
  'fields: one list 600 times alike': {
    text: `{ ${times(600, () => `${list} { nodes { ${'uri '.repeat(6)} } }`)} }`,
  },
  'fields: one list 70 times with 60 fields': {
    text: `{ ${times(70, () => `${list} { nodes { ${wide} ${wide} ${wide} ${wide} ${wide} } }`)} }`,
  },
  'fields: a nest of one field 8 wide and 4 deep': { text: `{ ${list} { nodes { ${nest(8, 4)} } } }` },
  'fields: a nest of one field 3 wide and 7 deep': { text: `{ ${list} { nodes { ${nest(3, 6)} } } }` },
  'fields: a nest of one field 2 wide and 11 deep': { text: `{ ${list} { nodes { ${nest(2, 9)} } } }` },
  'fields: 500 conflicts': { text: nodes(times(250, (n) => `a${n}: title a${n}: url`)) },
  'fields: 200 conflicts in one': {
    text: nodes(times(200, (n) => `a: ${['title', 'url', 'uri', 'cid'][n % 4]}`)),
  },
  'fields: 6 outlets deep': { text: resolvedChain(6) },
  'depth: 1000': { text: nodes(deep(1_000)) },
  'depth: 31': { text: nodes(deep(28)) },

  'fragments: 867 bytes become 262144 fields': { text: doubling(9).replaceAll(list, list) },
  'fragments: doubling, 18 levels': { text: doubling(18) },
  'fragments: doubling, 3 levels': { text: doubling(3) },
  'fragments: a chain of 2000': { text: `${nodes('...f0')} ${chain(2_000)}` },
  'fragments: a chain of 90': { text: `${nodes('...f0')} ${chain(90, wide)}` },
  'fragments: a chain of 20, wide': { text: `${nodes('...f0')} ${chain(20, `${wide} ${wide}`)}` },
  'fragments: 1500 of the same fields': {
    text: `${nodes(times(1_500, (n) => `...f${n}`))} ${times(1_500, (n) => `fragment f${n} on TechServiceNewsArticle { uri title }`)}`,
  },
  'fragments: 90 of the same fields': {
    text: `${nodes(times(90, (n) => `...f${n}`))} ${times(90, (n) => `fragment f${n} on TechServiceNewsArticle { ${wide} }`)}`,
  },
  'fragments: 90 of the same lists': {
    text: `${nodes(times(90, (n) => `...f${n}`))} ${times(90, (n) => `fragment f${n} on TechServiceNewsArticle { sourceResolved { ... on TechServiceNewsSource { ${list}ViaSource { nodes { ...g${n} } } } } } fragment g${n} on TechServiceNewsArticle { ${wide} }`)}`,
  },
  'fragments: 50 of the same lists': {
    text: `${nodes(times(50, (n) => `...f${n}`))} ${times(50, (n) => `fragment f${n} on TechServiceNewsArticle { sourceResolved { ... on TechServiceNewsSource { ${list}ViaSource { nodes { ${wide} } } } } }`)}`,
  },
  'fragments: a circle': {
    text: `${nodes('...a')} fragment a on TechServiceNewsArticle { ...b } fragment b on TechServiceNewsArticle { ...a }`,
  },
  'fragments: a circle with two ways through each': {
    text: `${nodes('...f0')} ${times(80, (n) => `fragment f${n} on TechServiceNewsArticle { a: sourceResolved { ... on TechServiceNewsSource { ${list}ViaSource { nodes { ...f${(n + 1) % 80} } } } } b: sourceResolved { ... on TechServiceNewsSource { ${list}ViaSource { nodes { ...f${(n + 1) % 80} } } } } }`)}`,
  },
  'fragments: 90 that spread all': {
    text: `${nodes('...f0')} ${times(60, (n) => `fragment f${n} on TechServiceNewsArticle { uri ${times(60, (m) => `...f${m}`)} }`)}`,
  },
  'fragments: 60 that spread all below': {
    text: `${nodes('...f0')} ${times(60, (n) => `fragment f${n} on TechServiceNewsArticle { ${n === 59 ? 'uri' : times(59 - n, (m) => `...f${n + 1 + m}`)} }`)}`,
  },
  'fragments: 3000 unused': {
    text: `{ __typename } ${times(3_000, (n) => `fragment f${n} on TechServiceNewsArticle { uri }`)}`,
  },
  'fragments: 90 unused': {
    text: `{ __typename } ${times(90, (n) => `fragment f${n} on TechServiceNewsArticle { uri }`)}`,
  },
  'fragments: 5000 inline': { text: nodes('... { '.repeat(1) + times(3_000, () => '... { uri }') + ' }') },
  'fragments: inline 250 deep': { text: nodes('... { '.repeat(240) + 'uri' + ' }'.repeat(240)) },
  'fragments: unknown 1000': { text: nodes(times(1_000, (n) => `...f${n}`)) },

  'operations: 2000': { text: times(2_000, (n) => `query q${n} { __typename }`) },
  'operations: 40, each with 90 fragments': {
    text: `${times(40, (n) => `query q${n} ${nodes('...f0')}`)} ${chain(90, wide)}`,
  },
  'operations: 10, each with 90 fragments and 90 variables': {
    text: `${times(10, (n) => `query q${n}(${times(90, (v) => `$v${v}: Boolean!`)}) ${nodes('...f0')}`)} ${times(90, (n) => `fragment f${n} on TechServiceNewsArticle { ...f${n + 1} a${n}: uri @include(if: $v${n}) }`)} fragment f90 on TechServiceNewsArticle { uri }`,
  },
  'variables: 4000 unused': { text: `query (${times(4_000, (n) => `$v${n}: Int`)}) { __typename }` },
  'variables: 100 unused': { text: `query (${times(100, (n) => `$v${n}: Int`)}) { __typename }` },
  'variables: 4000 of one name': { text: `query (${times(4_000, () => '$v: Int')}) { __typename }` },
  'variables: one used 900 times': {
    text: `query ($v: Boolean!) ${nodes(times(900, (n) => `a${n}: uri @include(if: $v)`))}`,
  },
  'variables: 1000 not defined': { text: nodes(times(1_000, (n) => `a${n}: uri @include(if: $v${n})`)) },
  'variables: 100 deep defaults': {
    text: `query ($v: [Int] = ${'['.repeat(100)}1${']'.repeat(100)}) { __typename }`,
  },
  'variables: unknown types': {
    text: `query (${times(100, (n) => `$v${n}: TechServiceNewsArticel${n}`)}) { __typename }`,
  },
  'directives: 6000 on one field': { text: nodes(`uri ${'@include(if: true) '.repeat(3_300)}`) },
  'directives: 6000 unknown on one field': { text: nodes(`uri ${times(6_000, (n) => `@d${n}`)}`) },
  'directives: 900 fields with one each': { text: nodes(times(900, (n) => `a${n}: uri @include(if: true)`)) },
  'directives: 100 fields with two each': {
    text: nodes(times(100, (n) => `a${n}: uri @include(if: true) @skip(if: false)`)),
  },

  'literals: 250 deep lists': { text: where(`title: {in: ${'['.repeat(240)}"a"${']'.repeat(240)}}`) },
  'literals: 100 deep AND': { text: where(`${'AND: {'.repeat(100)}uri: {eq: "a"}${'}'.repeat(100)}`) },
  'literals: 19000 in a list': { text: where(`title: {in: [${times(19_000, (n) => `"${n}"`)}]}`) },
  'literals: 1000 in a list, ten times': {
    text: where(`OR: [${times(10, () => `{title: {in: [${times(1000, (n) => `"${n}"`)}]}}`)}]`),
  },
  'literals: 19000 numbers in a list of strings': { text: where(`title: {in: [${times(19_000, String)}]}`) },
  'literals: an object of 4000 unknown fields': { text: where(times(4_000, (n) => `f${n}: 1`)) },
  'literals: an object of 4000 alike': { text: where(times(4_000, () => 'title: {eq: "a"}')) },
  'literals: 1000 conditions': { text: where(`OR: [${times(1_500, () => '{title: {eq: "a"}}')}]`) },
  'literals: 300 wrong enums': {
    text: nodes('uri', `(sortBy: [${times(1_000, (n) => `{field: titel${n}}`)}])`),
  },

  'near the limits: 100 lists of 45 fields': {
    text: `{ ${times(100, (n) => `a${n}: ${list} { nodes { ${times(45, (m) => `b${m}: uri`).replaceAll(/b\d+: /g, '')} } }`)} }`,
  },
  'near the limits: 100 lists of 45 other fields': {
    text: `{ ${times(100, (n) => `a${n}: ${list} { nodes { ${wide} ${wide} ${wide} ${wide} } }`)} }`,
  },
  'near the limits: one list 100 times with 45 fields': {
    text: `{ ${times(100, () => `${list} { nodes { ${wide} } }`)} }`,
  },
  'near the limits: 10 wide, 2 deep': { text: `{ ${list} { nodes { ${nest(10, 2)} } } }` },
  'near the limits: 4 wide, 3 deep': { text: `{ ${list} { nodes { ${nest(4, 3)} } } }` },
  'near the limits: 2 wide, 6 deep': { text: `{ ${list} { nodes { ${nest(2, 6)} } } }` },
  'near the limits: 100 at the bottom of 5 levels': {
    text: nodes(
      `${'sourceResolved { ... on TechServiceNewsSource { techServiceNewsArticleViaSource { nodes { '.repeat(5)}${times(99, () => `source { ${'uri '.repeat(1)} }`)}${' } } } }'.repeat(5)}`,
    ),
  },
  'near the limits: 4900 empty conditions': { text: where(`OR: [${'{} '.repeat(4_900)}]`) },
  'near the limits: 4900 empty conditions, twice': { text: where(`OR: [${'{NOT: {}} '.repeat(1_600)}]`) },
  'near the limits: 1000 aliases with a directive each of 500': {
    text: nodes(times(990, (n) => `a${n}: uri ${n < 490 ? '@include(if: true)' : ''}`)),
  },
  'near the limits: 48 fragments with 99 fields each': {
    text: `${nodes(times(48, (n) => `...f${n}`))} ${times(48, (n) => `fragment f${n} on TechServiceNewsArticle { ${times(99, (m) => `f${n}: uri`.replace('uri', m % 2 ? 'uri' : 'uri')).replaceAll(/f\d+: /g, '')} }`)}`,
  },
  'near the limits: 48 fragments with 11 fields, in 9 lists': {
    text: `{ ${times(9, (n) => `a${n}: ${list} { nodes { ${times(48, (m) => `...f${m}`)} } }`)} } ${times(48, (n) => `fragment f${n} on TechServiceNewsArticle { ${wide} }`)}`,
  },
  'near the limits: 20 operations of 48 fragments, 99 variables': {
    text: `${times(20, (n) => `query q${n}(${n === 0 ? times(95, (v) => `$v${v}: Boolean!`) : ''}) ${nodes('...f0')}`)} ${times(48, (n) => `fragment f${n} on TechServiceNewsArticle { ...f${n + 1} a${n}: uri @include(if: $v${n}) b${n}: uri @include(if: $v${n + 47}) }`)} fragment f48 on TechServiceNewsArticle { uri }`,
  },
  'few values, much writing: 99 records with 25 fields': {
    text: `{ ${times(99, (n) => `a${n}: ${list}ByUri(uri: "at://did:plc:a/b.c.d/e${n}") { ...f }`)} } fragment f on TechServiceNewsArticle { ${wide} ${articleFields} }`,
  },
  'few values, much writing: 49 fragments of 25 equal fields': {
    text: `${nodes(times(49, (n) => `...f${n}`))} ${times(49, (n) => `fragment f${n} on TechServiceNewsArticle { ${wide} ${articleFields} }`)}`,
  },
  'few values, much writing: 300 lists within a record': {
    text: nodes(
      times(300, (n) => `a${n}: techServiceNewsEnrichmentViaArticle(first: 1) { nodes { uri } }`),
      '(first: 1)',
    ),
  },
  'few values, much writing: 390 conditions with nothing given': {
    text: `query ($t: String) ${where(`OR: [${times(390, () => '{title: {eq: $t}}')}]`)}`,
  },
  'near the limits: spreads of one fragment': {
    text: `${nodes('...f '.repeat(4_900))} fragment f on TechServiceNewsArticle { uri }`,
  },
  'near the limits: 90 wrong arguments in 1000 fields': {
    text: nodes(times(99, (n) => `a${n}: uri(${times(20, (m) => `x${m}: 1`)})`)),
  },
  'near the limits: fields of types of fields, all aliases': {
    text: `{ __schema { types { ${times(9, (n) => `a${n}: fields { type { fields { name } } }`)} } } }`,
  },
  'in variables: 250 conditions, used 99 times': {
    text: everywhere,
    variables: { where: { OR: Array.from({ length: 250 }, () => ({ rkey: { eq: '' } })) } },
  },
  'in variables: 390 conditions denied, used 99 times': {
    text: everywhere,
    variables: { where: { OR: Array.from({ length: 390 }, () => ({ NOT: { rkey: { eq: '' } } })) } },
  },
  'in variables: 62 deep, used 99 times': { text: everywhere, variables: { where: nestedAnd(62) } },
  'in variables: 900 empty conditions, used 99 times': {
    text: everywhere,
    variables: { where: { OR: Array.from({ length: 900 }, () => ({})) } },
  },
  'in variables: 20 lists of 1000, used 99 times': {
    text: everywhere,
    variables: {
      where: {
        OR: Array.from({ length: 20 }, () => ({ rkey: { in: Array.from({ length: 1_000 }, () => '') } })),
      },
    },
  },
  'in variables: 3900 conditions': {
    text: query,
    variables: { where: { OR: Array.from({ length: 990 }, () => ({ AND: [{}, {}, {}] })) } },
  },
  'in variables: 1000 wrong values': {
    text: query,
    variables: { where: { title: { in: Array.from({ length: 1_000 }, () => 1) } } },
  },
  'in variables: 100 wrong lists of 20000': {
    text: query,
    variables: {
      where: { OR: Array.from({ length: 100 }, () => ({ wordCount: { eq: 'x'.repeat(10_000) } })) },
    },
  },
  'in variables: 60000 conditions': {
    text: query,
    variables: { where: { OR: Array.from({ length: 60_000 }, () => ({ uri: {} })) } },
  },
  'in variables: 250 deep': { text: query, variables: { where: nestedAnd(250) } },
  'in variables: 300000 values': {
    text: query,
    variables: { where: { title: { in: Array.from({ length: 300_000 }, () => 'a') } } },
  },
  'in variables: 300000 wrong values': {
    text: query,
    variables: { where: { title: { in: Array.from({ length: 300_000 }, () => 1) } } },
  },
  'in variables: 60000 unknown fields': {
    text: query,
    variables: { where: Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`f${n}`, 1])) },
  },
  'in variables: a string of 1 MB': {
    text: query,
    variables: { where: { title: { contains: 'x'.repeat(1_000_000) } } },
  },
  'in variables: a wrong string of 1 MB': {
    text: query,
    variables: { where: { wordCount: { eq: 'x'.repeat(1_000_000) } } },
  },
  'in variables: an unknown field of 1 MB': {
    text: query,
    variables: { where: { ['x'.repeat(1_000_000)]: 1 } },
  },
  'in variables: a moment of 1 MB': {
    text: query,
    variables: { where: { publishedAt: { lt: '1'.repeat(1_000_000) } } },
  },
  'in variables: a cursor of 1 MB': {
    text: `query ($c: String) { ${list}(after: $c) { nodes { uri } } }`,
    variables: { c: 'x'.repeat(1_000_000) },
  },
  'in variables: a URI of 1 MB': {
    text: `query ($c: String!) { ${list}ByUri(uri: $c) { uri } }`,
    variables: { c: `at://${'x'.repeat(1_000_000)}` },
  },
  'in variables: 100000 that nobody defined': {
    text: query,
    variables: Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`f${n}`, 1])),
  },
}

function nest(width: number, depth: number): string {
  if (depth === 0) return 'uri'
  const inner = nest(width, depth - 1)
  return times(
    width,
    () => `sourceResolved { ... on TechServiceNewsSource { ${list}ViaSource { nodes { ${inner} } } } }`,
  )
}

function nestedAnd(depth: number): object {
  let inner: object = { uri: { eq: 'a' } }
  for (let level = 0; level < depth; level += 1) inner = { AND: [inner] }
  return inner
}
