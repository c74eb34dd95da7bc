/** The agents' tools over the demo corpus, and its records to hold their answers against. */
import { corpusNamed, newsLexicons } from '../../golden/corpora.ts'
import type { Endpoint } from '../../../src/endpoint/endpoint.ts'
import type { Json } from '../../reference/shapes.ts'
import type { PlainRecord } from '../../reference/dataset.ts'
import { type Agent, createAgent, demoDay, engineEndpoint, modelOf } from './agents.ts'
import type { Engine } from '../store/postgres.ts'

export const { service, reference } = await corpusNamed('demo', 'sqlite')
export const model = modelOf(newsLexicons.documents, newsLexicons.references, newsLexicons.stories)
export const news = 'tech.service.news'
export const articles = of('article')
export const enrichments = of('enrichment')
export const articleOf = new Map(articles.map((article) => [article.uri, article]))

/** The last day of the corpus, in the evening. */
const evening = new Date('2026-11-15T23:30:00Z')

export function of(name: string): readonly PlainRecord[] {
  return reference.records.filter(({ collection }) => collection === `${news}.${name}`)
}

/** An agent whose records have these texts instead of those that match. */
export function openWithTexts(change: (text: string) => string, isChanged: RegExp): Agent {
  const endpoint = engineEndpoint(service.engine)
  const changed = (value: unknown): unknown => {
    if (typeof value === 'string') return isChanged.test(value) ? change(value) : value
    if (Array.isArray(value)) return value.map(changed)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, changed(inside)]))
  }
  const changing: Endpoint = {
    async ask(question, signal) {
      const { data, ...rest } = await endpoint.ask(question, signal)
      return { ...rest, data: changed(data) as Json }
    },
  }
  return createAgent(model, changing, () => demoDay, { chatgpt: true })
}

export function open(): Agent {
  return createAgent(model, engineEndpoint(service.engine), () => evening)
}

/** The same over either engine, with the service and the records; `now` is the time of the tools. */
export async function openOn(database: Engine, now = demoDay) {
  const { service, reference } = await corpusNamed('demo', database)
  return { agent: createAgent(model, engineEndpoint(service.engine), () => now), reference, service }
}
