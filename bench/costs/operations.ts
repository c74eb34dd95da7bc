/** Operations from the cheapest to the heaviest, by name, for bench/costs/cost-search.ts; each is a whole GraphQL document. */
const list = 'techServiceNewsArticle'
const outlet = 'sourceResolved { ... on TechServiceNewsSource { displayName country } }'
const enrichments = 'techServiceNewsEnrichmentViaArticle'
const everything =
  'uri cid did rkey actorHandle indexedAt changedAt title description url canonicalUrl publishedAt updatedAt language country section tags articleType wordCount isAccessibleForFree guid usageTerms createdAt authors { name url did } image { url alt credit width height } source { uri cid isCurrent } recordJson'

const tenFacets =
  'facets(fields: [language, country, did, source, articleType, tags, section, title, source_country, wordCount], limit: 100) { values { value count } missing cut }'

const articles = (given: string, fields = 'nodes { title }') => `{ ${list}(${given}) { ${fields} } }`
const where = (condition: string, fields?: string) => articles(`where: {${condition}}`, fields)
const total = (condition: string) => where(condition, 'totalCount')
const sorted = (...fields: string[]) =>
  articles(`sortBy: [${fields.map((field) => `{field: ${field}}`).join(', ')}]`)
const grouped = (fields: string, rest = 'count', given = '') =>
  `{ ${list}Aggregate(groupBy: [${fields}]${given}) { ${rest} groups { count } } }`
const times = (number: number, text: (n: number) => string, between = ' ') =>
  Array.from({ length: number }, (_, n) => text(n)).join(between)
const never = 'qqqzz'
const nested = (levels: number, first: number): string => {
  let inner = 'title'
  for (let level = 1; level < levels; level += 1)
    inner = `sourceResolved { ... on TechServiceNewsSource { ${list}ViaSource(first: ${first}) { nodes { ${inner} } } } }`
  return articles(`first: ${first}`, `nodes { ${inner} }`)
}

export const operations: Readonly<Record<string, string>> = {
  'page: 20': articles('first: 20'),
  'page: 20 with outlet': articles(
    'first: 20',
    `edges { node { title url description publishedAt language ${outlet} } }`,
  ),
  'page: 20 with everything': articles('first: 20', `nodes { ${everything} }`),
  'page: 100': articles(
    'first: 100',
    'nodes { title url publishedAt language } pageInfo { hasNextPage endCursor }',
  ),
  'page: 100 with outlet and enrichments': articles(
    'first: 100',
    `nodes { title ${outlet} ${enrichments} { nodes { impactLevel sentiment } } }`,
  ),
  'page: 100 with everything': articles('first: 100', `nodes { ${everything} }`),
  'page: 1000 with everything': articles('first: 1000', `nodes { ${everything} }`),
  'page: 1000 with cursors': articles(
    'first: 1000',
    'edges { cursor node { uri } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }',
  ),
  'page: 1000 with outlet and enrichments': articles(
    'first: 1000',
    `nodes { title ${outlet} ${enrichments} { nodes { impactLevel sentiment } } }`,
  ),
  'page: 1000 recordJson': articles('first: 1000', 'nodes { recordJson }'),
  'page: 1000 isCurrent': articles('first: 1000', 'nodes { source { isCurrent } }'),
  'page: 1000 authors': articles('first: 1000', 'nodes { authors { name url did } }'),
  'by uri':
    '{ techServiceNewsArticleByUri(uri: "at://did:plc:nobody/tech.service.news.article/1") { title } }',
  'nested: outlets, newest 20 each': `{ techServiceNewsSource(first: 20) { nodes { displayName ${list}ViaSource(first: 20) { nodes { title publishedAt } } } } }`,
  'nested: 100 outlets, newest 100 each': `{ techServiceNewsSource(first: 100) { nodes { displayName ${list}ViaSource(first: 100) { nodes { title } } } } }`,
  'nested: 100 outlets, newest 20 each by wordCount': `{ techServiceNewsSource(first: 100) { nodes { displayName ${list}ViaSource(first: 20, sortBy: [{field: wordCount}]) { nodes { title } } } } }`,
  'nested: 100 outlets, total of each': `{ techServiceNewsSource(first: 100) { nodes { ${list}ViaSource { totalCount } } } }`,
  'nested: 100 outlets, total of each under contains': `{ techServiceNewsSource(first: 100) { nodes { ${list}ViaSource(where: {title: {contains: "${never}"}}) { totalCount } } } }`,
  'nested: 100 outlets, page of each under contains': `{ techServiceNewsSource(first: 100) { nodes { ${list}ViaSource(first: 20, where: {title: {contains: "${never}"}}) { nodes { title } } } } }`,
  'nested: 3 levels of 10': nested(3, 10),
  'nested: 3 levels of 20': nested(3, 20),
  'nested: 2 levels of 100': nested(2, 100),
  'nested: 5 levels of 5': nested(5, 5),
  'nested: 100 articles, total of their outlet': articles(
    'first: 100',
    `nodes { sourceResolved { ... on TechServiceNewsSource { ${list}ViaSource { totalCount } } } }`,
  ),

  'where: language eq, sorted by date': articles(
    'where: {language: {eq: "fr"}}, sortBy: [{field: publishedAt, direction: DESC}]',
  ),
  'where: language eq, none': where('language: {eq: "xx"}'),
  'where: uri in 1000': where(
    `uri: {in: [${times(1000, (n) => `"at://did:plc:nobody/tech.service.news.article/${n}"`, ', ')}]}`,
  ),
  'where: contains, rare': where('title: {contains: "zverev"}'),
  'where: contains, common': where('title: {contains: "coronavirus"}'),
  'where: contains, one character': where('title: {contains: "q"}'),
  'where: contains, common but none together': where(
    'AND: [{title: {contains: "coronavirus"}}, {title: {contains: "election"}}, {title: {contains: "football"}}, {title: {contains: "police"}}]',
  ),
  'where: not contains, none': where('NOT: {title: {contains: ""}}'),
  'where: 20 contains, one character': where(
    `OR: [${times(20, (n) => `{title: {contains: "${'abcdefghijklmnopqrstu'[n]}\u4e00"}}`, ', ')}]`,
  ),
  'where: 400 contains, none': where(
    `OR: [${times(400, (n) => `{title: {contains: "${never}${n}"}}`, ', ')}]`,
  ),
  'where: 100 starts, none': where(
    `OR: [${times(100, (n) => `{title: {startsWith: "${never}${n}"}}`, ', ')}]`,
  ),
  'where: 400 negated contains': where(
    `AND: [${times(399, (n) => `{NOT: {title: {contains: "${never}${n}"}}}`, ', ')}, {title: {eq: "${never}"}}]`,
  ),
  'where: title eq, none (virtual)': where(`title: {eq: "${never}"}`),
  'where: title ne, none': where(
    `AND: [{title: {ne: "a"}}, {title: {eq: null}}]`.replace('{eq: null}', `{eq: "${never}"}`),
  ),
  'where: title gt, none': where('title: {gt: "\u{10fff0}"}'),
  'where: url contains, none': where(`url: {contains: "${never}"}`),
  'where: guid startsWith, none': where(`guid: {startsWith: "${never}"}`),
  'where: language contains, none': where(`language: {contains: "${never}"}`),
  'where: uri contains, none': where(`uri: {contains: "${never}"}`),
  'where: cid eq, none': where('cid: {eq: "bafyreib"}'),
  'where: did contains, none': where(`did: {contains: "${never}"}`),
  'where: did eq, none': where(`did: {eq: "did:plc:${never}"}`),
  'where: rkey startsWith, none': where(`rkey: {startsWith: "${never}"}`),
  'where: changedAt lt, none': where('changedAt: {lt: "1970-01-01"}'),
  'where: indexedAt lt, none': where('indexedAt: {lt: "1970-01-01"}'),
  'where: tags has, none': where(`tags: {has: "${never}"}`),
  'where: tags hasAny 1000, none': where(`tags: {hasAny: [${times(1000, (n) => `"${never}${n}"`, ', ')}]}`),
  'where: not tags hasAny, none': where(`NOT: {tags: {hasAny: ["${never}"]}}, language: {eq: "xx"}`),
  'where: NOT tags hasAny 1000 and none': where(
    `NOT: {tags: {hasAny: [${times(1000, (n) => `"${never}${n}"`, ', ')}]}}, wordCount: {lt: -1}, changedAt: {lt: "1970-01-01"}`,
  ),
  'where: authors some, none': where(`authors: {some: {name: {eq: "${never}"}}}`),
  'where: authors some contains, none': where(`authors: {some: {name: {contains: "${never}"}}}`),
  'where: authors isNull false and none': where(
    'authors: {isNull: true}, image: {isNull: false}, changedAt: {lt: "1970-01-01"}',
  ),
  'where: image credit contains, none': where(`image: {credit: {contains: "${never}"}}`),
  'where: target country': where('source: {country: {eq: "FR"}}'),
  'where: target country, none': where('source: {country: {eq: "XX"}}'),
  'where: target contains, none': where(`source: {displayName: {contains: "${never}"}}`),
  'where: target description contains, none': where(`source: {baseUrl: {contains: "${never}"}}`),
  'where: isIndexed false': where('source: {isIndexed: false}'),
  'where: isCurrent false': where('source: {isCurrent: false}'),
  'where: reverse some': where(`${enrichments}: {some: {impactLevel: {gte: 9}}}`),
  'where: reverse some, none': where(`${enrichments}: {some: {impactLevel: {gt: 99}}}`),
  'where: reverse some contains, none': where(`${enrichments}: {some: {model: {contains: "${never}"}}}`),
  'where: reverse none, none': where(
    `${enrichments}: {none: {impactLevel: {lt: 99}}}, changedAt: {lt: "1970-01-01"}`,
  ),
  'where: outlets with an article of 99 words': `{ techServiceNewsSource(where: {${list}ViaSource: {some: {wordCount: {eq: -1}}}}) { nodes { displayName } } }`,
  'where: outlets with no article that contains': `{ techServiceNewsSource(where: {${list}ViaSource: {some: {url: {contains: "${never}"}}}}) { nodes { displayName } } }`,
  'where: 30 reverse somes, none': where(
    `OR: [${times(30, (n) => `{${enrichments}: {some: {impactLevel: {gt: ${99 + n}}}}}`, ', ')}]`,
  ),
  'where: target of target, none': `{ techServiceNewsEnrichment(where: {article: {source: {country: {eq: "XX"}}}}) { nodes { summary } } }`,
  'where: article with article of same outlet': where(
    `source: {${list}ViaSource: {some: {source: {${list}ViaSource: {some: {wordCount: {eq: -1}}}}}}}`,
  ),
  'where: 200 JSON conditions, none': where(
    `OR: [${times(200, (n) => `{guid: {contains: "${never}${n}"}}`, ', ')}]`,
  ),
  'where: 400 column conditions, none': where(
    `OR: [${times(400, (n) => `{wordCount: {eq: -${n + 1}}}`, ', ')}]`,
  ),
  'where: 400 changedAt, none': where(
    `OR: [${times(400, (n) => `{changedAt: {lt: "${1000 + n}-01-01"}}`, ', ')}]`,
  ),
  'where: notIn 1000': where(
    `url: {notIn: [${times(1000, (n) => `"${never}${n}"`, ', ')}]}, cid: {eq: "bafyreib"}`,
  ),

  'sort: publishedAt': sorted('publishedAt'),
  'sort: wordCount': sorted('wordCount'),
  'sort: language': sorted('language'),
  'sort: title': sorted('title'),
  'sort: url': sorted('url'),
  'sort: uri': sorted('uri'),
  'sort: did': sorted('did'),
  'sort: rkey': sorted('rkey'),
  'sort: changedAt': sorted('changedAt'),
  'sort: section': sorted('section'),
  'sort: isAccessibleForFree': sorted('isAccessibleForFree'),
  'sort: language and title': sorted('language', 'title'),
  'sort: language and publishedAt': sorted('language', 'publishedAt'),
  'sort: articleType, title, url, guid, section': sorted('articleType', 'title', 'url', 'guid', 'section'),
  'sort: publishedAt, contains one character': articles(
    'where: {title: {contains: "e"}}, sortBy: [{field: publishedAt}]',
  ),
  'sort: wordCount, contains common': articles(
    'where: {title: {contains: "the"}}, sortBy: [{field: wordCount}]',
  ),
  'sort: title, contains common': articles('where: {title: {contains: "the"}}, sortBy: [{field: title}]'),
  'sort: title, hasPreviousPage and ends': articles(
    'sortBy: [{field: title}]',
    'nodes { title } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }',
  ),

  'where: two columns, half each and none together': where(
    'language: {eq: "en"}, wordCount: {lt: 0}, country: {ne: "zz"}',
  ),
  'where: range that holds half, and another': where(
    'publishedAt: {gt: "2020-04-01"}, createdAt: {lt: "1990-01-01"}',
  ),
  'where: language and tags has, rare': where(`language: {eq: "xx"}, tags: {has: "${never}"}`),
  'where: wordCount range, sorted by date': articles(
    'where: {wordCount: {gte: 0}}, sortBy: [{field: publishedAt, direction: DESC}]',
  ),
  'where: isAccessibleForFree ne, none': where('isAccessibleForFree: {ne: true}, language: {ne: "en"}'),
  'where: language ne': where('language: {ne: "en"}, publishedAt: {lt: "1990-01-01"}'),
  'where: nested not of targets': where(`NOT: {source: {displayName: {contains: "e"}}}, cid: {eq: "x"}`),
  'where: 32 targets, none': where(`OR: [${times(32, (n) => `{source: {country: {eq: "X${n}"}}}`, ', ')}]`),
  'where: 32 isCurrent': where(
    `AND: [${times(32, () => `{source: {isCurrent: true}}`, ', ')}, {changedAt: {lt: "1970-01-01"}}]`,
  ),
  'where: 32 authors some, none': where(
    `OR: [${times(32, (n) => `{authors: {some: {name: {eq: "${never}${n}"}}}}`, ', ')}]`,
  ),
  'where: hasAll 1000 twice negated': where(
    `NOT: {tags: {hasAll: [${times(1000, (n) => `"${never}${n}"`, ', ')}]}}, cid: {eq: "x"}`,
  ),
  'where: not tags has 1000, then none': where(
    `NOT: {tags: {hasAny: [${times(1000, (n) => `"${never}${n}"`, ', ')}]}}, cid: {eq: "x"}`,
  ),
  'where: uri in 100': where(
    `uri: {in: [${times(100, (n) => `"at://did:plc:nobody/tech.service.news.article/${n}"`, ', ')}]}`,
  ),
  'where: uri in 20': where(
    `uri: {in: [${times(20, (n) => `"at://did:plc:nobody/tech.service.news.article/${n}"`, ', ')}]}`,
  ),
  'where: source uri in 1000': where(
    `source: {uri: {in: [${times(1000, (n) => `"at://did:plc:nobody/tech.service.news.source/${n}"`, ', ')}]}}`,
  ),
  'where: source uri notIn 100': where(
    `source: {uri: {notIn: [${times(100, (n) => `"at://did:plc:nobody/tech.service.news.source/${n}"`, ', ')}]}}, cid: {eq: "x"}`,
  ),
  'where: language in 1000': where(`language: {in: [${times(1000, (n) => `"x${n}"`, ', ')}]}`),
  'where: url in 1000': where(`url: {in: [${times(1000, (n) => `"x${n}"`, ', ')}]}`),
  'where: title in 1000': where(`title: {in: [${times(1000, (n) => `"x${n}"`, ', ')}]}`),
  'where: cid in 1000': where(`cid: {in: [${times(1000, (n) => `"x${n}"`, ', ')}]}`),
  'where: url eq': where(`url: {eq: "x"}`),
  'where: starts, common inside': where('title: {startsWith: "ing"}'),
  'where: contains, two common trigrams, none': where('title: {contains: "the ing"}'),
  'where: contains, one common trigram, sorted by words': articles(
    'where: {title: {startsWith: "ing"}}, sortBy: [{field: wordCount}]',
  ),
  'where: bound, the oldest 2000': where('createdAt: {gt: "1990-01-01"}, publishedAt: {gt: "1990-01-01"}'),
  'where: publishedAt early': where('publishedAt: {lt: "2020-04-02"}'),
  'where: publishedAt late': where('publishedAt: {gt: "2020-05-30"}'),
  'where: wordCount eq': where('wordCount: {eq: 500}'),
  'where: language eq, sorted by words': articles(
    'where: {language: {eq: "fr"}}, sortBy: [{field: wordCount}]',
  ),
  'where: source eq, sorted by date': `{ techServiceNewsSource(where: {country: {eq: "FR"}}, sortBy: [{field: createdAt}]) { nodes { displayName } } }`,
  'total: all': articles('first: 1', 'totalCount'),
  'total: language': total('language: {eq: "en"}'),
  'total: language and date': total(
    'language: {eq: "fr"}, publishedAt: {gte: "2020-04-20", lt: "2020-05-01"}',
  ),
  'total: title contains common': total('title: {contains: "the"}'),
  'total: url contains': total(`url: {contains: "${never}"}`),
  'total: description contains one character': total('description: {contains: "q"}'),
  'total: authors some': total('authors: {some: {name: {contains: "john"}}}'),
  'total: reverse some': total(`${enrichments}: {some: {impactLevel: {gte: 5}}}`),
  'total: NOT target country': total('NOT: {source: {country: {eq: "FR"}}}'),
  'total: isCurrent': total('source: {isCurrent: true}'),

  'group: nothing but count': `{ ${list}Aggregate { count } }`,
  'group: language': grouped('language'),
  'group: articleType': grouped('articleType'),
  'group: source': grouped('source'),
  'group: source, resolved 1000': `{ ${list}Aggregate(groupBy: [source], limit: 1000) { groups { count sourceResolved { ... on TechServiceNewsSource { displayName country } } } } }`,
  'group: tags': grouped('tags'),
  'group: title': grouped('title'),
  'group: url': grouped('url'),
  'group: did': grouped('did'),
  'group: publishedAt_day': grouped('publishedAt_day'),
  'group: publishedAt_hour': grouped('publishedAt_hour'),
  'group: source_country': grouped('source_country'),
  'group: language, title contains': grouped('language', 'count', ', where: {title: {contains: "election"}}'),
  'group: language, url contains none': grouped(
    'language',
    'count',
    `, where: {url: {contains: "${never}"}}`,
  ),
  'group: language, 5 measures': grouped(
    'language',
    'count avg { wordCount } sum { wordCount } min { wordCount publishedAt } max { wordCount publishedAt }',
  ),
  'group: language, groups with 5 measures': `{ ${list}Aggregate(groupBy: [language]) { groups { count avg { wordCount } sum { wordCount } min { wordCount publishedAt } max { wordCount publishedAt } } } }`,
  'group: language, countDistinct source': `{ ${list}Aggregate(groupBy: [language]) { groups { countDistinct(field: source) } } }`,
  'group: language, countDistinct url': `{ ${list}Aggregate(groupBy: [language]) { groups { countDistinct(field: url) } } }`,
  'group: language, countDistinct title': `{ ${list}Aggregate(groupBy: [language]) { groups { countDistinct(field: title) } } }`,
  'group: language, countDistinct tags': `{ ${list}Aggregate(groupBy: [language]) { groups { countDistinct(field: tags) } } }`,
  'group: source, countDistinct tags': `{ ${list}Aggregate(groupBy: [source], limit: 1000) { groups { countDistinct(field: tags) } } }`,
  'group: source, countDistinct source_country': `{ ${list}Aggregate(groupBy: [source], limit: 1000) { groups { countDistinct(field: source_country) } } }`,
  'group: whole, countDistinct url': `{ ${list}Aggregate { countDistinct(field: url) } }`,
  'group: whole, countDistinct source': `{ ${list}Aggregate { countDistinct(field: source) } }`,
  'group: language, country': grouped('language, country'),
  'group: five fields': grouped('language, articleType, source, publishedAt_day, section'),
  'group: five long fields': grouped('title, url, guid, description, section'),
  'group: tags, source_country, source_mediaType': grouped('tags, source_country, source_mediaType'),
  'group: enrichments by article_source_country':
    '{ techServiceNewsEnrichmentAggregate(groupBy: [article_source_country]) { groups { count avg { clickbaitScore } } } }',
  'group: twelve': `{ ${times(12, (n) => `a${n}: ${list}Aggregate(groupBy: [articleType]) { groups { count } }`)} }`,

  'facets: ten of all': `{ ${list} { ${tenFacets} } }`,
  'facets: ten of a language': `{ ${list}(where: {language: {eq: "en"}}) { ${tenFacets} } }`,
  'facets: ten of a search, ignoreOwn': `{ ${list}(where: {title: {contains: "the"}, language: {eq: "en"}}) { ${tenFacets.replace(')', ', ignoreOwn: true)')} } }`,
  'facets: within 20 outlets': `{ techServiceNewsSource { nodes { techServiceNewsArticleViaSource(first: 0) { facets(fields: [language, tags]) { missing } } } } }`,
  'group: description': grouped('description'),
  'group: rankBy countDistinct': `{ ${list}Aggregate(groupBy: [source], rankBy: {measure: COUNT_DISTINCT, field: url}) { groups { count } } }`,
  'group: countDistinct ten': `{ ${list}Aggregate(groupBy: [language]) { groups { ${['url', 'title', 'source', 'did', 'tags', 'section', 'guid', 'description', 'publishedAt_day', 'publishedAt_hour'].map((field) => `${field}: countDistinct(field: ${field})`).join(' ')} } } }`,
  'group: enrichments by article_source_country, countDistinct article_tags':
    '{ techServiceNewsEnrichmentAggregate(groupBy: [article_source_country, keywords, topics]) { groups { count countDistinct(field: mediaTopics) } } }',
  'group: enrichments by topics, keywords, mediaTopics':
    '{ techServiceNewsEnrichmentAggregate(groupBy: [topics, keywords, mediaTopics]) { groups { count } } }',
  'page: 1000 enrichments with entities':
    '{ techServiceNewsEnrichment(first: 1000) { nodes { entities { name type wikidataId role salience mentions sentiment sentimentScore } locations { name country latitude longitude } claims { text confidence } keywords topics summary } } }',
  'status: collections and sources':
    '{ indexStatus { collections { name records newestIndexedAt } sources { name state lagSeconds } } }',
  'status: 50 times': `{ ${times(50, (n) => `a${n}: indexStatus { collections { name records newestIndexedAt } }`)} }`,
  'aliases: 100 pages of 10': `{ ${times(100, (n) => `a${n}: ${list}(first: 10) { nodes { title } }`)} }`,
  'aliases: 100 empty pages under contains': `{ ${times(100, (n) => `a${n}: ${list}(first: 0, where: {url: {contains: "${never}${n}"}}) { nodes { title } }`)} }`,
  'aliases: title 800 times, 100 articles': articles(
    'first: 100',
    `nodes { ${times(800, (n) => `a${n}: title`)} }`,
  ),
  'aliases: record 5 times, 100 articles': articles(
    'first: 100',
    `nodes { ${times(5, (n) => `a${n}: recordJson`)} }`,
  ),
  'aliases: 49 fragments of 12 equal fields': `{ ${list} { nodes { ${times(49, (n) => `...f${n}`)} } } } ${times(49, (n) => `fragment f${n} on TechServiceNewsArticle { uri cid did rkey title description url publishedAt language country section guid }`)}`,
  'aliases: 99 records with 9 fields': `{ ${times(99, (n) => `a${n}: ${list}ByUri(uri: "at://did:plc:a/b.c.d/e${n}") { ...f }`)} } fragment f on TechServiceNewsArticle { uri cid did rkey title description url publishedAt language }`,
  'aliases: 300 lists within one article': articles(
    'first: 1',
    `nodes { ${times(300, (n) => `a${n}: ${enrichments}(first: 1) { nodes { uri } }`)} }`,
  ),
  'aliases: 500 outlets of 100 articles': articles(
    'first: 100',
    `nodes { ${times(200, (n) => `a${n}: sourceResolved { ... on TechServiceNewsSource { displayName } }`)} }`,
  ),
}
