/**
 * The project's own corpus: invented news in real languages, the same on every machine and every run.
 * Outlets first, then articles, then enrichments, each in order of time.
 */
import { buildArticles, buildWithdrawnReference } from './articles.ts'
import { buildEnrichments } from './enrichments.ts'
import { createRandom } from './random.ts'
import type { DemoRecord } from './record.ts'
import { buildSources } from './sources.ts'

export function* buildDemoCorpus(): Generator<DemoRecord> {
  const sources = buildSources()
  for (const { record } of sources) yield record

  const articles = buildArticles(createRandom(2026), sources)
  for (const { record } of articles) yield record

  const [firstSource] = sources
  if (firstSource === undefined) throw new Error('The demo corpus needs at least one outlet.')
  yield* buildEnrichments(createRandom(1115), articles, buildWithdrawnReference(firstSource))
}
