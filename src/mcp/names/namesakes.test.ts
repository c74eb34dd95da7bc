/** Records of one name are found however the name is written: in one word or several, with or without its article. */
import assert from 'node:assert/strict'
import { newsLexicons } from '../../../test/golden/corpora.ts'
import type { Json } from '../../../test/reference/shapes.ts'
import { type Agent, createAgent, engineEndpoint, modelOf } from '../../../test/support/service/agents.ts'
import { onOneDatabase } from '../../../test/support/store/databases.ts'
import type { Engine } from '../../../test/support/store/postgres.ts'
import { buildRecord, refTo } from '../../../test/support/records/records.ts'
import { seed } from '../../../test/support/rounds.ts'
import { sharedService } from '../../../test/support/service/service.ts'

const { documents: lexicons, references } = newsLexicons

/** Domain, which is also the record key; name; number of articles. */
const outlets: readonly (readonly [domain: string, name: string, articles: number])[] = [
  ['english.elpais.example', 'EL PAÍS', 3],
  ['elpais.example', 'elpais.example', 2],
  ['theguardian.example', 'The Guardian', 1],
  ['amp.theguardian.example', 'The Guardian', 4],
  ['guardian.example', 'Guardian Weekly', 1],
  ['hindustantimes.example', 'Hindustan Times', 3],
  ['auto.hindustantimes.example', 'HindustanTimes', 1],
  ['loisirs.example', 'Télé Loisirs.fr', 1],
  ['tagesanzeiger.example', 'Tagesanzeiger', 1],
  ['lexpress.example', "L'Express", 1],
  ['express.example', 'Express', 4],
  ['tamtam.example', 'Tam Tam', 1],
  ['tam.example', 'Tam', 1],
  ['three.example', 'Die Neue Zeit am Sonntag', 2],
  ...drawn().flatMap(({ word, domain }): readonly (readonly [string, string, number])[] => [
    [`${domain}.example`, `${word} herald`, 25],
    [`obscure-${word}.example`, word, 1],
  ]),
]

/** Famous outlets, with and without their word as domain, beside obscure ones that have it as name. */
function drawn(): readonly { readonly word: string; readonly domain: string }[] {
  return Array.from({ length: 3 }, (_, at) => {
    const word = `q${letter((seed + at) % 26)}${(seed * 7 + at) % 1000}`
    return { word, domain: (seed + at) % 2 === 0 ? word : `site-of-${word}` }
  })
}

const shared = sharedService(async () => ({ lexicons, references, records: await records() }))

async function open(database: Engine): Promise<Agent> {
  return createAgent(modelOf(lexicons, references), engineEndpoint((await shared(database)).engine))
}

async function records() {
  const createdAt = '2026-11-01T00:00:00.000Z'
  const built = await Array.fromAsync(outlets, async ([rkey, displayName, articles], index) => {
    const value = { displayName, baseUrl: `https://${rkey}/`, domain: rkey, createdAt }
    const source = await buildRecord('tech.service.news.source', { rkey, value })
    const own = await Array.fromAsync({ length: articles }, async (_, at) => {
      const article = {
        title: `Article ${at}`,
        url: `https://${rkey}/${at}`,
        source: refTo(source),
        createdAt,
        // Records of the second half have no time.
        ...(at < articles / 2 && { publishedAt: `2026-10-${String(at + 1).padStart(2, '0')}T00:00:00.000Z` }),
      }
      return buildRecord('tech.service.news.article', {
        rkey: `3aaaaaaaaa${letter(index)}${letter(at)}2`,
        value: article,
      })
    })
    return [source, ...own]
  })
  return built.flat()
}

function letter(at: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + at)
}

async function exactly(agent: Agent, name: string): Promise<string[]> {
  const { matches } = await agent.call('describe', { name })
  return matches
    .filter(({ match }: Json) => match === 'exact')
    .map(({ uri }: Json) => uri.split('/').at(-1))
    .toSorted()
}

async function bySource(agent: Agent, source: unknown): Promise<Json> {
  return agent.call('aggregate', { collection: 'article', filters: { source } })
}

onOneDatabase('all records of a name are found however it is written together', async (database) => {
  const agent = await open(database)
  const guardians = ['amp.theguardian.example', 'theguardian.example']
  const times = ['auto.hindustantimes.example', 'hindustantimes.example']
  for (const [name, keys] of [
    ['theguardian', guardians],
    ['The Guardian', guardians],
    ['guardian', [guardians[0], 'guardian.example', guardians[1]]],
    ['hindustantimes', times],
    ['Hindustan Times', times],
    ['elpais', ['elpais.example', 'english.elpais.example']],
    ['el-pais', ['elpais.example', 'english.elpais.example']],
    ['teleloisirs.fr', ['loisirs.example']],
    ['télé loisirs fr', ['loisirs.example']],
    ['tages anzeiger', ['tagesanzeiger.example']],
    ['der tages-anzeiger', ['tagesanzeiger.example']],
    ['tamtam', ['tamtam.example']],
    ['dieneuezeitamsonntag', ['three.example']],
    ['die neuezeitamsonntag', ['three.example']],
    ['neue zeit amsonntag', ['three.example']],
  ] as const)
    assert.deepEqual(await exactly(agent, name), keys, name)
  assert.equal((await bySource(agent, 'theguardian')).count, 5)
  assert.equal((await bySource(agent, { all: 'hindustantimes' })).count, 4)
})

onOneDatabase('a name that is also that of a domain is taken, and the domain said', async (database) => {
  const agent = await open(database)
  for (const source of ['El País', 'elpais']) {
    const { count, hint } = await bySource(agent, source)
    assert.equal(count, 3)
    assert.equal(
      hint,
      `"${source}" was read as "EL PAÍS" (english.elpais.example, 3 records), not "elpais.example" (elpais.example, 2 records).`,
    )
  }
  // All that the name may mean.
  const { count, hint } = await bySource(agent, { all: 'El País' })
  assert.equal(count, 5)
  assert.match(hint, /^"El País" means 2 records: "EL PAÍS" \(english\.elpais\.example, 3 records\); "elpais/)
})

onOneDatabase('a name is that of the record that most refer to, not of an obscure one', async (database) => {
  const agent = await open(database)
  for (const { word } of drawn()) {
    const { count, hint } = await bySource(agent, word)
    assert.equal(count, 25)
    assert.match(hint, new RegExp(`^"${word}" was read as "${word} herald".*, not "${word}" \\(obscure-`))
  }
})

onOneDatabase('a written article tells names apart', async (database) => {
  const agent = await open(database)
  const { count, hint } = await bySource(agent, "L'Express")
  assert.equal(count, 1)
  assert.equal(
    hint,
    `"L'Express" was read as "L'Express" (lexpress.example, 1 record), not "Express" (express.example, 4 records).`,
  )
  const { matches } = await agent.call('describe', { name: "L'Express" })
  assert.deepEqual(
    matches.map(({ name }: Json) => name),
    ["L'Express", 'Express'],
  )
  assert.match(
    (await bySource(agent, 'Express')).hint,
    /, not "L'Express" \(lexpress\.example, 1 record\)\.$/,
  )
})

onOneDatabase('a mistake about a record is answered with what to write instead', async (database) => {
  const agent = await open(database)
  const told = (args: Json) => agent.refusal('aggregate', { collection: 'article', ...args })
  const uri = 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/tech.service.news.article/3aaaaaaaaaaa2'
  for (const [refusal, expected] of [
    [
      await agent.refusal('get_record', { uri, value: 'CNN' }),
      /^uri and value name different records: leave one/,
    ],
    [
      await told({ filters: { source: { displayName: 'CNN' } } }),
      /: for its fields write "source\.displayName"\.$/,
    ],
    [await told({ filters: { source: { all: 'Tam', ne: 'x' } } }), /^"all" of "source" stands alone, as/],
    [
      await told({ filters: { source: 'qqqq' } }),
      /^There is no source "qqqq"\. Names are as their owners write them: try a part/,
    ],
    [
      await told({ by: ['enrichment'] }),
      /Aggregate the collection "enrichment" instead: fields of the article are "article\.…"\.$/,
    ],
    [
      await told({ by: ['topics'] }),
      /^"enrichment\.topics" leads to many .* instead: there it is "topics", and/,
    ],
    [
      await agent.refusal('describe', { name: 'a'.repeat(5000) }),
      /^A name has at most 500 characters; this has 5000\.$/,
    ],
    [await agent.refusal('describe', { name: 'a\0' }), /NUL: leave it out/],
    [await told({ search: '*' }), /`text` finds signs/],
  ] as const)
    assert.match(refusal, expected)
})

onOneDatabase('the newest records that refer come in the order of search_records', async (database) => {
  const agent = await open(database)
  const value = 'express.example'
  const { referredToBy } = await agent.call('get_record', { value })
  const { records: found } = await agent.call('search_records', {
    collection: 'article',
    filters: { source: value },
  })
  const titles = (list: readonly Json[]) => list.map(({ title }) => title)
  assert.equal(referredToBy.article.total, 4)
  assert.deepEqual(titles(referredToBy.article.newest), titles(found).slice(0, 3))
  assert.deepEqual(titles(found), ['Article 1', 'Article 0', 'Article 3', 'Article 2'])
})

onOneDatabase('a key without its collection is read with what was not looked up', async (database) => {
  const agent = await open(database)
  const [article] = (await agent.call('search_records', { collection: 'article', limit: 1 })).records
  const { hint } = await agent.call('get_record', { value: article.uri.split('/').at(-1) })
  assert.equal(hint, 'Keys of enrichment are looked for only with collection.')
})
