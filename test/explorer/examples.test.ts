/** Examples of the first page over lexicons that have little to make them of. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHTML } from 'linkedom'
import { readDisplay } from '../../src/explorer/fields/read-display.ts'
import { createSubjects } from '../../src/explorer/fields/subject.ts'
import { plainRecord } from '../golden/corpora.ts'
import { createReference } from '../reference/reference.ts'
import type { Json } from '../reference/shapes.ts'
import { cidOf } from '../support/records/records.ts'
import { modelOf } from '../support/service/agents.ts'
import { explorerOver } from '../support/service/explorer.ts'
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

test('of several collections, the first page counts those that have a noun', async () => {
  const names = ['org.example.book', 'org.example.like'] as const
  const at = { type: 'string', format: 'datetime' }
  const language = { type: 'string', format: 'language' }
  const lexicons = names.map((name) => recordLexicon(name, { at, language }))
  const records = await Promise.all(
    names.map(async (name) => {
      const value = { $type: name, at: '2026-11-01T00:00:00Z', language: 'en' }
      const uri = `at://did:plc:${'a'.repeat(24)}/${name}/one`
      return plainRecord({ uri, cid: await cidOf(value), indexedAt: '2026-11-20T01:02:03Z', value })
    }),
  )
  await using service = await openTestService({ lexicons, records })
  const model = modelOf(lexicons, {})
  const lead = async (file: unknown) => {
    const { display } = readDisplay(file, createSubjects(model).all)
    const { get } = explorerOver(service, model, { subjects: createSubjects(model, display) })
    const { document } = parseHTML((await get('/')).body)
    return document.querySelector('.front .lead')?.textContent ?? null
  }
  const count = { en: { one: '{n} book', other: '{n} books' } }
  assert.equal(await lead({ [names[0]]: { count } }), '1 book, in 1 language, from Nov 2026.')
  assert.equal(await lead({}), null)
})
