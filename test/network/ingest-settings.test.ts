/** What is indexed and answered as settings say: lexicons, where handles are looked up, publishers, processes. */
import assert from 'node:assert/strict'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Json } from '../reference/shapes.ts'
import { temporaryFolder } from '../support/store/store.ts'
import { until } from '../support/until.ts'
import { startNetwork } from './network.ts'
import { startProxy } from './proxy.ts'
import { runProgram, type Service, startService } from './service.ts'
import {
  atOnce,
  eventually,
  packageLexicons,
  settingsIn,
  startFollowing,
  startIngest,
  storedIn,
} from './support-index.ts'
import { article, collections, outlet, rkeyOf, unfit } from './support-news.ts'

const inFolder = temporaryFolder()

test('what is indexed and answered follows the settings', async (t) => {
  await using network = await startNetwork()
  const firehose = `firehose:${network.pdsUrl}`

  await t.test('a record shows the present handle, and null while that cannot be looked up', async () => {
    await using resolver = await startProxy(network.pdsUrl)
    const env = settingsIn({ ...network, pdsUrl: resolver.url }, inFolder('handles.db'))
    const bert = await network.createAccount('bert')
    await resolver.stop()
    await using following = await startFollowing(firehose, env)
    await bert.create(collections.source, outlet('Of Bert'))
    const handles = async (): Promise<Json> => {
      const { techServiceNewsSource } = await following.service.query(
        '{ techServiceNewsSource { nodes { actorHandle } } }',
      )
      return techServiceNewsSource.nodes.map(({ actorHandle }: Json) => actorHandle)
    }
    await eventually(handles, [null])
    await resolver.resume()
    await following.ingest.stop()
    await using _again = await startIngest(firehose, env)
    await atOnce(handles, [null], ['bert.test'])
    await bert.changeHandle('berta')
    await atOnce(handles, ['bert.test'], ['berta.test'])
  })

  await t.test('what does not fit is refused with its reason, and stored once it fits', async () => {
    const database = inFolder('refused.db')
    const env = settingsIn(network, database)
    const dora = await network.createAccount('dora')
    await using ingest = await startIngest(firehose, env)
    const source = await dora.create(collections.source, outlet('Of Dora'))
    const fit = await dora.create(collections.article, article('Fit', source))
    const kept = await dora.create(collections.article, article('Kept', source))
    const refused = await dora.create(collections.article, unfit(source))
    await until(async () => (await storedIn(database)).size === 3)
    await dora.update(collections.article, rkeyOf(fit.uri), unfit(source))
    await eventually(async () => [...(await storedIn(database)).keys()], [kept.uri, source.uri])
    const { rejections, collections: counts } = await ingest.status()
    assert.deepEqual(rejections, { 'invalid-record': 2 })
    assert.equal(counts[0].outcomes.rejected, 2)
    await ingest.stop()

    const listed = await runProgram(['rejections', '--json'], { env })
    const lines = listed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      lines.map(({ key, uri, reason, source: from, cut }) => ({ key, uri, reason, from, cut })),
      [fit.uri, refused.uri]
        .toSorted()
        .map((uri) => ({ key: uri, uri, reason: 'invalid-record', from: firehose, cut: false })),
    )
    assert.match(lines[0].message, /title/)
    assert.match(
      (await runProgram(['rejections'], { env })).stdout,
      new RegExp(`${refused.uri}\n {2}invalid-record: `),
    )
    const before = await runProgram(['rejections', 'retry'], { env })
    assert.match(before.stdout, /^0 records stored, 2 still refused/)

    const changed = { ...env, LEXIGRAPH_LEXICONS: withoutTitle() }
    await using following = await startFollowing(firehose, changed)
    assert.equal((await runProgram(['rejections'], { env: changed })).stdout, 'Nothing has been refused.\n')
    const articles = async (): Promise<Json> =>
      (await following.service.query('{ techServiceNewsArticle { nodes { uri title } } }'))
        .techServiceNewsArticle.nodes
    const untitled = await dora.create(collections.article, unfit(source))
    await eventually(
      async () => new Map((await articles()).map(({ uri, title }: Json) => [uri, title])),
      new Map([
        [untitled.uri, null],
        [fit.uri, null],
        [refused.uri, null],
        [kept.uri, 'Kept'],
      ]),
    )
  })

  await t.test('publishers are named by DID or handle, and records of others are not taken', async () => {
    const [erin, fred, gina] = [
      await network.createAccount('erin'),
      await network.createAccount('fred'),
      await network.createAccount('gina'),
    ]
    const database = inFolder('publishers.db')
    const env = settingsIn(network, database, { LEXIGRAPH_PUBLISHERS: `${erin.did}, @fred.test` })
    await using ingest = await startIngest(firehose, env)
    await gina.create(collections.source, outlet('Of Gina'))
    const { uri: first } = await erin.create(collections.source, outlet('Of Erin'))
    await gina.create(collections.article, {})
    const { uri: second } = await fred.create(collections.source, outlet('Of Fred'))
    await eventually(async () => [...(await storedIn(database)).keys()], [second, first])
    assert.deepEqual((await ingest.status()).rejections, {})
    await ingest.stop()
    const unknown = { ...env, LEXIGRAPH_PUBLISHERS: 'nobody.test' }
    const { status, stderr } = await runProgram(['ingest', '--from', firehose], { env: unknown })
    assert.deepEqual([status, stderr], [1, 'The handle nobody.test points to no account.\n'])
  })

  await t.test('one process follows and answers, and stores what has come before it stops', async () => {
    const database = inFolder('beside.db')
    const env = settingsIn(network, database)
    const iris = await network.createAccount('iris')
    const count = (service: Service) => async (): Promise<number> =>
      (await service.query('{ techServiceNewsArticle(first: 0) { totalCount } }')).techServiceNewsArticle
        .totalCount
    const source = await iris.create(collections.source, outlet('Of Iris'))
    const burst = Array.from({ length: 200 }, (_, index) => ({
      kind: 'create' as const,
      collection: collections.article,
      record: article(`Burst ${index}`, source),
    }))
    await using service = await startService(['serve', '--ingest', firehose], { env })
    await service.said(/ is live\./)
    await iris.create(collections.article, article('Single', source))
    await eventually(count(service), 1)
    await iris.applyWrites(burst)
    await iris.applyWrites(burst)
    const seen = await count(service)()
    await service.stop()
    assert.ok((await storedIn(database)).size >= seen)
    assert.equal((await service.status()).sources[0].state, 'stopped')
    await using again = await startService(['serve', '--ingest', firehose], { env })
    await eventually(count(again), 401)
    const refused = await runProgram(['serve', '--ingest', firehose, '--port', '0'], {
      env: { ...env, LEXIGRAPH_DATABASE: ':memory:' },
    })
    assert.deepEqual(
      [refused.status, refused.stderr],
      [2, '--ingest needs a database in a file; name one with --database.\n'],
    )
  })
})

/** The package's lexicons, but for an article that needs no title. */
function withoutTitle(): string {
  const folder = inFolder('lexicons')
  cpSync(packageLexicons, folder, { recursive: true })
  const path = `${folder}/tech/service/news/article.json`
  const document = JSON.parse(readFileSync(path, 'utf8'))
  const { record } = document.defs.main
  record.required = record.required.filter((name: string) => name !== 'title')
  writeFileSync(path, JSON.stringify(document))
  return folder
}
