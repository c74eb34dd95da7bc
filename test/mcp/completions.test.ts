/** Completions of what people type, and prompts, over HTTP on both engines. */
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
  onOneDatabase(`clients of ${revision} complete names, days, collections and URIs`, async (engine) => {
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
    const prompt = (name: string, argument: string, value: string) =>
      complete({ ref: { type: 'ref/prompt', name }, argument: { name: argument, value } })
    const resource = (uri: string, argument: string, value: string) =>
      complete({ ref: { type: 'ref/resource', uri }, argument: { name: argument, value } })

    const names = reference.records
      .filter(({ collection }) => collection.endsWith('.source'))
      .map(({ value }) => String(value.displayName))
    const beginning = names.filter((name) => /^the /i.test(name)).toSorted()
    assert.ok(beginning.length > 2)
    const { completion } = await prompt('compare_outlets', 'names', 'the ')
    assert.deepEqual(completion.values.toSorted(), beginning)
    assert.equal(completion.hasMore, false)
    const second = await prompt('compare_outlets', 'names', 'Harbour & Hill, courrier')
    assert.deepEqual(second.completion.values, [])
    const third = await prompt('compare_outlets', 'names', 'Harbour & Hill, le courrier')
    assert.deepEqual(third.completion.values, ['Harbour & Hill, Le Courrier des Traboules'])
    assert.equal((await prompt('compare_outlets', 'names', '')).completion.values.length, 20)
    assert.deepEqual((await prompt('compare_outlets', 'topic', 'cli')).completion.values, [])

    const days = (await prompt('daily_brief', 'day', '')).completion.values
    assert.deepEqual(days.slice(0, 2), ['today', 'yesterday'])
    const times = reference.records
      .filter(({ collection }) => collection.endsWith('.article'))
      .map(({ value }) => Date.parse(value.publishedAt))
    const newest = new Date(Math.max(...times.filter((time) => time < demoDay.getTime())))
    assert.equal(days[2], newest.toISOString().slice(0, 10))
    assert.equal(days.length, 33)
    const written = (await prompt('coverage_over_time', 'since', '2026-1')).completion.values
    assert.ok(written.length > 0 && written.every((day) => day.startsWith('2026-1')), written.join())
    const worded = await prompt('coverage_over_time', 'since', 'Last 7')
    assert.deepEqual(worded.completion.values, ['last 7 days'])

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
    await assert.rejects(prompt('no_such_prompt', 'names', 'a'), /no_such_prompt/)
  })

onOneDatabase('prompts of an archive say that their times count from the newest record', async (engine) => {
  const { service } = await corpusNamed('demo', engine)
  for (const now of [demoDay, new Date('2027-03-01T12:00:00Z')]) {
    await using server = await startAgentServer({ app: { engine: service.engine }, now: () => now })
    await using client = await connect(overHttp(server.url))
    const prompts = [
      ['daily_brief', {}],
      ['coverage_over_time', { topic: 'climate' }],
    ] as const
    for (const [name, args] of prompts) {
      const { messages } = await client.getPrompt({ name, arguments: args })
      const text = JSON.stringify(messages)
      const says = 'Times count from the newest record, 2026-11-15, because the index is an archive. Say so.'
      assert.equal(text.includes(says), now !== demoDay, text)
    }
  }
})
