/** Pages whose reader's points are used up while they are made: they say so where something is missing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHTML } from 'linkedom'
import type { EndpointFault } from '../../src/endpoint/endpoint.ts'
import { article, openPages, plain } from './pages.ts'

const { get } = await openPages()
const addresses = [
  '/',
  '/search?q=climate',
  '/search?q=nosuchword',
  article,
  `${article}?q=climate&split=language`,
  `${article}?stories=1`,
  `${article}/facets?q=climate&language=en&articleType=report`,
  `${article}/topic?q=climate&q=flood`,
  `${article}/topic?q=election&panel=words`,
  `${article}/charts?by=language&by=publishedAt_month`,
  `${article}/filter?field=source`,
  `${article}/chart.svg?q=climate`,
  `${article}/chart.csv?q=climate`,
  `${article}/feed.atom`,
  `/embed${article}`,
  `/embed${article}/chart?q=climate`,
  '/at/did:plc:lexigraphdemopress222222',
  '/at/did:plc:lexigraphdemopress222222/tech.service.news.source/alpenfunk.example',
]
const faultOf = (code: string): EndpointFault => ({ code, message: 'Wait.', retryAfter: 7 })

test('a page says in their place which parts a spent limit leaves out, and when to come again', async () => {
  let partial = 0
  for (const address of addresses) {
    const whole = await get(address)
    assert.deepEqual(
      [whole.status, whole.retryAfter, whole.body.includes('were left out')],
      [200, null, false],
      address,
    )
    for (let from = 0; from < whole.asked; from++) {
      const place = `${address}, from operation ${from} of ${whole.asked}`
      const { status, body, retryAfter } = await get(address, (at) =>
        at < from ? null : faultOf('RATE_LIMITED'),
      )
      assert.equal(retryAfter, 7, place)
      const { document } = parseHTML(body)
      const [problem, ...others] = [...document.querySelectorAll('.problem')]
      assert.match(body, /^<!doctype html>.*stylesheet/s, place)
      assert.deepEqual(others, [], place)
      assert.match(plain(problem?.textContent), /Try again in 7 seconds\./, place)
      assert.deepEqual([problem?.querySelector('a')?.getAttribute('href')], [address], place)
      const isPartial = plain(problem?.textContent).startsWith('Parts of this page were left out.')
      assert.equal(status, isPartial ? 200 : 429, place)
      if (isPartial) partial += 1
    }
  }
  assert.ok(partial >= 6, String(partial))
})

test('a page is asked for again when all of its parts are there again', async () => {
  const seconds = [40, 7, null]
  for (const [at, first] of seconds.entries())
    for (const later of seconds.slice(at)) {
      const { retryAfter } = await get('/', (number) => {
        if (number === 0) return null
        const retryAfter = number === 1 ? first : later
        return retryAfter === null ? faultOf('QUERY_TOO_COMPLEX') : { ...faultOf('RATE_LIMITED'), retryAfter }
      })
      assert.equal(retryAfter, first, `${first} ${later}`)
    }
})

test('parts that a page never has are not announced, and those that were answered stay', async () => {
  const costly = await get('/', (at) => (at === 2 ? faultOf('QUERY_TOO_COMPLEX') : null))
  assert.deepEqual(
    [costly.status, costly.retryAfter, costly.body.includes('were left out')],
    [200, null, false],
  )
  const late = await get('/', (at) => (at === 2 ? faultOf('TIMEOUT') : null))
  const { document } = parseHTML(late.body)
  const note = document.querySelector('.front .problem')?.textContent ?? ''
  assert.match(note, /could not answer this in time\. Try again\./)
  assert.equal(document.querySelector('#unusual'), null)
  for (const part of ['.examples', '#stories']) assert.ok(document.querySelector(part) !== null, part)
})
