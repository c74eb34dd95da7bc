/** What refusals of aggregates tell to call instead is answered, and not refused for another reason. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeCorpora } from '../../test/golden/corpora.ts'
import { news, open, reference } from '../../test/support/service/news-agent.ts'

after(closeCorpora)

test('a measure of what groups refer to is asked for once for each group', async () => {
  const agent = open()
  for (const word of ['avg', 'max', 'p90']) {
    const args = { collection: 'enrichment', by: ['sentiment'], measures: [`${word}:article.wordCount`] }
    const said = await agent.refusal('aggregate', args)
    const [, collection, measure, back] =
      /aggregate "(.*?)" with "(.*?)", for groups once for each, with a filter on "(.*?)\.…"\.$/.exec(said) ??
      []
    const one = { collection, measures: [measure], filters: { [`${back}.sentiment`]: 'negative' } }
    assert.ok((await agent.call('aggregate', one)).rows[0][1] > 0, said)
  }
  const said = await agent.refusal('aggregate', {
    collection: 'article',
    by: ['enrichment.sentiment'],
    measures: ['avg:wordCount'],
  })
  const [, path = ''] =
    /ask once for each value, with a filter on "(.*?)" instead of the group\.$/.exec(said) ?? []
  const { count } = await agent.call('aggregate', { collection: 'article', filters: { [path]: 'negative' } })
  const negative = { techServiceNewsEnrichmentViaArticle: { some: { sentiment: { eq: 'negative' } } } }
  assert.equal(count, reference.count(`${news}.article`, negative as never))
  const unknown = await agent.refusal('aggregate', {
    collection: 'enrichment',
    measures: ['avg:article.title'],
  })
  assert.doesNotMatch(unknown, /once for each group/)
})

test('parts of time have no ranges, and no advice says that they do', async () => {
  const agent = open()
  for (const part of ['hourOfDay', 'weekday']) {
    const by = (...paths: readonly string[]) => ({ collection: 'article', by: paths })
    const time = `publishedAt:${part}`
    assert.match(
      await agent.refusal('aggregate', by(time, 'wordCount:500')),
      /exclude each other: ask for "wordCount:500" in another call, or leave its number out\.$/,
    )
    assert.match(await agent.refusal('aggregate', by(`${time}:3`)), /leave the number out/)
    assert.match(
      await agent.refusal('aggregate', by('wordCount', 'wordCount:500')),
      /write the same number after each path/,
    )
    for (const plain of [by(time, 'wordCount'), by('wordCount:500'), by(time)])
      assert.ok((await agent.call('aggregate', plain)).rows.length > 0)
  }
})

test('a size of ranges that is refused is refused with the sizes that there are', async () => {
  const agent = open()
  const by = (size: number | string) => ({ collection: 'article', by: [`wordCount:${size}`] })
  const most = 2 ** 31 - 1
  for (const size of [0, -5, 2.5, most + 1, 9_999_999_999, Number.MAX_SAFE_INTEGER, '9'.repeat(40)])
    assert.equal(
      await agent.refusal('aggregate', by(size)),
      `"wordCount:${size}": the size of ranges is an integer from 1 to ${most}.`,
    )
  for (const size of [1, '007', most]) assert.ok((await agent.call('aggregate', by(size))).rows.length > 0)
})

test('a share that no record meets is explained as a share', async () => {
  const share = { language: 'ja', section: 'Sport' }
  const told = (args: object) =>
    open()
      .call('aggregate', { collection: 'article', ...args })
      .then(({ hint }) => hint)
  const each = /Each filter is met, but not all together: language \d+, section \d+\.$/
  assert.match(await told({ share }), new RegExp(`^No record meets share\\. ${each.source}`))
  assert.match(await told({ share, by: ['language'] }), /^No record meets share\. Each/)
  assert.match(await told({ share: { language: 'xx' } }), /^No record meets share\. No record has "xx"/)
  assert.match(await told({ filters: share }), new RegExp(`^${each.source}`))
  assert.match(
    await told({ filters: { language: 'en' }, by: ['tags'], unusual: { language: 'xx' } }),
    /^No record meets unusual\. No record has "xx"/,
  )
})
