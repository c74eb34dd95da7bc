/** Words for refusals of the service: complete, in the names of the tools, and with the service's numbers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ErrorCode, errorCodes } from '../../errors.ts'
import { refusalWords, wordRefusal } from './service-refusals.ts'

const codes = Object.keys(errorCodes) as readonly ErrorCode[]

const said = (message: string, code: string | null, retryAfter: number | null = null): string =>
  wordRefusal({ message, code, retryAfter })

test('there are words for every error code, with the numbers of the service', () => {
  assert.deepEqual(Object.keys(refusalWords).toSorted(), codes.toSorted())
  const message =
    'The operation takes 7 of 5, and `where` asks too much. Ask for smaller pages, or select fewer fields.'
  for (const code of codes) {
    const text = said(message, code, 9)
    assert.match(text, /^[A-Za-z][^`]*(`filters`)?[^`]*\.$/, code)
    if (code !== 'INVALID_CURSOR') assert.match(text, /7 of 5/, code)
    if (code !== 'BAD_USER_INPUT' && code !== 'INTERNAL') assert.doesNotMatch(text, /smaller pages/, code)
  }
})

test('refusals name the arguments of tools', () => {
  const cases: readonly (readonly [ErrorCode, string, string])[] = [
    [
      'BAD_USER_INPUT',
      '`first: 1000` is out of range: write 0 to 100, and follow the cursors for more.',
      '`limit: 1000` is out of range: write 0 to 100, and go on with `after` for more.',
    ],
    [
      'BAD_USER_INPUT',
      '`groupBy` names title twice. Name each field once.',
      '`by` names title twice. Name each field once.',
    ],
    [
      'QUERY_TOO_COMPLEX',
      'The `where` has too many conditions: 401, and the limit is 400.',
      'The `filters` has too many conditions: 401, and the limit is 400. Write less in one call, or ask in several.',
    ],
    [
      'QUERY_TOO_COMPLEX',
      'A list in the variables has too many values: 1001, and the limit is 1000.',
      'A list in the call has too many values: 1001, and the limit is 1000. Write less in one call, or ask in several.',
    ],
    [
      'QUERY_TOO_COMPLEX',
      'The operation costs 263 points, and the limit is 250. Ask for smaller pages.',
      'The call costs 263 points, and the limit is 250. Leave out parts, such as share, groups, measures, or fields and filters of other records, or ask in several calls.',
    ],
    [
      'TIMEOUT',
      'The operation took longer than the 5 s that the tier "public" has. Narrow `where`, ask for fewer groups, or for a smaller page.',
      'The call took longer than the 5 s that the tier "public" has. The service may be busy: try again. If that fails too, ask for a shorter time, more filters, fewer groups, or a smaller limit.',
    ],
    [
      'PAYLOAD_TOO_LARGE',
      'The body is over the limit of 1048576 bytes.',
      'The call is over the limit of 1048576 bytes. Write shorter texts, or fewer values.',
    ],
    [
      'UNAUTHENTICATED',
      'The API key is unknown here. Ask the operator of this service for one, or leave the header out.',
      'The API key is unknown here. Tell the person who set up this server.',
    ],
    [
      'INTERNAL',
      'The service failed to answer. When you report it, name the request a-1.',
      'The service failed to answer. When you report it, name the request a-1. Try once more; if it fails again, ask in another way.',
    ],
    [
      'BAD_REQUEST',
      'The request has no "query". Send one.',
      'The service does not take what this server asked of it (The call has no "query"). That is a fault of this server, not of the arguments; ask in another way.',
    ],
  ]
  for (const [code, message, words] of cases) assert.equal(said(message, code), words)
})

test('texts of callers in quotes are neither cut nor renamed', () => {
  assert.equal(
    said('`sortBy` has no "a. b `where`" here. Leave it out.', 'QUERY_TOO_COMPLEX'),
    '`sort` has no "a. b `where`" here. Write less in one call, or ask in several.',
  )
})

test('temporary refusals say when to try again, and refusals of other services are quoted', () => {
  const wait = 'The service is stopping. Try again in 1 second.'
  assert.equal(said('The service is stopping.', 'UNAVAILABLE', 1), wait)
  assert.equal(said('Too often.', 'RATE_LIMITED', 1_200), 'Too often. Try again in 1,200 seconds.')
  assert.equal(said('Slow down. Please.', 'TOO_FAST', 3), 'Slow down. Please. Try again in 3 seconds.')
  assert.equal(said('No.', null), 'No.')
})
