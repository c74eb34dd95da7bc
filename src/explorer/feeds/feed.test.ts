import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atomFeed, element, iriOf, link, text } from './feed.ts'

const hostile = `]]></title><script>alert(1)</script>&amp;"' \u202E\u0000\u0008\uFFFE\uD800<!--`
const head = {
  title: hostile,
  page: 'https://news.example/c/a?q="<>&b=1',
  self: 'https://news.example/c/a/feed.atom?q="<>&b=1',
  author: hostile,
  updated: '2026-11-16T00:00:00.000Z',
}
const entry = element('entry', { 'xml:lang': 'de' }, [
  text('id', iriOf('at://did:web:a%3A1.example/org.example.note/1')),
  text('title', hostile),
  text('published', '2026-11-15T00:00:00.000Z'),
  link('related', 'https://other.example/?a=1&b=<2>', null),
  element('author', {}, [text('name', hostile), text('uri', 'https://news.example/at/did:web:a')]),
  text('summary', hostile),
])

test('texts of records stay texts in Atom, without the characters that XML forbids', () => {
  const xml = atomFeed(head, [entry])
  const names = new Set(Array.from(xml.matchAll(/<\/?([^\s>/]+)/g), ([, name]) => name))
  const known = '?xml feed id title updated link author name uri entry published summary'.split(' ')
  assert.deepEqual([...names].toSorted(), known.toSorted())
  assert.doesNotMatch(xml, /[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/u)
  assert.ok(xml.isWellFormed())
  assert.doesNotMatch(xml, /&(?!(amp|lt|gt|quot|#39|#13);)/)
})

test('an entry of Atom has an id that is an IRI, its times, and links', () => {
  const xml = atomFeed(head, [entry])
  for (const part of [
    '<id>at://did%3Aweb%3Aa%253A1.example/org.example.note/1</id>',
    '<entry xml:lang="de">',
    'href="https://other.example/?a=1&amp;b=&lt;2&gt;"',
    '<link rel="self" type="application/atom+xml"',
  ])
    assert.ok(xml.includes(part), part)
})
