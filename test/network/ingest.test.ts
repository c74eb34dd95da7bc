/** From a publisher's write on a real PDS to the answer: the program as processes, as an operator runs it. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Json } from '../reference/shapes.ts'
import { longTest } from '../support/rounds.ts'
import { temporaryFolder } from '../support/store/store.ts'
import { until } from '../support/until.ts'
import { startNetwork, type Written } from './network.ts'
import { startProxy } from './proxy.ts'
import { runProgram } from './service.ts'
import { atOnce, eventually, settingsIn, startFollowing, startIngest, storedIn } from './support-index.ts'
import { article, collections, enrichment, outlet, rkeyOf } from './support-news.ts'

const inFolder = temporaryFolder()

test('what happens on the network is answered as it happens', async (t) => {
  await using network = await startNetwork()
  // One index for tests that look at their own records alone, or leave nothing behind. Its source can be taken away.
  await using proxy = await startProxy(network.pdsUrl)
  const shared = inFolder('shared.db')
  const inThreads = settingsIn(network, shared, { LEXIGRAPH_THREADS: '2' })
  await using following = await startFollowing(`firehose:${proxy.url}`, inThreads)
  const { ingest, service } = following
  const firehose = `firehose:${network.pdsUrl}`
  const { query } = service
  const long = (claim: string, holds: () => Promise<void>) => longTest(claim, {}, holds, t)

  await t.test(
    'a record is answered once created, updated or deleted, and references lead to it',
    async () => {
      const alice = await network.createAccount('alice')
      const source = await alice.create(collections.source, outlet('The First'), 'first')
      const told = await alice.create(collections.article, article('A storm', source, { tags: ['sea'] }))
      const read = await alice.create(collections.enrichment, enrichment('It rains', told))
      const state = async (): Promise<Json> => {
        const { articles, enrichments, found } = await query(
          `query ($uri: String!) {
          articles: techServiceNewsArticle {
            totalCount
            nodes {
              title
              cid
              rev
              source { isCurrent }
              sourceResolved { ... on TechServiceNewsSource { displayName } }
              techServiceNewsEnrichmentViaArticle { nodes { uri } }
            }
          }
          enrichments: techServiceNewsEnrichment { nodes { article { isCurrent } articleResolved { __typename } } }
          found: techServiceNewsArticleByUri(uri: $uri) { recordJson }
        }`,
          { uri: told.uri },
        )
        return { articles, enrichments: enrichments.nodes, found: found?.recordJson ?? null }
      }
      const expected = (title: string, { cid, rev }: Written, outletName: string, more: Json) => ({
        articles: {
          totalCount: 1,
          nodes: [
            {
              title,
              cid,
              rev,
              source: { isCurrent: outletName === 'The First' },
              sourceResolved: { displayName: outletName },
              techServiceNewsEnrichmentViaArticle: { nodes: [{ uri: read.uri }] },
            },
          ],
        },
        enrichments: [
          {
            article: { isCurrent: cid === told.cid },
            articleResolved: { __typename: 'TechServiceNewsArticle' },
          },
        ],
        found: article(title, source, more),
      })
      await eventually(state, expected('A storm', told, 'The First', { tags: ['sea'] }))

      await alice.update(collections.source, 'first', outlet('The Second'))
      let last = told
      for (let version = 1; version <= 20; version += 1)
        last = await alice.update(collections.article, rkeyOf(told.uri), article(`Storm ${version}`, source))
      await eventually(state, expected('Storm 20', last, 'The Second', {}))

      await alice.delete(collections.article, rkeyOf(told.uri))
      await eventually(state, {
        articles: { totalCount: 0, nodes: [] },
        enrichments: [{ article: { isCurrent: null }, articleResolved: null }],
        found: null,
      })
      await alice.delete(collections.enrichment, rkeyOf(read.uri))
      await alice.delete(collections.source, 'first')
      await eventually(async () => (await storedIn(shared)).size, 0)
    },
  )

  await t.test('records of an account that is not active vanish at once, and come back', async () => {
    const [carol, cato] = [await network.createAccount('carol'), await network.createAccount('cato')]
    const source = await carol.create(collections.source, outlet('Of Carol'), 'carol')
    const told = await carol.create(collections.article, article('Told', source))
    await cato.create(collections.article, article('Of Cato', source))
    await cato.create(collections.enrichment, enrichment('Cato read it', told))
    // More than leave the tables in one step.
    for (let batch = 0; batch < 3; batch += 1)
      await carol.applyWrites(
        Array.from({ length: 200 }, (_, index) => ({
          kind: 'create' as const,
          collection: collections.article,
          record: article(`Many ${batch} ${index}`, source, { tags: ['many'] }),
        })),
      )
    const state = async (): Promise<Json> => {
      const answer = await query(
        `query ($uri: String!, $did: String!) {
          found: techServiceNewsArticleByUri(uri: $uri) { title indexedAt changedAt }
          listed: techServiceNewsArticle(first: 0) { totalCount }
          hers: techServiceNewsArticle(first: 0, where: {did: {eq: $did}}) { totalCount }
          tagged: techServiceNewsArticle(first: 0, where: {tags: {has: "many"}}) { totalCount }
          searched: techServiceNewsArticle(first: 0, where: {title: {contains: "many"}}) { totalCount }
          counted: techServiceNewsArticleAggregate { count }
          enrichments: techServiceNewsEnrichment { nodes { article { isCurrent } articleResolved { __typename } } }
          his: techServiceNewsArticle(where: {title: {eq: "Of Cato"}}) { nodes { sourceResolved { __typename } } }
          indexStatus { collections { name records } }
        }`,
        { uri: told.uri, did: carol.did },
      )
      const { found, listed, hers, tagged, searched, counted, enrichments, his, indexStatus } = answer
      return {
        found,
        counts: [listed, hers, tagged, searched].map(({ totalCount }) => totalCount),
        counted: counted.count,
        enrichments: enrichments.nodes,
        his: his.nodes,
        collections: indexStatus.collections.map(({ records }: Json) => records),
      }
    }
    await until(async () => {
      const { counted, enrichments } = await state()
      return counted === 602 && enrichments.length === 1
    })
    const shown = await state()
    assert.deepEqual(shown.counts, [602, 601, 600, 600])
    const hidden = {
      found: null,
      counts: [1, 0, 0, 0],
      counted: 1,
      enrichments: [{ article: { isCurrent: null }, articleResolved: null }],
      his: [{ sourceResolved: null }],
      collections: [1, 1, 0],
    }
    await carol.deactivate()
    await atOnce(state, shown, hidden)
    await carol.activate()
    await eventually(state, shown)
    await carol.takeDown()
    await atOnce(state, shown, hidden)
    await carol.undoTakeDown()
    await eventually(state, shown)
    await carol.deleteAccount()
    await atOnce(state, shown, hidden)
    await eventually(async () => keptOf(shared, carol.did), 0)
  })

  await long('a record shows the present handle, and null while that cannot be looked up', async () => {
    await using resolver = await startProxy(network.pdsUrl)
    const settings = settingsIn({ ...network, pdsUrl: resolver.url }, inFolder('handles.db'))
    const bert = await network.createAccount('bert')
    await resolver.stop()
    await using own = await startFollowing(firehose, settings)
    await bert.create(collections.source, outlet('Of Bert'))
    const handles = async (): Promise<Json> => {
      const { techServiceNewsSource } = await own.service.query(
        '{ techServiceNewsSource { nodes { actorHandle } } }',
      )
      return techServiceNewsSource.nodes.map(({ actorHandle }: Json) => actorHandle)
    }
    await eventually(handles, [null])
    await resolver.resume()
    await own.ingest.stop()
    await using _again = await startIngest(firehose, settings)
    await atOnce(handles, [null], ['bert.test'])
    await bert.changeHandle('berta')
    await atOnce(handles, ['bert.test'], ['berta.test'])
  })

  await long('publishers are named by DID or handle, and records of others are not taken', async () => {
    const [erin, fred, gina] = [
      await network.createAccount('erin'),
      await network.createAccount('fred'),
      await network.createAccount('gina'),
    ]
    const database = inFolder('publishers.db')
    const env = settingsIn(network, database, { LEXIGRAPH_PUBLISHERS: `${erin.did}, @fred.test` })
    await using own = await startIngest(firehose, env)
    await gina.create(collections.source, outlet('Of Gina'))
    const { uri: first } = await erin.create(collections.source, outlet('Of Erin'))
    await gina.create(collections.article, {})
    const { uri: second } = await fred.create(collections.source, outlet('Of Fred'))
    await eventually(async () => [...(await storedIn(database)).keys()], [second, first])
    assert.deepEqual((await own.status()).rejections, {})
    await own.stop()
    const unknown = { ...env, LEXIGRAPH_PUBLISHERS: 'nobody.test' }
    const { status, stderr } = await runProgram(['ingest', '--from', firehose], { env: unknown })
    assert.deepEqual([status, stderr], [1, 'The handle nobody.test points to no account.\n'])
  })

  await t.test('a source that is away is told of, and nothing is lost meanwhile', async () => {
    const hedy = await network.createAccount('hedy')
    const written = [(await hedy.create(collections.source, outlet('Before'))).uri]
    const ofHedy = async (): Promise<readonly string[]> =>
      [...(await storedIn(shared)).keys()].filter((uri) => uri.includes(hedy.did))
    await eventually(ofHedy, written)
    const stateOf = ({ sources }: Json): string => sources.map(({ state }: Json) => state).join()
    const served = async (): Promise<Json> => {
      const ready: Json = await (await fetch(`${service.url}/readyz`)).json()
      const { indexStatus } = await query('{ indexStatus { sources { name state } } }')
      const { name } = ready.sources[0]
      assert.equal(name, 'firehose')
      return [ready, indexStatus].map(stateOf)
    }
    // What is printed is read from the same place, by a program of its own: once the others say so, it has to.
    const isEverywhere = async (state: string): Promise<void> => {
      await eventually(served, [state, state])
      assert.equal(stateOf(await ingest.status()), state)
    }
    await isEverywhere('live')
    proxy.cut()
    written.unshift((await hedy.create(collections.source, outlet('While cut'))).uri)
    await eventually(ofHedy, written)
    await proxy.stop()
    await isEverywhere('unavailable')
    const detail = await until(async () => {
      const { detail } = (await ingest.status()).sources[0]
      return /^The connection failed: connect ECONNREFUSED .*\.$/.test(detail) && detail
    })
    assert.ok(ingest.stderr().includes(`firehose:${proxy.url} is unavailable: ${detail}`), ingest.stderr())
    written.unshift((await hedy.create(collections.source, outlet('While away'))).uri)
    written.unshift((await hedy.create(collections.source, outlet('While still away'))).uri)
    await proxy.resume()
    await isEverywhere('live')
    await eventually(ofHedy, written)
    await ingest.stop()
    await isEverywhere('stopped')
  })
})

/** Rows of an account that the file still has, wherever they are. */
function keptOf(database: string, did: string): number {
  const file = new DatabaseSync(database, { readOnly: true })
  const tables = ['tech.service.news.article', 'tech.service.news.source', 'parked', 'rejection', 'tombstone']
  const rows = tables.map(
    (table) =>
      file
        .prepare(
          table === 'rejection'
            ? `select count(*) as n from rejection where uri like 'at://' || ? || '/%'`
            : `select count(*) as n from "${table}" where base in (select id from base where did = ?)`,
        )
        .get(did)?.n,
  )
  file.close()
  return rows.reduce<number>((sum, count) => sum + Number(count), 0)
}
