/** Attacks with keys: none, wrong ones, too many of them, in wrong places; and with addresses that are forged. */
import { createKey } from '../../../src/util/api-key.ts'
import {
  asked,
  type Attack,
  attacks,
  type Given,
  got,
  head,
  host,
  numbers,
  path,
  variants,
} from '../attack.ts'

const unknown = createKey()
const key = (value: string): string => `x-api-key: ${value}`
const addresses = [
  '',
  'nonsense',
  "1.1.1.1'; drop table api_key; --",
  '1'.repeat(10_000),
  numbers(1_000)
    .map((index) => `10.0.${index >> 8}.${index & 255}`)
    .join(','),
]
let callers = 0
/** Every attack comes from an address of its own, so that none is slowed by the ones before. */
function with_(value: string | ((given: Given) => string)): (given: Given) => Uint8Array {
  callers += 1
  const from = `x-forwarded-for: 192.0.2.${callers}`
  return (given) => asked('{ __typename }', {}, [from, key(typeof value === 'string' ? value : value(given))])
}

/** For a server that believes what 127.0.0.1 says of addresses. */
export const authenticationAttacks: readonly Attack[] = [
  ...attacks({ status: 401, code: 'UNAUTHENTICATED', leaves: 'open' }, [
    ['a key that is unknown', with_(unknown)],
    ['two headers with the good key', with_(({ goodKey }) => `${goodKey}\r\n${key(goodKey)}`)],
    ['a key that was revoked', with_(({ revokedKey }) => revokedKey)],
    ['a key that was replaced', with_(({ endedKey }) => endedKey)],
    ['a key of 10,000 characters', with_(`lgk_${'A'.repeat(10_000)}`)],
    ['bytes that are no text', with_('\xff\xfe')],
    [
      'the good key as Authorization',
      ({ goodKey }) => asked('{ __typename }', {}, [`authorization: Bearer ${goodKey}`]),
    ],
  ]),
  ...attacks({ status: 400, code: 'BAD_REQUEST', leaves: 'open' }, [
    ['a good key in the URL', ({ goodKey }) => Buffer.from(got(`query=%7B__typename%7D&apiKey=${goodKey}`))],
    ...variants(
      'a key in the URL',
      ['/schema.graphql?key=1', '/healthz?api_key=1', '/playground/?key'],
      (target) => head(`GET ${target} HTTP/1.1`, host, 'accept: text/html'),
    ),
  ]),
  ...attacks({ status: 413, code: 'PAYLOAD_TOO_LARGE', leaves: 'closed' }, [
    ['a key of a megabyte', with_('A'.repeat(1_000_000))],
  ]),
  ...attacks({ status: 200, code: null, leaves: 'open' }, [
    ['a good key', with_(({ goodKey }) => goodKey)],
    ['a good key with white space around it', with_(({ goodKey }) => ` \t ${goodKey} \t`)],
    ['no key at all', asked('{ __typename }')],
    ['an empty key', with_('')],
    ['two headers, of which one is empty', with_(({ goodKey }) => `${goodKey}\r\n${key('')}`)],
    [
      'something else as Authorization',
      asked('{ __typename }', {}, ['authorization: Bearer of.another.service']),
    ],
    [
      'a key as a cookie, which nobody reads',
      ({ goodKey }) => asked('{ __typename }', {}, [`cookie: x-api-key=${goodKey}`]),
    ],
    ['a wrong key for the health probe', head('GET /healthz HTTP/1.1', host, key('wrong'))],
    ...variants('the address', addresses, (address) =>
      asked('{ __typename }', {}, [`x-forwarded-for: ${address}`]),
    ),
  ]),
  ...attacks({ status: 405, code: 'METHOD_NOT_ALLOWED', leaves: 'open' }, [
    ['a key by TRACE', ({ goodKey }) => Buffer.from(head(`TRACE ${path} HTTP/1.1`, host, key(goodKey)))],
  ]),
]
