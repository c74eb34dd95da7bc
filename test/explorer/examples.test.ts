/** Examples of the first page over lexicons that have little to make them of. */
import { test } from 'node:test'
import { plainRecord } from '../golden/corpora.ts'
import { createReference } from '../reference/reference.ts'
import type { Json } from '../reference/shapes.ts'
import { cidOf } from '../support/records/records.ts'
import { modelOf } from '../support/service/agents.ts'
import { openTestService } from '../support/service/service.ts'
import { recordLexicon } from '../support/store/store.ts'
import { assertExamples } from './home.ts'
import { pagesOver } from './pages.ts'

const tags = { type: 'array', items: { type: 'string' } }

test('examples exist without facets, without a time, and beside collections without records', async () => {
  const names = ['org.example.empty', 'org.example.filled'] as const
  for (const properties of [
    {},
    { title: { type: 'string' } },
    { at: { type: 'string', format: 'datetime' } },
    { number: { type: 'integer' } },
    { isFree: { type: 'boolean' }, tags },
    { language: { type: 'string', format: 'language' } },
  ]) {
    const lexicons = [
      recordLexicon(names[0], { language: { type: 'string', format: 'language' }, tags }),
      recordLexicon(names[1], properties as Json),
    ]
    const value = { $type: names[1] }
    const uri = `at://did:plc:${'a'.repeat(24)}/${names[1]}/one`
    const records = [plainRecord({ uri, cid: await cidOf(value), indexedAt: '2026-11-20T01:02:03Z', value })]
    await using service = await openTestService({ lexicons, records })
    await assertExamples(
      pagesOver({ service, reference: createReference(lexicons, {}, records) }, modelOf(lexicons, {})),
    )
  }
})
