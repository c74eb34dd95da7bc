/** The agents' tools over the demo corpus, and its records to hold their answers against. */
import { corpusNamed, newsLexicons } from '../../golden/corpora.ts'
import type { PlainRecord } from '../../reference/dataset.ts'
import { type Agent, createAgent, demoDay, engineEndpoint, modelOf } from './agents.ts'
import type { Engine } from '../store/postgres.ts'

export const { service, reference } = await corpusNamed('demo', 'sqlite')
export const model = modelOf(newsLexicons.documents, newsLexicons.references)
export const news = 'tech.service.news'
export const articles = of('article')
export const enrichments = of('enrichment')
export const articleOf = new Map(articles.map((article) => [article.uri, article]))

/** The last day of the corpus, in the evening. */
const evening = new Date('2026-11-15T23:30:00Z')

export function of(name: string): readonly PlainRecord[] {
  return reference.records.filter(({ collection }) => collection === `${news}.${name}`)
}

export function open(): Agent {
  return createAgent(model, engineEndpoint(service.engine), () => evening)
}

/** The same over either engine, with the service and the records; `now` is the time of the tools. */
export async function openOn(database: Engine, now = demoDay) {
  const { service, reference } = await corpusNamed('demo', database)
  return { agent: createAgent(model, engineEndpoint(service.engine), () => now), reference, service }
}
