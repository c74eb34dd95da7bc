/** Commands leave stories complete, because query nodes alone derive none. */
import assert from 'node:assert/strict'
import { didOf, tid } from './network/follow.ts'
import { writeLines } from './support/demo-databases.ts'
import { commandsInTurn, printed } from './support/server/commands.ts'
import { onEveryDatabase } from './support/store/databases.ts'
import { emptyDatabases, temporaryFolder } from './support/store/store.ts'

const inFolder = temporaryFolder()
const runInTurn = commandsInTurn()
const emptyUrl = emptyDatabases()
const collection = 'tech.service.news.article'
const because = ['--reason', 'A test.', '--by', 'ann']
const query = `{ techServiceNewsArticleAggregate(groupBy: [story]) { groups { story count } }
  indexStatus { collections { name storiesComplete } } }`

onEveryDatabase('stories are right when a command that changes records ends', async (engine) => {
  const env = { LEXIGRAPH_DATABASE: await emptyUrl(engine) }
  const run = (...args: readonly string[]) => printed(runInTurn(args, { env }))
  /** The first record of the story, and how many it has, after a command. */
  const story = async (...args: readonly string[]): Promise<string> => {
    await run(...args)
    const { data } = JSON.parse(await run('query', query))
    const [found] = data.indexStatus.collections.filter((one: { name: string }) => one.name === collection)
    assert.equal(found.storiesComplete, true, args.join(' '))
    const groups: readonly { story: string; count: number }[] = data.techServiceNewsArticleAggregate.groups
    return groups.map(({ story, count }) => `${story.at(-1)} ${count}`).join()
  }
  const file = (name: string, ...lines: readonly object[]) =>
    writeLines(inFolder(`${engine}-${name}.jsonl`), lines)
  const [a, b, c, d] = [1, 2, 3, 4].map(line) as [Line, Line, Line, Line]
  assert.equal(await story('import', file('c', c)), 'c 1')
  assert.equal(await story('import', file('b', b)), 'b 2')
  // Until an hour has passed it is refused, unless clocks may differ by so much.
  const rev = tid(Date.now() * 1000 + 3_600_000_000)
  assert.equal(await story('import', file('a', { ...a, rev, indexedAt: '2020-01-01T00:00:00Z' }, b)), 'b 2')
  assert.equal(await story('rejections', 'retry', '--max-clock-skew', '86400'), 'a 3')
  assert.equal(await story('import', file('d', d)), 'a 4')
  assert.equal(await story('hide', a.uri, ...because), 'b 3')
  assert.equal(await story('hide', '--undo', a.uri), 'a 4')
  assert.equal(await story('hide', didOf(1), ...because), 'b 3')
  assert.equal(await story('hide', '--undo', didOf(1)), 'a 4')
  assert.equal(await story('purge', '--retain', `${collection}=365d`), 'b 3')
  assert.equal(await story('purge', b.uri, ...because), 'c 2')
  assert.equal(await story('purge', didOf(3), ...because), 'd 1')
})

type Line = ReturnType<typeof line>

/** They tell of one event, one after another. */
function line(account: number) {
  const did = didOf(account)
  const title = 'Flood barrier of Lyon fails its first test'
  const source = { uri: `at://${did}/tech.service.news.source/a`, cid }
  const url = `https://${account}.example/a`
  const publishedAt = `2026-01-01T0${account}:00:00Z`
  return {
    uri: `at://${did}/${collection}/3aaaaaaaaaa2${' abcd'[account]}`,
    value: { $type: collection, title, url, source, publishedAt, createdAt: publishedAt },
  }
}
const cid = 'bafyreigmuzdgenustmenygkty3wxb2hipus5nag76pdyf3umczqqibluoa'
