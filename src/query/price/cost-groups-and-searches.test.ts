import { libraryLexicons, libraryReferences } from '../../../test/support/records/lexicons.ts'
import { costTests, createPlanner } from '../../../test/support/store/plans.ts'
import { weights } from './cost-weights.ts'

const list = 'orgExampleLibraryBook'
const reverse = 'orgExampleLibraryBookViaAuthor'
const { total: perTotal, adjacent, lookup, compared, scan, join, words, text, linked, word } = weights
const planned = createPlanner(libraryLexicons, libraryReferences)
const costs = costTests(planned)

costs('facets under one condition share the records that it finds', [
  [`{ ${list} { facets(fields: [language]) { field missing } } }`, 20 + 1 + (1 + 2) + lookup],
  [
    `{ ${list} { facets(fields: [language, tags, author_country], limit: 5) { values { value count } cut } } }`,
    20 + 1 + 3 * (1 + 1 + 5 * (1 + 2) + 1) + 2 * lookup + scan + scan + join,
  ],
  [`{ ${list} { facets(fields: [language, tags]) { field } } }`, 20 + 1 + 2 * 2],
  [
    `{ ${list}(where: {language: {eq: "en"}}) { facets(fields: [language, genre]) { missing } } }`,
    20 + 1 + 2 * (1 + 1) + scan + lookup + compared,
  ],
  [
    `{ ${list}(where: {language: {eq: "en"}}) { facets(fields: [language, genre], ignoreOwn: true) { missing } } }`,
    20 + 1 + 2 * (1 + 1) + lookup + scan + lookup,
  ],
  [
    `{ orgExampleLibraryPerson(first: 3) { nodes { ${reverse} { facets(fields: [language]) { missing } } } } }`,
    20 + 1 + 3 * (1 + 20 + 1 + 2 + scan / linked),
  ],
])

const byRelevance = (search: string): string =>
  `{ ${list}(search: ${JSON.stringify(search)}, sortBy: [{field: RELEVANCE}], first: 0) { pageInfo { hasNextPage } } }`
const ranked = 20 + 1 + scan + lookup + lookup + join + compared

costs('each word of a search costs, prefixes more, and a ranking reads all for each term', [
  [byRelevance('storm'), ranked + 2 * word],
  [byRelevance('storm -flood'), ranked + 2 * word + word],
  [byRelevance('ele*'), ranked + 2 * (word + lookup)],
  [
    byRelevance('storm "flood in town" el* elect*'),
    ranked + 6 * word + lookup + lookup + 4 * (6 * word + lookup + lookup),
  ],
])

const missed = (search: string, fields: string) =>
  `{ ${list}(search: ${JSON.stringify(search)}) { didYouMean { ${fields} } } }`
const perNearest = 1 + lookup + 5 * (1 + 2)
const eleven = 'a b c d e f g h i j k'

costs('each of ten words of a search that may be missing costs the search for near words', [
  [missed('storm -flood', 'word'), 20 + 1 + (1 + word + 1)],
  [missed('storm "flood storm" a*', 'nearest { word count }'), 20 + 1 + 2 * (1 + word + perNearest)],
  [missed(eleven, 'word nearest { word count }'), 20 + 1 + 10 * (1 + word + 1 + perNearest)],
  [missed(' ', 'word nearest { word count }'), 20 + 1],
])

const grouped = (fields: string) =>
  `{ ${list}Aggregate(groupBy: [language], limit: 10) { groups { ${fields} } } }`

costs('each measure that collects values costs once, and percentiles are printed', [
  [grouped('median { pages } stddev { pages serial }'), scan + 3 * compared + 10 * (1 + 2 + 3)],
  [
    grouped('a: percentile(field: pages, p: [0.1, 0.9]) b: percentile(field: pages, p: [0.1, 0.9])'),
    scan + compared + 10 * (1 + 2 * 3),
  ],
])

costs('each different change costs once', [
  [
    `{ ${list}Aggregate(groupBy: [publishedAt_day], limit: 10, denominator: {}) { groups { a: change(of: {measure: SHARE}) b: change(of: {measure: AVG, field: pages}) c: change(of: {measure: COUNT}) change } } }`,
    lookup + scan + 2 * compared + lookup + 3 * lookup + 10 * (1 + 4),
  ],
])

costs('ranges cost for each integer that is grouped by', [
  [
    `{ ${list}Aggregate(groupBy: [pages, language, author_rating, publishedAt_weekday], interval: 10, limit: 10) { groups { count } } }`,
    scan + 3 * lookup + 3 * lookup + join + compared + 10 * 2,
  ],
])

costs('measures and shares that only conditions or the order name cost as if they were selected', [
  [
    `{ ${list}Aggregate(groupBy: [language], limit: 10, denominator: {}, rankBy: {measure: PERCENTILE, field: pages, p: 0.9},
      having: [{measure: AVG, field: pages, operator: GT, value: 3}, {measure: COUNT, operator: LT, value: 9}]) { groups { language } } }`,
    scan + compared + lookup + 10 * 2,
  ],
  [
    `{ ${list}Aggregate(groupBy: [language], limit: 10, denominator: {}, having: [{measure: SHARE, operator: GT, value: 0.5}]) { groups { language } } }`,
    2 * lookup + 10 * 2,
  ],
])

costs('a time zone costs for each time that is grouped by', [
  [
    `{ ${list}Aggregate(groupBy: [publishedAt_day], timeZone: "Europe/Berlin", limit: 10) { groups { count } } }`,
    scan + compared + lookup + 10 * 2,
  ],
])

const unusual = (by: string, fields: string, where: string, against: string): string =>
  `{ ${list}Aggregate(groupBy: [${by}], limit: 10, where: {${where}}, significant: {against: {${against}}}) { ${fields} } }`
const english = 'language: {eq: "en"}'
const short = 'pages: {lt: 50}'

costs(
  'significant groups cost two aggregates: that of `where`, and that of `against`, without `where` if not in it',
  [
    [
      unusual('genre', 'groups { genre significance { share score } }', english, ''),
      scan + lookup + lookup + 10 * (2 + 3),
    ],
    [
      unusual('genre', 'groupCount groups { avg { pages } }', english, short),
      2 * scan + lookup + lookup + (scan + 2 * adjacent) + 10 * 3,
    ],
    // Elements do not add up, so the records on both sides are counted.
    [
      unusual('tags', 'count groups { count }', english, ''),
      2 * (scan + scan) + 3 * perTotal + 3 * lookup + 20,
    ],
    [unusual('genre', 'count', english, short), perTotal + lookup],
  ],
)

const divided = (by: string, fields: string, where: string, denominator: string): string =>
  `{ ${list}Aggregate(groupBy: [${by}], limit: 10, where: {${where}}, denominator: {${denominator}}) { ${fields} } }`

costs('shares cost the groups of the denominator, and of both conditions unless one implies the other', [
  [divided('genre', 'groups { genre count }', english, short), scan + lookup + 10 * 3],
  [divided('genre', 'share groups { genre share }', english, ''), scan + lookup + lookup + 10 * 3],
  [
    divided('genre', 'groups { share }', `${english}, ${short}`, short),
    scan + (scan + 2 * adjacent) + (scan + lookup) + 10 * 2,
  ],
  [
    divided('genre', 'groups { total } total', english, short),
    3 * scan + 2 * lookup + (scan + 2 * adjacent) + 10 * 2,
  ],
  // Elements do not add up, so all sets are counted as well.
  [
    divided('tags', 'share groups { share }', english, ''),
    2 * (scan + scan) + lookup + 2 * perTotal + lookup + 10 * 2,
  ],
  [divided('genre', 'count share', english, ''), perTotal + (perTotal + lookup)],
  [
    divided('genre', 'groups { matching }', english, short).replace('denominator', 'numerator'),
    scan + lookup + scan + (scan + 2 * adjacent) + 10 * 2,
  ],
  [divided('tags', 'groups { countShare }', '', ''), scan + scan + perTotal + 10 * 2],
  [divided('genre', 'total', english, short), 2 * perTotal + lookup + (scan + 2 * adjacent)],
])

costs('unusual words cost the reading of both samples, and the count of what is read', [
  [
    `{ ${list}Aggregate(where: {${english}}) { unusualWords(field: title, against: {}, limit: 10) { recordsRead words { word significance { score } } } } }`,
    words + 2 * perTotal + 2 * lookup + (scan + adjacent) + 3 + 10 * (1 + 1 + 2),
  ],
])

costs('pairs cost what groups by their array cost, and the comparison of its elements', [
  [
    `{ ${list}Aggregate { pairs(field: tags, limit: 10) { values count } } }`,
    scan + scan + join + 1 + 10 * (1 + 3 + 1),
  ],
  [
    `{ ${list}Aggregate(where: {${english}}) { count pairs(field: tags) { count } } }`,
    perTotal + lookup + scan + scan + join + lookup + 1 + 50 * 2,
  ],
])

const within = (selection: string, given = ''): string =>
  `{ ${list}Aggregate(groupBy: [genre], limit: 10${given}) { groups { ${selection} } } }`

costs('groups within groups cost what groups by all their fields cost, and are printed in each group', [
  [within('top(groupBy: [language]) { language count }'), lookup + scan + lookup + 10 * (1 + (1 + 3 * 3))],
  [
    within('genre top(groupBy: [tags, author_country], limit: 5) { avg { pages } }', `, where: {${english}}`),
    2 * (scan + lookup) + 2 * lookup + scan + join + lookup + 10 * (1 + 1 + (1 + 5 * 3)),
  ],
  [
    within('share top(groupBy: [language]) { share }', ', denominator: {}'),
    lookup + 2 * scan + 2 * lookup + 10 * (1 + 1 + (1 + 3 * 2)),
  ],
  // Elements do not add up, so the denominator of the outer groups is read, too.
  [
    within('share top(groupBy: [tags]) { share }', ', denominator: {}'),
    2 * lookup + 2 * scan + 2 * (lookup + scan) + 10 * (1 + 1 + (1 + 3 * 2)),
  ],
])

costs('sample records of groups cost another reading in an order, and are printed in each group', [
  [within('nodes { title }'), lookup + scan + join + 10 * (1 + (1 + 2 * 2))],
  [
    within('nodes(first: 5, sortBy: [{field: language}, {field: pages}]) { uri }', `, where: {${english}}`),
    2 * (scan + lookup) + join + compared + 10 * (1 + (1 + 5 * 2)),
  ],
])

const inside = (by: string, fields: string, where = ''): string =>
  `{ ${list}Aggregate(groupBy: [${by}], limit: 10${where}) { groups { ${fields} } } }`

costs('groups and measures of elements cost by the fields inside arrays and by how often records are read', [
  [inside('credits_name', 'count'), scan + words + 20],
  [inside('credits_craft', 'count'), scan + text + 20],
  [inside('credits_name, credits_craft', 'count'), scan + lookup + text + compared + 20],
  [inside('credits_name, tags', 'count'), scan + lookup + 3 * text + 20],
  [
    inside('language', 'avg { credits_share } max { credits_share }'),
    2 * scan + 2 * lookup + text + compared + 2 * lookup + 10 * 5,
  ],
  [
    inside('credits_name', 'count', ', where: {credits: {some: {paid: {eq: true}}}}'),
    scan + text + compared + 20,
  ],
  [
    inside('credits_name', 'nodes { uri }', ', where: {credits: {some: {paid: {eq: true}}}}'),
    2 * (scan + text + compared) + join + 10 * (1 + (1 + 2 * 2)),
  ],
  [inside('credits_name', 'avg { credits_share }'), 2 * (scan + text) + compared + lookup + lookup + 10 * 3],
  [
    inside('credits_name', 'avg { credits_share pages }'),
    3 * (scan + text) + compared + lookup + 2 * lookup + 10 * 4,
  ],
  [`{ ${list}Aggregate { avg { credits_share } } }`, scan + text + lookup],
])

const viaBook = 'orgExampleLibraryReviewViaBook'

costs('counts of referring records cost what conditions on these cost, and are an order of their own', [
  [`{ ${list}(where: {${viaBook}: {count: {gte: 2}}}) { totalCount } }`, 20 + perTotal + scan + join],
  [
    `{ ${list}(first: 0, sortBy: [{field: ${viaBook}_count}, {field: pages}]) { pageInfo { endCursor } } }`,
    20 + 1 + join + compared,
  ],
])

const lasts = 'from: publishedAt, to: indexedAt'

costs('measured counts and times behind references cost the records on the way', [
  [`{ ${list}Aggregate { avg { pages ${viaBook}_count } } }`, scan + 2 * lookup + join],
  [`{ ${list}Aggregate { avgDuration(${lasts}) medianDuration(${lasts}) } }`, scan + 3 * lookup + compared],
  [`{ ${list}Aggregate { avgDuration(from: author_bornAt, to: publishedAt) } }`, scan + 2 * lookup + join],
])

costs('a list of the first of each combination costs what all of its records cost', [
  [`{ ${list}(first: 0, distinctOn: [language]) { pageInfo { endCursor } } }`, 20 + 1 + text + join],
  [
    `{ ${list}(first: 0, distinctOn: [author, title], sortBy: [{field: pages}], where: {language: {eq: "en"}}) { pageInfo { endCursor } } }`,
    20 + 1 + text + join + lookup + lookup + text + join,
  ],
  [`{ ${list}(distinctOn: [language, genre]) { totalCount } }`, 20 + perTotal + scan + lookup],
  [`{ ${list}(distinctOn: [${viaBook}_count]) { totalCount } }`, 20 + perTotal + scan + join],
])
