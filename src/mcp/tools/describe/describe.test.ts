/** What `describe` says of times and fill rates, compared with the reference evaluator. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { model, openOn } from '../../../../test/support/service/news-agent.ts'
import { closeCorpora } from '../../../../test/golden/corpora.ts'
import { createAgent, engineEndpoint, readPages } from '../../../../test/support/service/agents.ts'
import { onOneDatabase } from '../../../../test/support/store/databases.ts'
import { percent, roughPercent } from './describe-parts.ts'

after(closeCorpora)

test('a description of a field of other records names whose records it counts', async () => {
  const { agent, reference } = await openOn('sqlite')
  for (const [collection, field, of] of [
    ['article', 'language', 'article'],
    ['article', 'source.country', 'article'],
    ['article', 'enrichment.sentiment', 'enrichment'],
    ['article', 'enrichment.count', 'enrichment'],
    ['source', 'article.enrichment.sentiment', 'enrichment'],
  ] as const) {
    const { counted = collection, values, records } = await agent.call('describe', { collection, field })
    assert.equal(counted, of)
    const all = Object.values<number>(values ?? { records }).reduce((sum, count) => sum + count, 0)
    assert.equal(all, reference.count(`tech.service.news.${of}`, {}))
  }
})

onOneDatabase('as many values are distinct as are listed besides the missing one', async (database) => {
  const { agent } = await openOn(database)
  const paths: readonly (readonly [collection: string, field: string])[] = [
    ...model.collections.flatMap(({ nsid, type: { fields } }) =>
      fields.map(({ name }) => [nsid.split('.').at(-1) ?? '', name] as const),
    ),
    ['article', 'source.region'],
    ['article', 'authors.name'],
    ['enrichment', 'article.section'],
    ['enrichment', 'article.publishedAt'],
    ['enrichment', 'entities.name'],
    ['source', 'article.section'],
  ]
  let missing = 0
  for (const [collection, field] of paths) {
    const [first = {}, ...others] = await readPages(agent.call, 'describe', { collection, field })
    const { distinct = first['months'], values } = first
    if (values === undefined) continue
    const isCut = others.length > 0 || Object.keys(values).some((value) => value.endsWith('…'))
    if (isCut) continue
    const listed = Object.keys(values).filter((value) => value !== '(missing)')
    missing += Object.keys(values).length - listed.length
    assert.equal(distinct, listed.length, `${collection}.${field}`)
  }
  assert.ok(missing > 5)
})

onOneDatabase('a collection is described with the fill rate of every optional field', async (database) => {
  const { agent, reference } = await openOn(database)
  for (const collection of model.collections) {
    const label = collection.nsid.split('.').at(-1)
    const { fields, unfilled = '' } = await agent.call('describe', { collection: label })
    const records = reference.records.filter((record) => record.collection === collection.nsid)
    for (const { name, property, mayMiss } of collection.type.fields) {
      const filled = records.filter(({ value }) => [value[property] ?? []].flat().length > 0)
      if (filled.length === 0) {
        assert.ok(unfilled.split(' ').includes(name), name)
        continue
      }
      const isAll = !mayMiss || filled.length === records.length
      const begins = isAll ? /^[^\d~]/ : `${percent(filled.length, records.length)} `
      assert.ok(fields[name].match(begins)?.index === 0, `${label} ${name}: ${fields[name]}`)
    }
  }
})

onOneDatabase('fill rates take a few operations of at most 250 points, and are kept', async (database) => {
  const { service } = await openOn(database)
  const costs: number[] = []
  const endpoint = engineEndpoint(service.engine)
  const agent = createAgent(model, {
    async ask(question, signal) {
      const answer = await endpoint.ask(question, signal)
      costs.push(answer.cost ?? 0)
      return answer
    },
  })
  const first = await agent.call('describe', { collection: 'enrichment' })
  assert.ok(costs.length <= 4 && costs.every((cost) => cost <= 250), `${costs}`)
  assert.deepEqual(await agent.call('describe', { collection: 'enrichment' }), first)
  assert.ok(costs.length <= 5 && (costs.at(-1) ?? 0) < 50, `${costs}`)
})

onOneDatabase('where a tier cannot pay for fill rates and times, the answer says so', async (database) => {
  const { service } = await openOn(database)
  const described = (points: number, args: object) =>
    createAgent(model, engineEndpoint(service.engine, undefined, { points })).call('describe', args)
  const article = await described(100, { collection: 'article' })
  assert.match(
    article.hint,
    /^Some fields have no fill rate: counting them costs up to 245 points in one operation/,
  )
  assert.match(article.fields.language, /^97% code/)
  assert.match(article.fields.authors, /^list of object/)
  const all = await described(20, {})
  assert.deepEqual(
    all.collections.map(({ records }: { records: number }) => records),
    [660, 802, 53],
  )
  assert.match(all.hint, /Where time is missing, describe that collection\./)
})

onOneDatabase(
  'the collections are listed with the range and fill rate of their main time',
  async (database) => {
    const { agent, reference } = await openOn(database)
    const { collections, hint } = await agent.call('describe')
    assert.equal(hint, undefined)
    for (const { nsid, time } of collections) {
      const name = nsid.endsWith('.article') ? 'publishedAt' : 'createdAt'
      const records = reference.records.filter(({ collection }) => collection === nsid)
      const times = records.flatMap(({ value }) => (value[name] ? [Date.parse(value[name])] : []))
      const [first, last] = [Math.min(...times), Math.max(...times)].map((at) =>
        new Date(at).toISOString().slice(0, 10),
      )
      assert.equal(time, `${name} ${first} to ${last}, ${percent(times.length, records.length)}`)
    }
    const later = await openOn(database, new Date('2027-03-01T12:00:00Z'))
    assert.match(
      (await later.agent.call('describe')).hint,
      /count from the newest record, 2026-11-15, because/,
    )
  },
)

test('calls that ask for fill rates at the same time count them once', async () => {
  const { agent } = await openOn('sqlite')
  const answers = await Promise.all([1, 2, 3].map(() => agent.call('describe', { collection: 'article' })))
  assert.deepEqual(answers[1], answers[0])
  assert.deepEqual(answers[2], answers[0])
  const counts = agent.asked.filter(
    ({ query }) => query.includes('isNull: true') && !query.includes('indexStatus'),
  )
  assert.equal(counts.length, 2)
})

test('a share is 100 % only if all records have the field, and 0 % only if none has it', () => {
  assert.deepEqual(
    [
      [0, 5],
      [5, 5],
      [1, 100_000],
      [99_999, 100_000],
      [1, 3],
      [1, 2],
    ].map(([part = 0, whole = 0]) => percent(part, whole)),
    ['0%', '100%', '<1%', '99%', '33%', '50%'],
  )
  assert.equal(roughPercent(97, 100), '~97%')
})
