/** The query that the demo prints with its answer; the README sends it too. */
export const demoQuery = `{
  techServiceNewsArticle(first: 1, where: {title: {contains: "election"}, language: {eq: "en"}}) {
    totalCount
    nodes {
      title
      sourceResolved { ... on TechServiceNewsSource { displayName country } }
    }
  }
}`
