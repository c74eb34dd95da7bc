import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoryWindow, storyReach } from './story-window.ts'
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

test('the more similar first record is joined, and among equals the earlier', () => {
  const window = new StoryWindow<string>()
  for (const name of ['zorax quilm', 'vethu jobbi']) window.add(name, 0, storyWords(name, null))
  assert.equal(window.find(0, storyWords('vethu zorax jobbi quilm', null)), 'zorax quilm')
  assert.equal(window.find(0, storyWords('zorax jobbi quilmy wramp', null)), 'zorax quilm')
})

test('what is left of a similarity after 72 hours is half, and later nothing', () => {
  const window = new StoryWindow<string>()
  const words = storyWords('zorax quilm', null)
  window.add('first', 0, words)
  assert.equal(window.find(storyReach, words), null)
  const more = storyWords('zorax quilm vethu jobbi wramp dobni', null)
  window.add('more', 0, more)
  assert.equal(window.find(storyReach, more), 'more')
  assert.equal(window.find(storyReach + 1, more), null)
})
