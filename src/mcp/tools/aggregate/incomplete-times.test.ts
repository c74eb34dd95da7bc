/** Times of series in which the data, or the times that are asked for, begin or end, over the demo corpus. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { closeCorpora } from '../../../../test/golden/corpora.ts'
import { isIncompleteIn } from '../../../../test/mcp/tables.ts'
import { demoDay } from '../../../../test/support/service/agents.ts'
import { openOn } from '../../../../test/support/service/news-agent.ts'
import { onOneDatabase } from '../../../../test/support/store/databases.ts'
import { moved } from '../../../util/time/calendar.ts'

after(closeCorpora)

const article = 'tech.service.news.article'

onOneDatabase('all times outside the data are told, however many', async (database) => {
  const { agent, reference } = await openOn(database)
  const times = reference.records.flatMap(({ collection, value }) =>
    collection === article && value.publishedAt ? Date.parse(value.publishedAt) : [],
  )
  const [first, last] = [Math.min(...times), Math.min(Math.max(...times), demoDay.getTime())]
  for (const unit of ['day', 'week', 'month', 'quarter', 'year'] as const)
    for (const [order, limit] of [
      ['key', 500],
      ['-key', 500],
      ['-count', 9],
    ] as const) {
      const answer = await agent.call('aggregate', {
        collection: 'article',
        by: [`publishedAt:${unit}`],
        since: unit === 'day' ? '2026-06' : '2018',
        until: '2027-01',
        fill: true,
        change: true,
        order,
        limit,
        max_tokens: 10_000,
      })
      const partial = answer.rows.filter(([time = '']: readonly string[]) => {
        const at = Date.parse(time)
        return at < first || moved(unit, at, 1) > last
      })
      assert.deepEqual(answer.rows.filter(isIncompleteIn(answer)), partial, unit)
      assert.ok(order === '-count' || partial.length > 1)
      assert.ok((answer.incomplete ?? []).length <= 2)
      const unchanged = answer.rows.filter((row: readonly unknown[]) => row[2] === null)
      // The first time after incomplete ones has no change either.
      assert.ok(unchanged.length <= partial.length + 1)
    }
})

onOneDatabase('times in which the data begin or end are marked, and have no change', async (database) => {
  const { agent, reference } = await openOn(database)
  const months = ['2026-09-01', '2026-10-01', '2026-11-01', '2026-12-01']
  const counts = months.map((gte, at) =>
    reference.count(article, { publishedAt: { gte, lt: months[at + 1] ?? gte } }),
  )
  const [first = 0, second = 0, third = 0] = counts
  const asked = {
    collection: 'article',
    filters: { publishedAt: { ne: null } },
    by: ['publishedAt:month'],
    change: true,
  }
  const whole = await agent.call('aggregate', asked)
  const rows = [first, second, third].map((count, at) => [months[at], count, null])
  assert.deepEqual([whole.rows, whole.incomplete], [rows, ['2026-09-01', '2026-11-01']])
  const days = await agent.call('aggregate', {
    ...asked,
    by: ['publishedAt:day'],
    since: 'November 2026',
    until: '2026-11-03',
  })
  assert.equal(days.incomplete, undefined)
  const [one, two] = days.rows
  assert.equal(two[2], two[1] - one[1])
})
