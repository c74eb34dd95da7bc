import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normalizeUrl, normalizeWrittenUrl, urlHash } from './normalize-url.ts'

test('scheme, www., slashes at the end, fragment and tracking parameters do not count', () => {
  for (const url of [
    'https://example.com/a',
    'http://example.com/a',
    'HTTPS://WWW.Example.COM/a',
    'https://example.com/a/',
    'https://example.com/a//',
    'https://example.com/a#part',
    'https://example.com/a/?#?x',
    'https://example.com/a?utm_source=x&UTM_Medium=y&gclid',
    'https://example.com/a?&utm_source=x&',
  ])
    assert.equal(normalizeUrl(url), 'example.com/a', url)
  for (const url of ['https://www.example.com', 'http://example.com/', 'https://example.com?fbclid=1#x'])
    assert.equal(normalizeUrl(url), 'example.com', url)
})

test('all else counts as it is written', () => {
  for (const [url, normal] of [
    ['https://example.com/A', 'example.com/A'],
    ['https://m.example.com/a', 'm.example.com/a'],
    ['https://www.www.example.com/', 'www.example.com'],
    ['https://www./', 'www.'],
    ['https://example.com:443/a', 'example.com:443/a'],
    ['https://Me:Pass@www.Example.com/a', 'Me:Pass@example.com/a'],
    ['https://a@b@example.com', 'a@b@example.com'],
    ['https://[2001:DB8::1]:8080/', '[2001:db8::1]:8080'],
    ['https://example.com/%C3%A9?q=a%20b', 'example.com/%C3%A9?q=a%20b'],
    ['https://BÜCHER.example/Ä', 'bÜcher.example/Ä'],
    ['https://example.com/a?b=1&&a=2&utm_id=3&=', 'example.com/a?b=1&a=2&='],
    ['https://example.com/a?x?utm_source=1', 'example.com/a?x?utm_source=1'],
    ['https://example.com/a?utm=1&gclid2=3&%75tm_source=x', 'example.com/a?utm=1&gclid2=3&%75tm_source=x'],
    ['https://example.com/%_\'"', 'example.com/%_\'"'],
  ] as const)
    assert.equal(normalizeUrl(url), normal, url)
  for (const text of [
    '',
    'mailto:a@example.com',
    'at://did:plc:a/b/c',
    'https:///a',
    'https://a@/b',
    ' https://a.b',
  ])
    assert.equal(normalizeUrl(text), null, text)
})

test('an address may be written without its scheme', () => {
  for (const [text, normal] of [
    ['example.com', 'example.com'],
    ['www.example.com/a?b', 'example.com/a?b'],
    ['//example.com/a', 'example.com/a'],
    ['example.com:8080/a', 'example.com:8080/a'],
    ['bücher.example', 'bücher.example'],
    ['mailto:a@example.com', null],
    ['ftp://example.com/a', null],
    ['at://did:plc:a/b/c', null],
    ['example', null],
    ['/a/b.html', null],
    ['The New York Times', null],
    ['https://', null],
    ['', null],
  ] as const)
    assert.equal(normalizeWrittenUrl(text), normal, text)
})

test('hashes are those of normal forms, and a long path takes no longer than its length', () => {
  assert.equal(urlHash('https://www.example.com/a/'), urlHash('http://example.com/a?utm_id=1'))
  assert.notEqual(urlHash('mailto:a@example.com'), urlHash('mailto:b@example.com'))
  assert.ok(Number.isSafeInteger(urlHash('x')))
  assert.equal(normalizeUrl(`https://a.b/${'/'.repeat(1_000_000)}x`)?.length, 1_000_005)
})
