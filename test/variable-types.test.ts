/** Variables declared as the schema of another server of these records has them: each is taken, and checked when it is sent. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeCorpora, corpusNamed } from './golden/corpora.ts'
import type { Json } from './reference/shapes.ts'

after(closeCorpora)
const { service } = await corpusNamed('demo', 'sqlite')
const article = 'TechServiceNewsArticle'

async function execute(query: string, variables: Json = {}): Promise<Json> {
  const answer = await service.engine.execute({ query, variables })
  return answer.kind === 'data'
    ? JSON.parse(new TextDecoder().decode(answer.body)).data
    : assert.fail(`${query}: ${JSON.stringify(answer)}`)
}

/** A declaration, where its variable stands in the list, and a value; the same is asked with the value as a literal. */
const conditions = (declared: string, field: string, value: Json, literal: string) =>
  ({ declared, place: `where: {${field}: $v}`, value, literal: `where: {${field}: ${literal}}` }) as const
const operand = (declared: string, field: string, operator: string, value: Json) => ({
  declared,
  place: `where: {${field}: {${operator}: $v}}`,
  value,
  literal: `where: {${field}: {${operator}: ${JSON.stringify(value)}}}`,
})
const day = '2026-11-01'
const names = ['String', 'Int', 'DateTime', 'Boolean', 'Uri', 'ID'] as const
const declarations = [
  ...['eq', 'ne', 'gt', 'gte', 'lt', 'lte'].map((operator) =>
    operand('String', 'publishedAt', operator, day),
  ),
  ...['String!', 'DateTime', 'DateTime!'].map((type) => operand(type, 'publishedAt', 'gte', day)),
  ...['gte', 'lt'].map((operator) => operand('String', 'indexedAt', operator, day)),
  ...['in', 'notIn'].flatMap((operator) =>
    ['[String]', '[String!]', '[String]!', '[String!]!'].flatMap((type) => [
      operand(type, 'publishedAt', operator, [`${day}T00:00:00Z`]),
      operand(type, 'language', operator, ['en', 'fr']),
    ]),
  ),
  ...['[Int]', '[Int!]'].map((type) => operand(type, 'wordCount', 'in', [300, 500])),
  ...['hasAny', 'hasAll'].map((operator) => operand('[String]', 'tags', operator, ['climate'])),
  ...names.map((name) => conditions(`${name}FieldCondition`, 'language', { eq: 'en' }, '{eq: "en"}')),
  conditions('StringFieldCondition', 'title', { contains: 'a' }, '{contains: "a"}'),
  conditions('StringFieldCondition!', 'url', { startsWith: 'https' }, '{startsWith: "https"}'),
  ...names.flatMap((name) => [
    conditions(`${name}FieldCondition`, 'tags', { contains: 'clim' }, '{contains: "clim"}'),
    conditions(`${name}FieldCondition`, 'authors', { contains: 'an' }, '{contains: "an"}'),
  ]),
  conditions('StringWhereInput', 'title', { matches: 'storm' }, '{matches: "storm"}'),
  conditions('IntFieldCondition', 'wordCount', { gt: 300 }, '{gt: 300}'),
  conditions('DateTimeFieldCondition', 'publishedAt', { gte: day }, `{gte: "${day}"}`),
  ...[`[${article}WhereInput]`, `[${article}WhereInput!]`].map((type) =>
    conditions(type, 'OR', [{ language: { eq: 'en' } }], '[{language: {eq: "en"}}]'),
  ),
  ...(
    [
      ['String', 'where: {language: {in: [$v]}}', 'en'],
      ['String', 'where: {publishedAt: {notIn: [$v]}}', day],
      ['String', 'where: {tags: {hasAll: [$v, "energy"]}}', 'climate'],
      [`${article}WhereInput`, 'where: {OR: [$v]}', { language: { eq: 'en' } }],
      [`${article}SortFieldInput`, 'sortBy: [$v]', { field: 'publishedAt' }],
    ] as const
  ).map(([declared, place, value]) => {
    const literal = JSON.stringify(value).replaceAll(/"(\w+)":/g, '$1: ')
    return {
      declared,
      place,
      value,
      literal: place.replace('$v', literal.replace('"publishedAt"', 'publishedAt')),
    }
  }),
  ...[`[${article}SortFieldInput]`, `[${article}SortFieldInput!]`].map((declared) => ({
    declared,
    place: 'sortBy: $v',
    value: [{ field: 'publishedAt', direction: 'ASC' }],
    literal: 'sortBy: [{field: publishedAt, direction: ASC}]',
  })),
]

test('each of these declarations is taken, and says what the value says', async () => {
  assert.ok(declarations.length >= 40, `${declarations.length} declarations`)
  const list = `techServiceNewsArticle(first: 3, `
  for (const { declared, place, value, literal } of declarations) {
    const selected = ') { totalCount nodes { uri } }'
    const answer = await execute(`query ($v: ${declared}) { ${list}${place}${selected} }`, { v: value })
    assert.deepEqual(answer, await execute(`{ ${list}${literal}${selected} }`), `${declared} in ${place}`)
  }
})

test('a variable that stands where several types are expected is checked as each of them', async () => {
  const asked = (declared: string, where: string) =>
    `query ($v: ${declared}) { techServiceNewsArticle(where: ${where}) { totalCount } }`
  for (const [declared, where, value] of [
    [
      'String',
      '{publishedAt: {gte: $v}, url: {startsWith: "h"}, title: {ne: $v}, indexedAt: {gte: $v}}',
      day,
    ],
    ['StringFieldCondition', '{title: $v, OR: [{language: $v}, {url: $v}]}', { contains: 'e' }],
    ['StringFieldCondition!', '{title: $v, tags: $v, authors: $v}', { contains: 'e' }],
    ['StringWhereInput', '{title: $v, language: $v, description: $v}', { contains: 'e' }],
    ['[String]', '{language: {in: $v}, publishedAt: {notIn: $v}}', []],
  ] as const) {
    const literal = JSON.stringify(value).replaceAll(/"(\w+)":/g, '$1: ')
    const written = `{ techServiceNewsArticle(where: ${where.replaceAll('$v', literal)}) { totalCount } }`
    assert.deepEqual(await execute(asked(declared, where), { v: value }), await execute(written), where)
  }
  const unused = asked('String, $w: String', '{publishedAt: {gte: $v}}')
  assert.match(JSON.stringify(await service.engine.execute({ query: unused })), /"\$w\\" is never used/)
  const query = asked('String', '{title: {ne: $v}, publishedAt: {gte: $v}}')
  const answer = JSON.stringify(await service.engine.execute({ query, variables: { v: 'yesterday' } }))
  assert.match(answer, /Variable \\"\$v\\" has invalid value: /)
})

test('each operation of a document is judged by its own declarations, also in fragments', async () => {
  const dated = '...Dated'
  const counted = '{ techServiceNewsArticle(where: {wordCount: {gt: $v}}) { totalCount } }'
  const named = '{ techServiceNewsArticle(where: {title: {ne: $v}}) { totalCount } }'
  const fragment =
    'fragment Dated on Query { techServiceNewsArticle(where: {publishedAt: {gte: $v}}) { totalCount } }'
  const document = `query A($v: String) { ${dated} ${dated} } query B($v: Int) ${counted}
    query C($v: DateTime!) { ${dated} } query D($v: String!) ${named} ${fragment}`
  const executeOne = (operationName: string, v: Json, query = document) =>
    service.engine.execute({ query, variables: { v }, operationName })
  for (const [name, v, where] of [
    ['A', day, `{publishedAt: {gte: "${day}"}}`],
    ['A', undefined, '{}'],
    ['B', 300, '{wordCount: {gt: 300}}'],
    ['C', day, `{publishedAt: {gte: "${day}"}}`],
    ['D', 'a', '{title: {ne: "a"}}'],
  ] as const) {
    const answer = await executeOne(name, v)
    const { body } = answer.kind === 'data' ? answer : assert.fail(`${name}: ${JSON.stringify(answer)}`)
    const expected = await execute(`{ techServiceNewsArticle(where: ${where}) { totalCount } }`)
    assert.deepEqual(JSON.parse(new TextDecoder().decode(body)).data, expected, name)
  }
  assert.match(
    JSON.stringify(await executeOne('C', undefined)),
    /invalid value: Expected a value of non-null/,
  )
  for (const [query, said] of [
    [`query A($v: Int) { ${dated} } query B($v: String) { ${dated} }`, /^Variable "\$v" of type "Int" used/],
    [`query A($v: String) { ${dated} } query B { ${dated} }`, /^Variable "\$v" is not defined by .* "B"/],
  ] as const) {
    const answer: Json = await executeOne('B', day, `${query} ${fragment}`)
    assert.equal(answer.errors.length, 1, JSON.stringify(answer))
    assert.match(answer.errors[0].message, said)
  }
})

test('a declaration that is replaced leaves the other variables and places as they are', async () => {
  const list = 'techServiceNewsArticle(where: {publishedAt: {gte: $v}}) { totalCount }'
  const typed = `query ($v: String, $name: String!) { ${list} __type(name: $name) { name } }`
  const { __type } = await execute(typed, { v: day, name: 'Query' })
  assert.deepEqual(__type, { name: 'Query' })
  const unknown = `query ($v: String) { ${list} __schema { types(of: $v) { name } } }`
  const { errors }: Json = await service.engine.execute({ query: unknown })
  assert.deepEqual(
    errors.map(({ message }: Json) => message),
    ['Unknown argument "of" on field "__Schema.types".'],
  )
})

test('groups take a list of nullable names', async () => {
  const query = `query ($g: [${article}GroupByField]) {
    techServiceNewsArticleAggregate(groupBy: $g, limit: 2) { groups { language count } }
  }`
  const { groups } = (await execute(query, { g: ['language'] }))['techServiceNewsArticleAggregate']
  assert.equal(groups.length, 2)
})

test('values are checked when they are sent', async () => {
  for (const [declared, place, value, said] of [
    ['String', 'where: {publishedAt: {gte: $v}}', 'yesterday', /is no moment between/],
    ['[String]', 'where: {language: {in: $v}}', ['en', null], /has invalid value at \[\d\]/],
    [`[${article}SortFieldInput]`, 'sortBy: $v', [null], /has invalid value at \[\d\]/],
    ['String', 'where: {publishedAt: {in: [$v]}}', null, /invalid value at \.publishedAt\.in\[0\]: .*\$v\\"/],
    [`${article}WhereInput`, 'where: {AND: [$v]}', null, /invalid value at \.AND\[0\]/],
  ] as const) {
    const query = `query ($v: ${declared}) { techServiceNewsArticle(${place}) { totalCount } }`
    const answer: Json = await service.engine.execute({ query, variables: { v: value } })
    assert.match(JSON.stringify(answer), said)
  }
})

test('a declaration that fits nowhere is refused with the one to write', async () => {
  for (const [declared, place, type] of [
    ['Int', 'where: {publishedAt: {gte: $v}}', 'DateTime'],
    ['String', 'where: {language: {in: $v}}', '[String!]'],
    ['String', 'where: {wordCount: {gt: $v}}', 'Int'],
  ]) {
    const query = `query ($v: ${declared}) { techServiceNewsArticle(${place}) { totalCount } }`
    const answer: Json = await service.engine.execute({ query, variables: {} })
    const { errors = answer } = answer
    assert.ok(JSON.stringify(errors).includes(`Declare it as \`$v: ${type}\`.`), JSON.stringify(errors))
  }
})
