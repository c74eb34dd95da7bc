import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoryIndex, storyReach, type StoryRecord } from './story-index.ts'
import { storyWords, withoutOutlet } from './story-words.ts'

const cases: readonly (readonly [title: string, cut: string])[] = [
  ['Flood in Porto - The Daily', 'Flood in Porto'],
  ['Flood | in – Porto — one two three four five', 'Flood | in – Porto'],
  ['Flood in Porto - one two three four five six', 'Flood in Porto - one two three four five six'],
  ['A well-known flood', 'A well-known flood'],
  ['Flood - ', 'Flood - '],
  [' - The Daily', ' - The Daily'],
  ['Flood - ??', 'Flood - ??'],
]
for (const [title, cut] of cases)
  test(`the title ${JSON.stringify(title)} is ${JSON.stringify(cut)}`, () =>
    assert.equal(withoutOutlet(title), cut))

test('a start counts three times as much in the title, once, and not at all if it is frequent', () => {
  const { starts, values, total } = storyWords('The zoraxes of Zorax', 'zorax and quilming')
  assert.deepEqual(starts, ['zorax', 'quilm'])
  assert.deepEqual([...values], [27, 9])
  assert.equal(total, 36)
})

function recordOf(title: string, seconds = 0, isFirst = true): StoryRecord {
  return { uri: title, at: BigInt(seconds) * 1_000_000n, seconds, words: storyWords(title, null), isFirst }
}

test('the more similar first record is joined, and among equals the earlier', () => {
  const index = new StoryIndex<StoryRecord>()
  for (const title of ['vethu jobbi', 'zorax quilm']) index.add(recordOf(title))
  const joined = (title: string) => index.joinedBy(recordOf(title, 1))?.uri
  assert.equal(joined('vethu zorax jobbi'), 'vethu jobbi')
  assert.equal(joined('vethu zorax quilm'), 'zorax quilm')
  assert.equal(joined('zorax vethu jobbi quilm'), 'vethu jobbi')
  index.add(recordOf('zorax quilm vethu'))
  assert.equal(joined('zorax quilm vethu jobbi'), 'zorax quilm vethu')
})

test('what is left of a similarity after 72 hours is half, and later nothing', () => {
  const index = new StoryIndex<StoryRecord>()
  const joined = (title: string, seconds: number) => index.joinedBy(recordOf(title, seconds))?.uri ?? null
  index.add(recordOf('zorax quilm'))
  assert.equal(joined('zorax quilm', storyReach), null)
  const more = 'zorax quilm vethu jobbi wramp dobni'
  index.add(recordOf(more))
  assert.equal(joined(more, storyReach), more)
  assert.equal(joined(more, storyReach + 1), null)
})

test('a record that shares too little for the days between is not compared in full', () => {
  const index = new StoryIndex<StoryRecord>()
  let reads = 0
  const other = recordOf('zorax quilm gorbo', 30 * 3_600)
  const { words } = other
  const counting = Object.defineProperty({ ...other }, 'words', { get: () => ((reads += 1), words) })
  index.add(counting)
  reads = 0
  const joinedAfter = (hours: number) => index.joinedBy(recordOf('zorax quilm vethu', hours * 3_600))
  assert.equal(joinedAfter(96), null)
  assert.equal(reads, 0)
  assert.equal(joinedAfter(31), counting)
  assert.equal(reads, 1)
})

test('the earliest records that are not needed leave memory first', () => {
  const index = new StoryIndex<StoryRecord>()
  const days = [0, 9, 3, 6].map((day) => recordOf(`zorax ${day}`, day * 86_400))
  for (const record of days) index.add(record)
  const left = (): unknown => days.filter(({ seconds }) => index.covers(seconds, seconds))
  index.keep(0, 1, 4)
  assert.deepEqual(left(), days)
  index.keep(0, 1, 2)
  assert.deepEqual(left(), days.slice(0, 2))
  assert.equal(index.covers(0, 9 * 86_400), false)
  index.keep(3 * 86_400, 4 * 86_400)
  assert.equal(index.size, 0)
})

test('a record is told which later ones it resembles, and of earlier ones only first records', () => {
  const index = new StoryIndex<StoryRecord>()
  const [before, after, left] = [
    recordOf('a zorax quilm', 1, false),
    recordOf('b zorax quilm', 3),
    recordOf('c quilm', 3),
  ]
  for (const record of [before, after, left, recordOf('vethu jobbi', 3)]) index.add(record)
  index.remove(left)
  const [between, behind] = [recordOf('zorax quilm', 2), recordOf('zorax quilm', 4)]
  assert.deepEqual([index.joinedBy(between), index.resembling(between)], [null, [after]])
  assert.deepEqual([index.joinedBy(behind), index.resembling(behind)], [after, []])
  assert.deepEqual(index.at(3_000_000n).length, 2)
})
