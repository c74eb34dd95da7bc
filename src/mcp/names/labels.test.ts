/** Labels of answers are taken as filters: each means exactly the record that it was shown for, however names collide. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { newsLexicons } from '../../../test/golden/corpora.ts'
import type { Json } from '../../../test/reference/shapes.ts'
import type { PlainRecord } from '../../../test/reference/dataset.ts'
import { buildRecord, refTo } from '../../../test/support/records/records.ts'
import { rounds, seed } from '../../../test/support/rounds.ts'
import {
  type Agent,
  createAgent,
  engineEndpoint,
  modelOf,
  readPages,
} from '../../../test/support/service/agents.ts'
import { openTestService } from '../../../test/support/service/service.ts'
import { onOneDatabase } from '../../../test/support/store/databases.ts'

const lexicons = newsLexicons.documents
const sourceField = 'tech.service.news.article#source'

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
  fc.constantFrom('(missing)', '  ', 'at://nos', '@nos', 'NOS.example', 'nos.example/time', 'times ', 'a\nb'),
  fc.constantFrom(
    'https://nos.example/',
    'http://nos.example',
    'https://time.example/1/0',
    'nos.example/1/0',
  ),
  fc.constantFrom(
    'mailto:nos@time.example',
    'mailto:',
    'did:plc:nos',
    'nos:time',
    'nos@time.example',
    'tel:1',
  ),
  fc.constantFrom(
    'Time (nos) [new]',
    '(nos)',
    'Time <nos@time.example>',
    'Times https://nos.example',
    '{nos}',
  ),
  fc.constantFrom(
    '\\"nos\\"',
    "'nos'",
    '«Times»',
    'https://nos.example/?a=1',
    'nos?',
    'all',
    'null',
    '-',
    '*',
  ),
  fc.constantFrom('York', 'Times 字').map((of) => `${'The New '.repeat(14)}${of}`),
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

/** Its articles have their titles from these, so that equal ones are on one page and on several. */
const titles = fc.array(name, { minLength: 1, maxLength: 3 })

/** Letters of a record key, by a number below 26 × 26. */
function lettersOf(number: number): string {
  return String.fromCharCode(97 + Math.floor(number / 26), 97 + (number % 26))
}

/** Where articles refer to: outlets, outlets or analyses, or what is not declared. */
const targets = fc.constantFrom(
  ['tech.service.news.source'],
  ['tech.service.news.source', 'tech.service.news.enrichment'],
  null,
)

type Drawn<Some> = Some extends fc.Arbitrary<infer One> ? One : never

/** Outlets, their articles, and an analysis of each article. */
async function buildRecords(
  drawn: Drawn<typeof outlets>,
  called: Drawn<typeof titles>,
): Promise<readonly PlainRecord[]> {
  const createdAt = '2026-11-01T00:00:00.000Z'
  const each = await Array.fromAsync(
    drawn,
    async ({ name: displayName, key: rkey, domain, articles }, at) => {
      const value = { displayName, baseUrl: `https://${domain}/`, domain, createdAt }
      const source = await buildRecord('tech.service.news.source', { rkey, value })
      const own = await Array.fromAsync({ length: articles }, async (_, number) => {
        const key = `3aaaaaa${lettersOf(at)}${lettersOf(number)}22`
        const title = called[number % called.length] ?? ''
        // Some articles have one address, or none of the web.
        const url = number % 3 === 0 ? `mailto:press@${domain}` : `https://${domain}/${at % 2}/${number}`
        const article = await buildRecord('tech.service.news.article', {
          rkey: key,
          value: { title, url, source: refTo(source), createdAt },
        })
        const analysis = await buildRecord('tech.service.news.enrichment', {
          rkey: key,
          value: { article: refTo(article), model: 'm', createdAt },
        })
        return [article, analysis]
      })
      return [source, ...own.flat()]
    },
  )
  return each.flat()
}

/** What answers show for the records that a path leads to, with how many refer to each. */
async function shown(agent: Agent, collection: string, path: string): Promise<readonly [string, number][]> {
  const args = { collection, limit: 20, max_tokens: 10_000 }
  const pages = await readPages(agent.call, 'aggregate', { ...args, by: [path] })
  const found = await readPages(agent.call, 'search_records', { ...args, fields: [path] })
  const inner = await agent.call('aggregate', { ...args, top: { by: path, limit: 10 }, by: ['collection'] })
  const described = await readPages(agent.call, 'describe', { collection, field: path, max_tokens: 10_000 })
  const listed = found.flatMap(({ records }) => records.map((row: Json): string => row[path]))
  return [
    ...pages.flatMap(({ rows }): [string, number][] => rows),
    ...Object.entries(Object.groupBy(listed, (label) => label)).map(([label, all = []]): [string, number] => [
      label,
      all.length,
    ]),
    ...inner.rows.flatMap(([, , top]: Json[]) => Object.entries(top as Record<string, number>)),
    ...described.flatMap(({ values }) => Object.entries(values as Record<string, number>)),
  ]
}

/**
 * Each record that a refusal names is read by what the refusal calls it, or by what the next refusal calls it: records
 * that the first did not find may be called so too.
 */
async function takesOffered(agent: Agent, args: Json, steps = 2): Promise<void> {
  const said = await agent.call('get_record', args).catch(({ message }: Error) => message)
  if (typeof said !== 'string') return
  assert.ok(steps > 0, said)
  for (const [, value] of said.matchAll(/ \(([^\s()]+), \d+ records?\)/g))
    await takesOffered(agent, { ...args, value }, steps - 1)
}

onOneDatabase('a label that an answer shows means its record as a filter', async (database) => {
  await fc.assert(
    fc.asyncProperty(outlets, titles, targets, async (drawn, called, targets) => {
      const { [sourceField]: _, ...others } = newsLexicons.references
      const references = targets === null ? others : { ...others, [sourceField]: targets }
      const records = await buildRecords(drawn, called)
      await using service = await openTestService({ lexicons, references, records, database })
      const agent = createAgent(modelOf(lexicons, references), engineEndpoint(service.engine))
      for (const value of ['time', 'nos', 'new york', 'the', 'elpais', ...drawn.map(({ name }) => name)]) {
        await takesOffered(agent, { collection: 'source', value })
      }
      for (const value of called) await takesOffered(agent, { collection: 'article', value })
      for (const { key: value } of drawn) {
        const { uri } = await agent.call('get_record', { collection: 'source', value })
        assert.equal(uri.split('/').at(-1), value)
      }
      for (const [collection, path, target] of [
        ['article', 'source', 'source'],
        ['enrichment', 'article', 'article'],
        ...(targets?.length === 1 ? [['enrichment', 'article.source', 'source'] as const] : []),
      ] as const) {
        const counts = new Map<string, number>()
        for (const [label, count] of await shown(agent, collection, path)) {
          assert.equal(counts.get(label) ?? count, count, `${label} in ${path}`)
          counts.set(label, count)
        }
        const meant = await Array.fromAsync(counts, async ([label, count]) => {
          const answers = await readPages(agent.call, 'search_records', {
            collection,
            limit: 50,
            max_tokens: 10_000,
            filters: { [path]: label },
            fields: [`${path}.uri`],
          })
          const found = answers.flatMap((answer) => answer['records'])
          assert.equal(found.length, count, `${label} in ${path}`)
          const uris = new Set(found.map((row: Json) => row[`${path}.uri`]))
          assert.equal(uris.size, 1, label)
          return [...uris][0]
        })
        const referred = records.filter(
          ({ collection, uri }) =>
            collection.endsWith(target) &&
            drawn.length > 0 &&
            records.some(({ value }) => [value['source']?.uri, value['article']?.uri].includes(uri)),
        )
        assert.deepEqual(meant.toSorted(), referred.map(({ uri }) => uri).toSorted(), path)
      }
    }),
    { seed, numRuns: rounds(3) },
  )
})
