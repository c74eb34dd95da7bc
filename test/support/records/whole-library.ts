/** Root fields that show every way in which records of the library's lexicons can be seen. */

export const wholeLibrary = `
  list: orgExampleLibraryBook { totalCount nodes { rkey author { isCurrent } authorResolved { __typename } } }
  byText: orgExampleLibraryBook(where: {title: {contains: "book"}}) { totalCount }
  byElement: orgExampleLibraryBook(where: {tags: {has: "old"}}) { totalCount }
  byAuthor: orgExampleLibraryBook(where: {author: {country: {eq: "MX"}}}) { totalCount }
  unknown: orgExampleLibraryBook(where: {author: {isIndexed: false}}) { totalCount }
  authors: orgExampleLibraryPerson { nodes { orgExampleLibraryBookViaAuthor { totalCount } } }
  aggregate: orgExampleLibraryBookAggregate(groupBy: [author_country]) { count groups { author_country count } }
  indexStatus { collections { records newestIndexedAt } }`
