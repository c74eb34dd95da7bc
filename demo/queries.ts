/** Three questions to start with; the demo prints them and answers them. */
export interface DemoQuery {
  readonly name: string
  readonly title: string
  readonly query: string
}

export const demoQueries: readonly DemoQuery[] = [
  {
    name: 'newest',
    title: 'The newest articles, each with its outlet',
    query: `{
  techServiceNewsArticle(first: 3, sortBy: [{field: publishedAt, direction: DESC}]) {
    edges {
      node {
        title
        language
        publishedAt
        sourceResolved {
          ... on TechServiceNewsSource { displayName country }
        }
      }
    }
  }
}`,
  },
  {
    name: 'impact',
    title: 'What matters most, as the analyses see it, with the article analysed',
    query: `{
  techServiceNewsEnrichment(
    first: 3
    where: {impactLevel: {gte: 9}}
    sortBy: [{field: impactLevel, direction: DESC}, {field: createdAt, direction: DESC}]
  ) {
    totalCount
    nodes {
      impactLevel
      emotionalTone
      neutralHeadline
      articleResolved {
        ... on TechServiceNewsArticle { title language }
      }
    }
  }
}`,
  },
  {
    name: 'clickbait',
    title: 'Articles by language, and the outlets whose headlines bait most',
    query: `{
  languages: techServiceNewsArticleAggregate(groupBy: [language], orderBy: COUNT_DESC, limit: 5) {
    count
    groups { language count }
  }
  bait: techServiceNewsEnrichmentAggregate(
    groupBy: [article_source_displayName]
    rankBy: {measure: AVG, field: clickbaitScore, direction: DESC}
    minCount: 5
    limit: 5
  ) {
    groups { article_source_displayName count avg { clickbaitScore } }
  }
}`,
  },
]
