/** Arguments and variables out of range, of the wrong type, or contradicting each other. */
import { type BadRequest, refused, variable } from './bad-request.ts'

const list = (given: string) => `{ techServiceNewsArticle(${given}) { nodes { uri } } }`
const languages = (given: string) => groups(`groupBy: [language], ${given}`)
const aggregate = (fields: string) => `{ techServiceNewsArticleAggregate { ${fields} } }`
const groups = (given: string) => `{ techServiceNewsArticleAggregate(${given}) { groups { count } } }`
/** Groups with another selection of each. */
const within = (selection: string) =>
  `{ techServiceNewsArticleAggregate(groupBy: [language]) { groups { ${selection} } } }`
const series = (selection: string, by = 'indexedAt_day', given = '') =>
  `{ techServiceNewsArticleAggregate(groupBy: [${by}]${given}) { groups { ${selection} } } }`
const scores = (selection: string) =>
  `{ techServiceNewsEnrichmentAggregate(groupBy: [indexedAt_day]) { groups { ${selection} } } }`
const facets = (given: string) => `{ techServiceNewsArticle { facets(${given}) { missing } } }`
const where = (condition: string) => list(`where: {${condition}}`)
const range = /out of range: write 0 to 100, and follow the cursors/
const moment = /is no moment.*Write RFC 3339 such as/
const text = /NUL character or half a surrogate pair.*Remove it/
const nothing = /says nothing\. Ask for missing values with `isNull: true`/

export const badArguments: readonly BadRequest[] = [
  ...refused('BAD_USER_INPUT', [
    ['first negative', list('first: -1'), range],
    ['first over the maximum', list('first: 101'), range],
    ['last negative', list('last: -5'), range],
    ['last over the maximum', list('last: 1000'), range],
    ['first with last', list('first: 1, last: 1'), /exclude each other\. Write `first` to page forwards/],
    ['after with last', list('last: 1, after: "x"'), /`after` goes with `first`.*`last` with `before`/],
    ['before alone', list('before: "x"'), /`before` goes with `last`.*`first` with `after`/],
    ['limit negative', languages('limit: -1'), /`limit: -1` is out of range: write 0 to 1000/],
    ['limit over the maximum', languages('limit: 1001'), /`limit: 1001` .* 0 to 1000/],
    ['minCount of 0', languages('significant: {against: {}, minCount: 0}'), /`minCount: 0` is out of range/],
    ['groupBy naming a field twice', groups('groupBy: [language, language]'), /names language twice/],
    ['no value of a facet', facets('fields: [language], limit: 0'), /`limit: 0` .* write 1 to 100\./],
    ['too many values', facets('fields: [language], limit: 101'), /`limit: 101` .* write 1 to 100\./],
    ['facets naming a field twice', facets('fields: [tags, did, tags]'), /`fields` names tags twice/],
    [
      'orderBy with rankBy',
      languages('orderBy: KEY_ASC, rankBy: {measure: AVG, field: wordCount}'),
      /exclude each other/,
    ],
    [
      'significant with orderBy',
      languages('significant: {against: {}}, orderBy: KEY_ASC'),
      /`significant` orders groups by their score: leave `orderBy` out, or write `orderBy` without `significant`/,
    ],
    [
      'significant with rankBy',
      languages('significant: {against: {}}, rankBy: {measure: AVG, field: wordCount}'),
      /leave `rankBy` out, or write `rankBy` without `significant`/,
    ],
    [
      'significant without groupBy',
      '{ techServiceNewsArticleAggregate(significant: {against: {}}) { count } }',
      /`significant` compares groups: name fields in `groupBy`/,
    ],
    ['top without fields', within('top(groupBy: []) { count }'), /`top` has no fields in `groupBy`/],
    ['top by the field of the groups', within('top(groupBy: [language]) { count }'), /names language twice/],
    [
      'top beyond its limit',
      within('top(groupBy: [tags], limit: 21) { count }'),
      /`limit: 21` .* write 1 to 20\./,
    ],
    [
      'top within top',
      within('top(groupBy: [tags]) { top(groupBy: [did]) { count } }'),
      /`top` within `top` is one level too many/,
    ],
    [
      'nodes within top',
      within('top(groupBy: [tags]) { nodes { uri } }'),
      /`nodes` within `top` is not possible/,
    ],
    [
      'changes of groups that are no times',
      within('change'),
      /`change` needs one time bucket in `groupBy`: write `groupBy: \[indexedAt_day\]`/,
    ],
    ['changes of parts of time', series('change', 'indexedAt_weekday'), /`change` needs one/],
    [
      'changes within top',
      series('top(groupBy: [publishedAt_day]) { change }'),
      /`change` within `top` is not possible\. Select it in groups of an aggregate/,
    ],
    [
      'changes of significant groups',
      series('change', 'indexedAt_day', ', significant: {against: {}}'),
      /`significant` and `change` exclude each other.*Leave one out/,
    ],
    [
      'changes of moments',
      series('change(of: {measure: MAX, field: publishedAt})'),
      /`change` is of numbers, and MAX of publishedAt is a moment\. Name an integer field in `of`/,
    ],
    [
      'changes of shares of nothing',
      series('change(of: {measure: SHARE})'),
      /`of` by SHARE needs a `denominator`/,
    ],
    [
      'changes of a measure of no field',
      scores('change(of: {measure: SUM})'),
      /`of` has a measure without a field/,
    ],
    ['too many nodes', within('nodes(first: 6) { uri }'), /`first: 6` .* write 1 to 5\./],
    [
      'nodes by relevance',
      within('nodes(sortBy: [{field: RELEVANCE}]) { uri }'),
      /`nodes` of groups are in no order of relevance/,
    ],
    [
      'a field that inner groups are not by',
      within('top(groupBy: [tags]) { section }'),
      /`section` is no field of these groups: add section to `groupBy`/,
    ],
    ['no pairs', aggregate('pairs(field: tags, limit: 0) { count }'), /`limit: 0` .* write 1 to 1000\./],
    [
      'too many pairs',
      aggregate('pairs(field: tags, limit: 1001) { count }'),
      /`limit: 1001` .* write 1 to 1000\./,
    ],
    [
      'significant with denominator',
      languages('significant: {against: {}}, denominator: {}'),
      /`significant` and `denominator` exclude each other: .* Leave one out\./,
    ],
    [
      'numerator with denominator',
      languages('numerator: {}, denominator: {}'),
      /`denominator` and `numerator` exclude each other: .* Leave one out\./,
    ],
    [
      'no unusual words',
      aggregate('unusualWords(field: title, against: {}, limit: 0) { recordsRead }'),
      /`limit: 0` .* write 1 to 100\./,
    ],
    [
      'rankBy with the mean of a text',
      languages('rankBy: {measure: AVG, field: section}'),
      /cannot take that measure of section: name an integer/,
    ],
    [
      'rankBy with the smallest of a boolean',
      languages('rankBy: {measure: MIN, field: isAccessibleForFree}'),
      /name an integer or datetime field/,
    ],
    [
      'rankBy without direction',
      languages('rankBy: {measure: AVG, field: wordCount, direction: null}'),
      /Write ASC or DESC/,
    ],
    [
      'sortBy with a null direction',
      list('sortBy: [{field: title, direction: null}]'),
      /Write ASC or DESC, or leave it out/,
    ],
    ['a group field without groupBy', aggregate('groups { language }'), /add language to `groupBy`/],
    [
      'no AT-URI',
      '{ techServiceNewsArticleByUri(uri: "https://example.com") { uri } }',
      /no AT-URI\. Write at:\/\/DID\/COLLECTION\/RECORD-KEY/,
    ],
    ['null in eq', where('language: {eq: null}'), nothing],
    ['null in contains', where('title: {contains: null}'), nothing],
    ['null for a field', where('language: null'), nothing],
    ['null for isNull', where('language: {isNull: null}'), nothing],
    ['null for AND', where('AND: null'), nothing],
    ['null for NOT', where('NOT: null'), nothing],
    ['null for a reference', where('source: null'), nothing],
    ['null for isCurrent', where('source: {isCurrent: null}'), nothing],
    ['null for some', where('techServiceNewsEnrichmentViaArticle: {some: null}'), nothing],
    ['null for hasAny', where('tags: {hasAny: null}'), nothing],
    [
      'null in a variable',
      'query ($where: TechServiceNewsArticleWhereInput) { techServiceNewsArticle(where: $where) { nodes { uri } } }',
      nothing,
      { variables: { where: { language: { eq: null } } } },
    ],
    ['NUL in eq', where(String.raw`language: {eq: "a\u0000"}`), text],
    variable('NUL in contains', 'String', 'where: {title: {contains: $x}}', 'a\0b', text),
    variable(
      'half a surrogate pair in a list',
      '[String!]',
      'where: {title: {in: $x}}',
      ['a', '\ud83d'],
      text,
    ),
    variable('half a surrogate pair in an element', 'String', 'where: {tags: {has: $x}}', '\udc00', text),
    [
      'NUL in an AT-URI',
      'query ($x: String!) { techServiceNewsArticleByUri(uri: $x) { uri } }',
      text,
      { variables: { x: 'at://did:plc:a/b.c.d/\0' } },
    ],
    variable('month 13 in a variable', 'DateTime', 'where: {publishedAt: {gt: $x}}', '2026-13-01', moment),
    variable('a number as a date', 'DateTime', 'where: {publishedAt: {gt: $x}}', 1_700_000_000, moment),
    variable(
      'a fraction as an integer',
      'Int',
      'first: $x',
      1.5,
      /Int cannot represent non-integer value: 1\.5/,
    ),
    variable('text as an integer', 'Int', 'first: $x', '5', /Int cannot represent non-integer value: "5"/),
    variable('an integer beyond 32 bits', 'Int', 'first: $x', 2 ** 31, /32-bit/),
    variable(
      'a number as text',
      'String',
      'where: {title: {eq: $x}}',
      7,
      /String cannot represent a non string value: 7/,
    ),
    variable('an object as text', 'String', 'where: {title: {eq: $x}}', { a: 1 }, /String cannot represent/),
    [
      'a missing variable',
      'query ($x: String!) { techServiceNewsArticleByUri(uri: $x) { uri } }',
      /"\$x".*"String!" to be provided/,
    ],
    [
      'null for a variable that must be given',
      'query ($x: String!) { techServiceNewsArticleByUri(uri: $x) { uri } }',
      /"\$x".*null/,
      { variables: { x: null } },
    ],
    variable(
      'an unknown field in a variable',
      'TechServiceNewsArticleWhereInput',
      'where: $x',
      { titel: { eq: 'a' } },
      /"titel".*Did you mean "title"/,
    ),
    variable(
      'lower-case or in a variable',
      'TechServiceNewsArticleWhereInput',
      'where: $x',
      { or: [] },
      /unknown field "or".*`AND`, `OR` and `NOT`, in upper case/,
    ),
    variable(
      'an unknown sort field in a variable',
      '[TechServiceNewsArticleSortFieldInput!]',
      'sortBy: $x',
      [{ field: 'titel' }],
      /"titel" does not exist.*Did you mean the enum value "title"/,
    ),
    variable(
      '__proto__ in a variable',
      'TechServiceNewsArticleWhereInput',
      'where: $x',
      JSON.parse('{"__proto__": {"title": {"eq": "a"}}}'),
      /unknown field "__proto__"/,
    ),
  ]),
  ...refused('GRAPHQL_VALIDATION_FAILED', [
    ['month 13', where('publishedAt: {gt: "2026-13-01"}'), moment],
    ['the 30th of February', where('publishedAt: {gt: "2026-02-30"}'), moment],
    ['a leap day in a common year', where('publishedAt: {eq: "2025-02-29T00:00:00Z"}'), moment],
    ['year 0', where('publishedAt: {gt: "0000-01-01"}'), moment],
    ['a year of five digits', where('publishedAt: {gt: "10000-01-01T00:00:00Z"}'), moment],
    ['24 o’clock', where('publishedAt: {lt: "2026-11-16T24:00:00Z"}'), moment],
    ['minute 60', where('publishedAt: {lt: "2026-11-16T23:60:00Z"}'), moment],
    ['offset +99', where('publishedAt: {lt: "2026-11-16T12:00:00+99:00"}'), moment],
    ['no offset', where('publishedAt: {lt: "2026-11-16T12:00:00"}'), moment],
    ['an offset out of the last year', where('publishedAt: {lt: "9999-12-31T23:59:59-01:00"}'), moment],
    ['an empty date', where('publishedAt: {eq: ""}'), moment],
    ['yesterday', where('indexedAt: {in: ["yesterday"]}'), moment],
    ['a fraction in first', list('first: 1.5'), /Int cannot represent non-integer value: 1\.5/],
    ['first beyond 32 bits', list('first: 99999999999'), /32-bit/],
    [
      'a boolean condition with text',
      where('isAccessibleForFree: {eq: "true"}'),
      /Boolean cannot represent a non boolean value: "true"/,
    ],
    [
      'null among the values of in',
      where('language: {in: ["en", null]}'),
      /Expected value of non-null type "String!" not to be null/,
    ],
    ['null among sort fields', list('sortBy: [null]'), /not to be null/],
    ['countDistinct without a field', aggregate('countDistinct'), /countDistinct\(field:\)".* is required/],
  ]),
]
