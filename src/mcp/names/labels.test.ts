/** Labels of answers are taken as filters: each means exactly the record that it was shown for, however names collide. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { newsLexicons } from '../../../test/golden/corpora.ts'
import type { Json } from '../../../test/reference/shapes.ts'
import { buildRecord, refTo } from '../../../test/support/records/records.ts'
import { rounds, seed } from '../../../test/support/rounds.ts'
import { createAgent, engineEndpoint, modelOf } from '../../../test/support/service/agents.ts'
import { openTestService } from '../../../test/support/service/service.ts'
import { onOneDatabase } from '../../../test/support/store/databases.ts'

const { documents: lexicons, references } = newsLexicons

/** Words that are names, short forms, articles and domains of one another. */
const word = fc.constantFrom(
  'time',
  'Times',
  'nos',
  'NOS',
  'new',
  'york',
  'nyt',
  'The',
  'el país',
  'elpais',
  'l',
)
const words = fc.array(word, { minLength: 1, maxLength: 3 })
const domain = words.map(
  (some) =>
    `${some
      .join('')
      .toLowerCase()
      .replace(/\P{ASCII}|\s/gu, '')}.example`,
)
const name = fc.oneof(
  { weight: 6, arbitrary: words.map((some) => some.join(' ')) },
  domain,
  fc.tuple(words, domain).map(([some, of]) => `${some.join(' ')} (${of})`),
  fc.constantFrom(' Times', 'St. Time', 'Time: New', 'time…', '"nos"', 'www.nos.example', '???'),
)
const outlet = fc.record({
  name,
  key: fc.oneof(
    domain,
    domain.map((of) => `www.${of}`),
    word.map((one) => one.replace(/\W/gu, '-')),
  ),
  domain,
  articles: fc.constantFrom(1, 1, 2, 30),
})
const outlets = fc.uniqueArray(outlet, { selector: ({ key }) => key, minLength: 2, maxLength: 7 })

onOneDatabase('a label that an answer shows means its record as a filter', async (database) => {
  await fc.assert(
    fc.asyncProperty(outlets, async (drawn) => {
      const createdAt = '2026-11-01T00:00:00.000Z'
      const built = await Array.fromAsync(
        drawn,
        async ({ name: displayName, key: rkey, domain, articles }, at) => {
          const source = await buildRecord('tech.service.news.source', {
            rkey,
            value: { displayName, baseUrl: `https://${domain}/`, domain, createdAt },
          })
          const own = await Array.fromAsync({ length: articles }, (_, number) => {
            const url = `https://${domain}/${at}/${number}`
            const value = { title: `Article ${number}`, url, source: refTo(source), createdAt }
            const letters = [at, number].map((one) =>
              String.fromCharCode(97 + (one % 26), 97 + Math.floor(one / 26)),
            )
            return buildRecord('tech.service.news.article', { rkey: `3aaaaaa${letters.join('')}22`, value })
          })
          return { source, own }
        },
      )
      const records = built.flatMap(({ source, own }) => [source, ...own])
      await using service = await openTestService({ lexicons, references, records, database })
      const agent = createAgent(modelOf(lexicons, references), engineEndpoint(service.engine))
      const shownFor = new Map<string, string>()
      const args = { collection: 'article', limit: 50, max_tokens: 10_000 }
      for (const { source, own } of built) {
        const uri = { uri: own.map((article) => article.uri) }
        const { rows } = await agent.call('aggregate', { ...args, filters: uri, by: ['source'] })
        const { records: found } = await agent.call('search_records', {
          ...args,
          filters: uri,
          fields: ['source'],
        })
        const labels = new Set([
          ...rows.map(([label]: [string]) => label),
          ...found.map((row: Json) => row.source),
        ])
        assert.equal(labels.size, 1)
        for (const label of labels) {
          assert.ok(!shownFor.has(label), `${label} is shown for two`)
          shownFor.set(label, source.uri)
        }
      }
      for (const { source, own } of built) {
        const label = [...shownFor].find(([, uri]) => uri === source.uri)?.[0]
        const { records: found } = await agent.call('search_records', {
          ...args,
          filters: { source: label },
          fields: [],
        })
        assert.deepEqual(
          new Set(found.map(({ uri }: Json) => uri)),
          new Set(own.map(({ uri }) => uri)),
          label,
        )
      }
    }),
    { seed, numRuns: rounds(3) },
  )
})
