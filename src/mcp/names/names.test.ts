/** What people call records: every tool finds them by name, domain, handle, key and address, and says when it is not one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { newsLexicons, siteLexicons } from '../../../test/golden/corpora.ts'
import type { Json } from '../../../test/reference/shapes.ts'
import {
  type Agent,
  createAgent,
  engineEndpoint,
  modelOf,
  readPages,
} from '../../../test/support/service/agents.ts'
import { onOneDatabase } from '../../../test/support/store/databases.ts'
import { articleKey, buildOutlets } from '../../../test/support/records/outlets.ts'
import type { Engine } from '../../../test/support/store/postgres.ts'
import { buildRecord } from '../../../test/support/records/records.ts'
import { recordLexicon } from '../../../test/support/store/store.ts'
import { openTestService, sharedService } from '../../../test/support/service/service.ts'

const { documents, references } = newsLexicons
const outlets = sharedService(async () => ({
  lexicons: documents,
  references,
  records: await buildOutlets(),
}))

async function open(database: Engine): Promise<Agent & { readonly points: () => number }> {
  const endpoint = engineEndpoint((await outlets(database)).engine)
  let points = 0
  const agent = createAgent(modelOf(documents, references), {
    async ask(question, signal) {
      const answer = await endpoint.ask(question, signal)
      points += answer.cost ?? 0
      return answer
    },
  })
  return { ...agent, points: () => points }
}

async function keysOf(agent: Agent, name: string, more: Json = {}): Promise<string[]> {
  const answers = await readPages(agent.call, 'describe', { name, ...more })
  return answers.flatMap(({ matches }) => matches).map(({ uri }: Json) => uri.split('/').at(-1))
}

async function counted(agent: Agent, source: unknown): Promise<number> {
  return (await agent.call('aggregate', { collection: 'article', filters: { source } })).count
}

onOneDatabase('equal names come with domain and number of records, the most first', async (database) => {
  const agent = await open(database)
  const { columns, rows, total } = await agent.call('describe', { name: 'The New York Times' })
  assert.deepEqual(columns, ['name', 'uri', 'records', 'match'])
  assert.deepEqual(rows, [
    ['The New York Times', 'nytimes.example', 9, 'exact'],
    ['The New York Times', 'cooking.nytimes.example', 2, 'exact'],
    ['The New York Times', 'nytimes-cn.example', 1, 'exact'],
    ['New York Times', 'nyt.example', 1, 'exact'],
  ])
  assert.equal(total, 4)
})

onOneDatabase('a record is found by its name, domain, handle, key or address', async (database) => {
  const agent = await open(database)
  for (const [name, key] of [
    ['nytimes.example', 'nytimes.example'],
    ['www.nytimes.example', 'nytimes.example'],
    ['https://nytimes.example', 'nytimes.example'],
    ['http://www.nytimes.example/', 'nytimes.example'],
    ['NYTIMES.EXAMPLE', 'nytimes.example'],
    ['nytimes', 'nytimes.example'],
    ['thenewyorktimes', 'nytimes.example'],
    ['newyorktimes', 'nytimes.example'],
    ['nos', 'nos.example'],
    ['Frankfurter Allgemeine', 'faz.example'],
    ['FAZ', 'faz.example'],
    ['Kurier', 'kurier.example'],
    ['der kurier', 'kurier.example'],
    ['équipe', 'equipe.example'],
    ['lequipe', 'equipe.example'],
    ['Le Figaro', 'lefigaro.example'],
    ['Deutsche Wele', 'dw.example'],
    ['edition.cnn-1.example', 'cnn-1.example'],
  ] as const)
    assert.equal((await keysOf(agent, name))[0], key, name)
})

onOneDatabase('whole words come before parts of words', async (database) => {
  const agent = await open(database)
  assert.deepEqual(await keysOf(agent, 'nos'), ['nos.example'])
  assert.deepEqual(await keysOf(agent, 'agnos'), ['diagnosticimaging.example'])
  const times = await keysOf(agent, 'times')
  assert.deepEqual(times.slice(0, 3), ['times.example', 'times-india.example', 'nytimes.example'])
  assert.equal(await counted(agent, 'nos'), 3)
  assert.match(
    await refused(agent, 'agnos'),
    /There is no source "agnos"\. The nearest: "Diagnostic Imaging"/,
  )
})

onOneDatabase('every match of a name can be reached, a page after the other', async (database) => {
  const agent = await open(database)
  const answers = await readPages(agent.call, 'describe', { name: 'CNN', max_tokens: 250 })
  for (const { total } of answers) assert.equal(total, 13)
  const seen = answers.flatMap(({ matches }) => matches.map(({ uri }: Json) => uri))
  assert.deepEqual([seen.length, new Set(seen).size], [13, 13])
  assert.match(await agent.refusal('describe', { name: 'CNN', after: 'x' }), /not a cursor/)
})

onOneDatabase('a filter by a name that several share is refused with what to write', async (database) => {
  const agent = await open(database)
  const told = await refused(agent, 'New York Times')
  assert.match(
    told,
    /^4 source records may be meant by "New York Times": "The New York Times" \(nytimes\.example, 9 records\); /,
  )
  assert.match(told, /\{"all": "New York Times"\} for all of them\.$/)
  // What answers show is taken if it is most of what may be meant.
  assert.equal(await counted(agent, 'The New York Times'), 12)
  assert.equal(await counted(agent, 'nytimes.example'), 9)
  assert.equal(await counted(agent, 'cooking.nytimes.example'), 2)
  const others = await refused(agent, 'Presse')
  assert.match(
    others,
    /"Die Presse" \(diepresse\.example, 6 records\); "La Presse" \(lapresse\.example, 3 records\)/,
  )
  assert.equal(await counted(agent, 'La Presse'), 3)
})

onOneDatabase('a filter takes all records of a name, and says which', async (database) => {
  const agent = await open(database)
  const filters = { source: { all: 'New York Times' } }
  const { count, hint } = await agent.call('aggregate', { collection: 'article', filters })
  assert.equal(count, 13)
  assert.match(hint, /^"New York Times" means 4 records: .*nytimes-cn\.example, 1 record/)
  assert.equal(await counted(agent, { in: ['nos', { all: 'the new york times' }] }), 16)
  assert.equal(await counted(agent, [{ all: ['NOS', 'FAZ'] }, 'kurier']), 10)
  assert.equal(await counted(agent, { uri: 'nos' }), 3)
  const everything = await counted(agent, { isNull: false })
  assert.equal(await counted(agent, { ne: { all: 'New York Times' } }), everything - 13)
  assert.equal(await counted(agent, { notIn: [{ all: 'New York Times' }, 'NOS'] }), everything - 16)
  assert.match(await refused(agent, { all: 'Nobody Anywhere' }), /There is no source "Nobody Anywhere"/)
})

onOneDatabase('records that share a name are groups of their own, told apart', async (database) => {
  const agent = await open(database)
  const expected = [
    ['The New York Times (nytimes.example)', 9],
    ['The New York Times (cooking.nytimes.example)', 2],
    ['New York Times (nyt.example)', 1],
    ['The New York Times (nytimes-cn.example)', 1],
  ] as const
  const args = { collection: 'article', filters: { source: { all: 'The New York Times' } } }
  const { rows } = await agent.call('aggregate', { ...args, by: ['source'] })
  assert.deepEqual(new Set(rows), new Set(expected))
  const top = { by: 'source', limit: 10 }
  const inner: readonly Json[] = (await agent.call('aggregate', { ...args, by: ['language'], top })).rows
  assert.deepEqual(new Set(inner.flatMap(([, , groups]) => Object.entries(groups))), new Set(expected))
  const { values } = await agent.call('describe', { collection: 'article', field: 'source' })
  for (const [name, count] of expected) {
    assert.equal(values[name], count)
    if (name.endsWith(')')) assert.equal(await counted(agent, name), count)
  }
})

onOneDatabase('a name that is not exact is taken if one record has its words, and said', async (database) => {
  const agent = await open(database)
  const filters = { source: 'Frankfurter Allgemeine' }
  const { total, hint } = await agent.call('search_records', { collection: 'article', filters })
  assert.equal(total, 5)
  assert.equal(
    hint,
    '"Frankfurter Allgemeine" was read as "Frankfurter Allgemeine Zeitung" (faz.example, 5 records).',
  )
})

onOneDatabase('references take names, keys and addresses at any depth', async (database) => {
  const agent = await open(database)
  const [article, other] = [articleKey('nos.example', 1), articleKey('faz.example', 0)]
  const uriOf = async (filters: Json): Promise<string[]> => {
    const { records } = await agent.call('search_records', { collection: 'article', filters })
    return records.map(({ uri }: Json) => uri.split('/').at(-1))
  }
  assert.deepEqual(await uriOf({ uri: article }), [article])
  assert.deepEqual(await uriOf({ uri: [article, other] }).then((keys) => keys.toSorted()), [article, other])
  assert.equal((await uriOf({ 'source.uri': 'nos.example' })).length, 3)
  const by = async (filters: Json) => (await agent.call('aggregate', { collection: 'source', filters })).count
  assert.equal(await by({ article: { some: { uri: 'https://www.nos.example/articles/1' } } }), 1)
  assert.equal(await by({ article: { some: { source: { all: 'New York Times' } } } }), 4)
  const { count } = await agent.call('aggregate', {
    collection: 'enrichment',
    filters: { 'article.source': 'nos', article },
  })
  assert.equal(count, 0)
})

onOneDatabase('one record is read by name, domain, key, URI or address', async (database) => {
  const agent = await open(database)
  const article = articleKey('faz.example', 2)
  const read = async (args: Json) => (await agent.call('get_record', args)).uri.split('/').at(-1)
  assert.equal(await read({ value: 'NOS' }), 'nos.example')
  assert.equal(await read({ uri: 'nos.example' }), 'nos.example')
  assert.equal(await read({ value: article, collection: 'article' }), article)
  assert.equal(await read({ value: 'https://www.faz.example/articles/2' }), article)
  assert.equal(await read({ value: 'http://faz.example/articles/2/' }), article)
  // The smaller of two records with equal names.
  assert.match(
    await agent.refusal('get_record', { collection: 'source', value: 'New York Times' }),
    /^4 source records may be meant by .* Write one of them\.$/,
  )
  assert.equal(await read({ collection: 'source', value: 'nytimes-cn.example' }), 'nytimes-cn.example')
  assert.match(await agent.refusal('get_record', {}), /URI, record key, URL, domain or name/)
  assert.match(
    await agent.refusal('get_record', { value: 'x', field: 'domain' }),
    /Write the collection, too/,
  )
})

onOneDatabase('looking up a name is affordable', async (database) => {
  for (const [name, most] of [
    ['The New York Times', 75],
    ['nytimes.example', 70],
    ['NOS', 100],
    ['https://www.faz.example/articles/2', 70],
    ['Nobody Anywhere', 150],
  ] as const) {
    const agent = await open(database)
    await agent.call('describe', { name })
    assert.ok(agent.points() <= most, `${name} costs ${agent.points()} points`)
  }
})

onOneDatabase('accounts are named by their handles', async (database) => {
  const value = { name: 'A', url: 'https://a.example' }
  const [alice, bob] = ['did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb'] as const
  const standard = siteLexicons
  const records = await Promise.all(
    (
      [
        [alice, '3lwafzkjqm25s'],
        [alice, '3lwafzkjqm25t'],
        [bob, '3lwafzkjqm25u'],
      ] as const
    ).map(([did, rkey]) => buildRecord('site.standard.publication', { did, rkey, value })),
  )
  await using service = await openTestService({
    lexicons: standard.documents,
    references: standard.references,
    records,
    database,
  })
  await service.opened.database.write.metadata.writeHandle(alice, 'alice.example', 0n)
  const agent = createAgent(modelOf(standard.documents, standard.references), engineEndpoint(service.engine))
  const count = async (filters: Json): Promise<number> =>
    (await agent.call('aggregate', { collection: 'publication', filters })).count
  assert.equal(await count({ did: 'alice.example' }), 2)
  assert.equal(await count({ did: '@Alice.Example' }), 2)
  assert.equal(await count({ actorHandle: ['alice.example', bob] }), 3)
  assert.equal(await count({ did: { ne: 'alice.example' } }), 1)
  assert.equal(await count({ did: bob }), 1)
  assert.match(
    await agent.refusal('aggregate', { collection: 'publication', filters: { did: 'bob.example' } }),
    /^No account with records of publication has the handle "bob\.example"\. There are: alice\.example\./,
  )
})

onOneDatabase('answers that say which records were taken keep to their budget', async (database) => {
  const agent = await open(database)
  for (const source of [{ all: 'New York Times' }, 'Frankfurter Allgemeine', { all: 'CNN' }]) {
    const args = { collection: 'article', filters: { source }, limit: 50, max_tokens: 300 }
    const tokens = countTokens(await agent.text('search_records', args))
    assert.ok(tokens <= 300, `${tokens} tokens`)
  }
})

test('names of other lexicons are found by their handles, addresses and keys', async () => {
  const handle = { type: 'string', format: 'handle' }
  const name = { type: 'string', maxGraphemes: 64, maxLength: 640 }
  const profile = recordLexicon(
    'org.example.social.profile',
    { displayName: name, handle },
    { record: { required: ['displayName'] } },
  )
  const post = recordLexicon('org.example.social.post', {
    text: { type: 'string', maxGraphemes: 300, maxLength: 3000 },
    author: { type: 'string', format: 'at-uri' },
    mentions: { type: 'array', items: { type: 'string', format: 'at-uri' } },
  })
  const given = {
    'org.example.social.post#author': ['org.example.social.profile'],
    'org.example.social.post#mentions': ['org.example.social.profile'],
  }
  const person = (rkey: string, displayName: string, handle: string) =>
    buildRecord('org.example.social.profile', { rkey, value: { displayName, handle } })
  const people = [
    await person('ann1', 'Ann', 'ann.example.com'),
    await person('ann2', 'Ann', 'ann.example.org'),
    await person('bea', 'Béa', 'bea.example.com'),
  ] as const
  const posts = [
    await buildRecord('org.example.social.post', {
      rkey: 'p',
      value: { text: 'Hello', author: people[0].uri, mentions: [people[2].uri] },
    }),
  ]
  const lexicons = [profile, post]
  await using service = await openTestService({ lexicons, references: given, records: [...people, ...posts] })
  const agent = createAgent(modelOf(lexicons, given), engineEndpoint(service.engine))
  const total = async (filters: Json) =>
    (await agent.call('search_records', { collection: 'post', filters })).total
  assert.deepEqual(
    (await agent.call('describe', { name: 'ann' })).matches.map(({ handle, records }: Json) => [
      handle,
      records,
    ]),
    [
      ['ann.example.com', 1],
      ['ann.example.org', 0],
    ],
  )
  assert.equal(await total({ author: '@ann.example.com' }), 1)
  assert.equal(await total({ author: 'ann2' }), 0)
  assert.equal(await total({ author: { all: 'Ann' } }), 1)
  assert.equal(await total({ mentions: 'bea' }), 1)
  assert.equal(await total({ mentions: { has: { all: 'Béa' } } }), 1)
})

test('publications are found by the address of their site', async () => {
  const { documents: lexicons, references: given } = siteLexicons
  const value = { name: 'Notes on Tides', url: 'https://tides.example' }
  const publication = await buildRecord('site.standard.publication', { rkey: '3lwafzkjqm25s', value })
  await using service = await openTestService({ lexicons, references: given, records: [publication] })
  const agent = createAgent(modelOf(lexicons, given), engineEndpoint(service.engine))
  for (const name of ['tides.example', 'https://tides.example/', 'notes on tides', 'tides', '3lwafzkjqm25s'])
    assert.deepEqual(
      (await agent.call('describe', { name })).matches.map(({ uri, url }: Json) => [uri, url]),
      [[publication.uri, 'tides.example']],
      name,
    )
})

async function refused(agent: Agent, source: unknown): Promise<string> {
  return agent.refusal('aggregate', { collection: 'article', filters: { source } })
}
