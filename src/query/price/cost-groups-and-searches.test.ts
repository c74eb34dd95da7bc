import { libraryLexicons, libraryReferences } from '../../../test/support/records/lexicons.ts'
import { costTests, createPlanner } from '../../../test/support/store/plans.ts'
import { weights } from './cost-weights.ts'

const list = 'orgExampleLibraryBook'
const reverse = 'orgExampleLibraryBookViaAuthor'
const {
  total: perTotal,
  indexLookup,
  groupText,
  distinct,
  join,
  tableScan,
  indexed,
  linked,
  grouping,
  countedGrouping: counted,
  change,
  furtherFacet,
  interval,
  timeZone,
  bucket,
  words,
  groupJoin,
  groupArray,
  groupField,
  groupNames,
  groupObjects,
  furtherObjects,
  furtherArray,
  measure,
  orderedMeasure,
  missingWord,
  pairs,
  nearWords,
  inOrder,
  search: searched,
  sort: sorted,
  sortField,
  word,
  prefix,
  shortPrefix,
  text: compared,
} = weights
const planned = createPlanner(libraryLexicons, libraryReferences)
const costs = costTests(planned)

costs('facets under one condition share the records that it finds', [
  [`{ ${list} { facets(fields: [language]) { field missing } } }`, 20 + 1 + (1 + 2) + counted],
  [
    `{ ${list} { facets(fields: [language, tags, author_country], limit: 5) { values { value count } cut } } }`,
    20 + 1 + 3 * (1 + 1 + 5 * (1 + 2) + 1) + 2 * counted + grouping + groupArray + groupJoin,
  ],
  [`{ ${list} { facets(fields: [language, tags]) { field } } }`, 20 + 1 + 2 * 2],
  [
    `{ ${list}(where: {language: {eq: "en"}}) { facets(fields: [language, genre]) { missing } } }`,
    20 + 1 + 2 * (1 + 1) + grouping + indexLookup + furtherFacet,
  ],
  [
    `{ ${list}(where: {language: {eq: "en"}}) { facets(fields: [language, genre], ignoreOwn: true) { missing } } }`,
    20 + 1 + 2 * (1 + 1) + counted + grouping + indexLookup,
  ],
  [
    `{ orgExampleLibraryPerson(first: 3) { nodes { ${reverse} { facets(fields: [language]) { missing } } } } }`,
    20 + 1 + 3 * (1 + 20 + 1 + 2 + grouping / linked),
  ],
])

const byRelevance = (search: string): string =>
  `{ ${list}(search: ${JSON.stringify(search)}, sortBy: [{field: RELEVANCE}], first: 0) { pageInfo { hasNextPage } } }`
const ranked = 20 + 1 + tableScan + inOrder + searched + sorted + sortField

costs('each word of a search costs, short prefixes more, and a ranking reads all for each term', [
  [byRelevance('storm'), ranked + 2 * word],
  [byRelevance('storm -flood'), ranked + 2 * word + word],
  [byRelevance('ele*'), ranked + 2 * (word + prefix)],
  [
    byRelevance('storm "flood in town" el* elect*'),
    ranked + 6 * word + shortPrefix + prefix + 4 * (6 * word + shortPrefix + prefix),
  ],
])

const missed = (search: string, fields: string) =>
  `{ ${list}(search: ${JSON.stringify(search)}) { didYouMean { ${fields} } } }`
const perNearest = 1 + nearWords + 5 * (1 + 2)
const eleven = 'a b c d e f g h i j k'

costs('each of ten words of a search that may be missing costs the search for near words', [
  [missed('storm -flood', 'word'), 20 + 1 + (1 + missingWord + 1)],
  [missed('storm "flood storm" a*', 'nearest { word count }'), 20 + 1 + 2 * (1 + missingWord + perNearest)],
  [missed(eleven, 'word nearest { word count }'), 20 + 1 + 10 * (1 + missingWord + 1 + perNearest)],
  [missed(' ', 'word nearest { word count }'), 20 + 1],
])

const grouped = (fields: string) =>
  `{ ${list}Aggregate(groupBy: [language], limit: 10) { groups { ${fields} } } }`

costs('each measure that collects values costs once, and percentiles are printed', [
  [grouped('median { pages } stddev { pages serial }'), grouping + 3 * orderedMeasure + 10 * (1 + 2 + 3)],
  [
    grouped('a: percentile(field: pages, p: [0.1, 0.9]) b: percentile(field: pages, p: [0.1, 0.9])'),
    grouping + orderedMeasure + 10 * (1 + 2 * 3),
  ],
])

costs('each different change costs once', [
  [
    `{ ${list}Aggregate(groupBy: [publishedAt_day], limit: 10, denominator: {}) { groups { a: change(of: {measure: SHARE}) b: change(of: {measure: AVG, field: pages}) c: change(of: {measure: COUNT}) change } } }`,
    counted + grouping + 2 * bucket + measure + 3 * change + 10 * (1 + 4),
  ],
])

costs('ranges cost for each integer that is grouped by', [
  [
    `{ ${list}Aggregate(groupBy: [pages, language, author_rating, publishedAt_weekday], interval: 10, limit: 10) { groups { count } } }`,
    grouping + 3 * groupField + 3 * interval + groupJoin + bucket + 10 * 2,
  ],
])

costs('measures and shares that only conditions or the order name cost as if they were selected', [
  [
    `{ ${list}Aggregate(groupBy: [language], limit: 10, denominator: {}, rankBy: {measure: PERCENTILE, field: pages, p: 0.9},
      having: [{measure: AVG, field: pages, operator: GT, value: 3}, {measure: COUNT, operator: LT, value: 9}]) { groups { language } } }`,
    grouping + orderedMeasure + measure + 10 * 2,
  ],
  [
    `{ ${list}Aggregate(groupBy: [language], limit: 10, denominator: {}, having: [{measure: SHARE, operator: GT, value: 0.5}]) { groups { language } } }`,
    2 * counted + 10 * 2,
  ],
])

costs('a time zone costs for each time that is grouped by', [
  [
    `{ ${list}Aggregate(groupBy: [publishedAt_day], timeZone: "Europe/Berlin", limit: 10) { groups { count } } }`,
    grouping + bucket + timeZone + 10 * 2,
  ],
])

const unusual = (by: string, fields: string, where: string, against: string): string =>
  `{ ${list}Aggregate(groupBy: [${by}], limit: 10, where: {${where}}, significant: {against: {${against}}}) { ${fields} } }`
const english = 'language: {eq: "en"}'
const short = 'pages: {lt: 50}'

costs('significant groups cost two aggregates: that of `where`, and that of `against` without `where`', [
  [
    unusual('genre', 'groups { genre significance { share score } }', english, ''),
    2 * grouping + indexLookup + (tableScan + indexed) + 10 * (2 + 3),
  ],
  [
    unusual('genre', 'groupCount groups { avg { pages } }', english, short),
    2 * grouping + measure + indexLookup + (tableScan + 2 * indexed) + 10 * 3,
  ],
  // Elements do not add up, so the records on both sides are counted.
  [
    unusual('tags', 'count groups { count }', english, ''),
    2 * (grouping + groupArray) + 3 * perTotal + 3 * indexLookup + 2 * (tableScan + indexed) + 20,
  ],
  [unusual('genre', 'count', english, short), perTotal + indexLookup],
])

const divided = (by: string, fields: string, where: string, denominator: string): string =>
  `{ ${list}Aggregate(groupBy: [${by}], limit: 10, where: {${where}}, denominator: {${denominator}}) { ${fields} } }`

costs('shares cost the groups of the denominator, and of both conditions unless one implies the other', [
  [divided('genre', 'groups { genre count }', english, short), grouping + indexLookup + 10 * 3],
  [divided('genre', 'share groups { genre share }', english, ''), grouping + indexLookup + counted + 10 * 3],
  [
    divided('genre', 'groups { share }', `${english}, ${short}`, short),
    grouping + (tableScan + 2 * indexed) + (grouping + indexLookup) + 10 * 2,
  ],
  [
    divided('genre', 'groups { total } total', english, short),
    3 * grouping + 2 * indexLookup + (tableScan + 2 * indexed) + 10 * 2,
  ],
  // Elements do not add up, so all sets are counted as well.
  [
    divided('tags', 'share groups { share }', english, ''),
    2 * (grouping + groupArray) + indexLookup + 2 * perTotal + indexLookup + 10 * 2,
  ],
  [divided('genre', 'count share', english, ''), perTotal + (perTotal + indexLookup)],
  [divided('genre', 'total', english, short), 2 * perTotal + indexLookup + (tableScan + 2 * indexed)],
])

costs('unusual words cost the reading of both samples', [
  [
    `{ ${list}Aggregate(where: {${english}}) { unusualWords(field: title, against: {}, limit: 10) { recordsRead words { word significance { score } } } } }`,
    2 * (words + perTotal) + 2 * indexLookup + 2 * (tableScan + indexed) + 3 + 10 * (1 + 1 + 2),
  ],
])

costs('pairs cost what groups by their array cost, and the comparison of its elements', [
  [
    `{ ${list}Aggregate { pairs(field: tags, limit: 10) { values count } } }`,
    grouping + groupArray + pairs + 1 + 10 * (1 + 3 + 1),
  ],
  [
    `{ ${list}Aggregate(where: {${english}}) { count pairs(field: tags) { count } } }`,
    perTotal + indexLookup + grouping + groupArray + pairs + indexLookup + 1 + 50 * 2,
  ],
])

const within = (selection: string, given = ''): string =>
  `{ ${list}Aggregate(groupBy: [genre], limit: 10${given}) { groups { ${selection} } } }`

costs('groups within groups cost what groups by all their fields cost, and are printed in each group', [
  [
    within('top(groupBy: [language]) { language count }'),
    counted + grouping + groupField + 10 * (1 + (1 + 3 * 3)),
  ],
  [
    within('genre top(groupBy: [tags, author_country], limit: 5) { avg { pages } }', `, where: {${english}}`),
    2 * (grouping + indexLookup) +
      2 * groupField +
      groupArray +
      groupJoin +
      measure +
      10 * (1 + 1 + (1 + 5 * 3)),
  ],
  [
    within('share top(groupBy: [language]) { share }', ', denominator: {}'),
    counted + 2 * grouping + 2 * groupField + 10 * (1 + 1 + (1 + 3 * 2)),
  ],
  // Elements do not add up, so the denominator of the outer groups is read, too.
  [
    within('share top(groupBy: [tags]) { share }', ', denominator: {}'),
    2 * counted + 2 * grouping + 2 * (groupField + groupArray) + 10 * (1 + 1 + (1 + 3 * 2)),
  ],
])

costs('sample records of groups cost another reading in an order, and are printed in each group', [
  [within('nodes { title }'), counted + grouping + sorted + 10 * (1 + (1 + 2 * 2))],
  [
    within('nodes(first: 5, sortBy: [{field: language}, {field: pages}]) { uri }', `, where: {${english}}`),
    2 * (grouping + indexLookup) + sorted + sortField + 10 * (1 + (1 + 5 * 2)),
  ],
])

const inside = (by: string, fields: string, where = ''): string =>
  `{ ${list}Aggregate(groupBy: [${by}], limit: 10${where}) { groups { ${fields} } } }`

costs('groups and measures of elements cost by the fields inside arrays and by how often records are read', [
  [inside('credits_name', 'count'), grouping + groupNames + 20],
  [inside('credits_craft', 'count'), grouping + groupObjects + 20],
  [
    inside('credits_name, credits_craft', 'count'),
    grouping + groupField + groupObjects + furtherObjects + 20,
  ],
  [inside('credits_name, tags', 'count'), grouping + groupField + furtherArray * groupObjects + 20],
  [
    inside('language', 'avg { credits_share } max { credits_share }'),
    2 * grouping + 2 * measure + groupObjects + furtherObjects + 2 * groupField + 10 * 5,
  ],
  [
    inside('credits_name', 'count', ', where: {credits: {some: {paid: {eq: true}}}}'),
    grouping + groupObjects + compared + 20,
  ],
  [
    inside('credits_name', 'nodes { uri }', ', where: {credits: {some: {paid: {eq: true}}}}'),
    2 * (grouping + groupObjects + compared) + sorted + 10 * (1 + (1 + 2 * 2)),
  ],
  [
    inside('credits_name', 'avg { credits_share }'),
    2 * (grouping + groupObjects) + furtherObjects + groupField + measure + 10 * 3,
  ],
  [
    inside('credits_name', 'avg { credits_share pages }'),
    3 * (grouping + groupObjects) + furtherObjects + groupField + 2 * measure + 10 * 4,
  ],
  [`{ ${list}Aggregate { avg { credits_share } } }`, grouping + groupObjects + measure],
])

const viaBook = 'orgExampleLibraryReviewViaBook'

costs('counts of referring records cost what conditions on these cost, and are an order of their own', [
  [`{ ${list}(where: {${viaBook}: {count: {gte: 2}}}) { totalCount } }`, 20 + perTotal + tableScan + join],
  [
    `{ ${list}(first: 0, sortBy: [{field: ${viaBook}_count}, {field: pages}]) { pageInfo { endCursor } } }`,
    20 + 1 + sorted + sortField,
  ],
])

costs('a list of the first of each combination costs what all of its records cost', [
  [`{ ${list}(first: 0, distinctOn: [language]) { pageInfo { endCursor } } }`, 20 + 1 + distinct],
  [
    `{ ${list}(first: 0, distinctOn: [author, title], sortBy: [{field: pages}], where: {language: {eq: "en"}}) { pageInfo { endCursor } } }`,
    20 + 1 + distinct + indexLookup + groupField + groupText + sorted,
  ],
  [`{ ${list}(distinctOn: [language, genre]) { totalCount } }`, 20 + perTotal + grouping + groupField],
  [`{ ${list}(distinctOn: [${viaBook}_count]) { totalCount } }`, 20 + perTotal + grouping + groupJoin],
])
