/** Completions of what people type, over HTTP on both engines. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { closeCorpora, corpusNamed } from '../golden/corpora.ts'
import { demoDay } from '../support/service/agents.ts'
import { onOneDatabase } from '../support/store/databases.ts'
import { until } from '../support/until.ts'
import { startAgentServer } from './agent-server.ts'
import { connect, overHttp, revisions } from './connect.ts'

after(closeCorpora)

for (const revision of revisions)
  onOneDatabase(`clients of ${revision} complete collections and URIs`, async (engine) => {
    const { service, reference } = await corpusNamed('demo', engine)
    await using server = await startAgentServer({ app: { engine: service.engine }, now: () => demoDay })
    await using client = await connect(overHttp(server.url), revision)

    // A completion is given up after some seconds; a person types on.
    const complete = (given: Parameters<typeof client.complete>[0]) =>
      until(() =>
        client
          .complete(given)
          .catch((error: Error) => (/abort|time/i.test(error.message) ? null : Promise.reject(error))),
      )
    const resource = (uri: string, argument: string, value: string) =>
      complete({ ref: { type: 'ref/resource', uri }, argument: { name: argument, value } })

    const lexicons = await resource('lexigraph://lexicon/{nsid}', 'nsid', 'news.sou')
    assert.deepEqual(lexicons.completion.values, ['tech.service.news.source'])
    const record = 'lexigraph://record/{+uri}'
    const [{ uri = '' } = {}] = reference.records.filter(
      ({ value }) => value.displayName === 'Harbour & Hill',
    )
    assert.deepEqual((await resource(record, 'uri', 'harbour & h')).completion.values, [uri])
    assert.deepEqual(
      (await resource(record, 'uri', 'at://did:web:a.example/tech.service.news.a')).completion.values,
      ['at://did:web:a.example/tech.service.news.article'].map((one) => `${one}/`),
    )
    assert.deepEqual((await resource(record, 'uri', 'at:')).completion.values, [])
  })
