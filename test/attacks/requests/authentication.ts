/** Attacks with keys: none, wrong ones, too many of them, in wrong places; and with addresses that are forged. */
import { createKey } from '../../../src/util/api-key.ts'
import { asked, type Attack, attacks, type Given, got, head, host, path } from '../attack.ts'

const unknown = createKey()
const key = (value: string): string => `x-api-key: ${value}`
const other = (digit: string): string => (digit === 'A' ? 'B' : 'A')
let addresses = 0
/** Every attack comes from an address of its own, so that none is slowed by the ones before. */
function with_(value: string | ((given: Given) => string)): (given: Given) => Uint8Array {
  addresses += 1
  const from = `x-forwarded-for: 192.0.2.${addresses}`
  return (given) => asked('{ __typename }', {}, [from, key(typeof value === 'string' ? value : value(given))])
}

/** For a server that believes what 127.0.0.1 says of addresses. */
export const authenticationAttacks: readonly Attack[] = [
  ...attacks({ status: 401, code: 'UNAUTHENTICATED', leaves: 'open' }, [
    ['an empty key', with_('')],
    ['white space for a key', with_(' \t ')],
    ['a key that is unknown', with_(unknown)],
    [
      'a key with another digit in its middle',
      with_(({ goodKey }) => goodKey.slice(0, 15) + other(goodKey.charAt(15)) + goodKey.slice(16)),
    ],
    ['a key as a bearer', with_(({ goodKey }) => `Bearer ${goodKey}`)],
    ['a good key twice', with_(({ goodKey }) => `${goodKey}, ${goodKey}`)],
    ['a good key and another', with_(({ goodKey }) => `${goodKey},${unknown}`)],
    ['two headers with the good key', with_(({ goodKey }) => `${goodKey}\r\n${key(goodKey)}`)],
    ['two headers, of which one is empty', with_(({ goodKey }) => `${goodKey}\r\n${key('')}`)],
    ['a key that was revoked', with_(({ revokedKey }) => revokedKey)],
    ['a key that was replaced', with_(({ endedKey }) => endedKey)],
    ['SQL for a key', with_("' or '1'='1")],
    ['a key of 10,000 characters', with_(`lgk_${'A'.repeat(10_000)}`)],
    ['bytes that are no text', with_('\xff\xfe')],
    ['the good key in letters that look the same', with_(({ goodKey }) => goodKey.replace('k', '\u043a'))],
    [
      'the good key as Authorization',
      ({ goodKey }) => asked('{ __typename }', {}, [`authorization: Bearer ${goodKey}`]),
    ],
    ['the good key with a non-breaking space in UTF-8', with_(({ goodKey }) => `${goodKey}\xc2`)],
  ]),
  ...attacks({ status: 400, code: 'BAD_REQUEST', leaves: 'open' }, [
    ['a good key in the URL', ({ goodKey }) => Buffer.from(got(`query=%7B__typename%7D&apiKey=${goodKey}`))],
    [
      'a good key in the URL by another name',
      ({ goodKey }) => Buffer.from(got(`query=%7B__typename%7D&token=${goodKey}`)),
    ],
    [
      'a good key in the URL, in escapes of escapes',
      ({ goodKey }) => Buffer.from(got(`query=%7B__typename%7D&token=${goodKey.replace('_', '%255f')}`)),
    ],
    [
      'a good key in variables, in an escape of JSON',
      ({ goodKey }) =>
        Buffer.from(
          got(`query=%7B__typename%7D&variables=%7B%22a%22:%22${goodKey.replace('_', '%5Cu005f')}%22%7D`),
        ),
    ],
    ...['/api/graphql?%6bey=1', '/schema.graphql?key=1', '/healthz?api_key=1', '/playground/?key'].map(
      (target): readonly [string, string] => [
        `a key in the URL ${target}`,
        head(`GET ${target} HTTP/1.1`, host, 'accept: text/html'),
      ],
    ),
    [
      'a good key in a path',
      ({ goodKey }) => Buffer.from(head(`GET /${goodKey.replace('_', '%5f')} HTTP/1.1`, host)),
    ],
    ['a key in the URL, with hyphens', () => Buffer.from(got('query=%7B__typename%7D&x-api-key=1'))],
  ]),
  ...attacks({ status: 413, code: 'PAYLOAD_TOO_LARGE', leaves: 'closed' }, [
    ['a key of a megabyte', with_('A'.repeat(1_000_000))],
  ]),
  ...attacks({ status: 200, code: null, leaves: 'open' }, [
    ['a good key', with_(({ goodKey }) => goodKey)],
    ['a good key with white space around it', with_(({ goodKey }) => ` \t ${goodKey} \t`)],
    ['no key at all', asked('{ __typename }')],
    [
      'something else as Authorization',
      asked('{ __typename }', {}, ['authorization: Bearer of.another.service']),
    ],
    [
      'a key as a cookie, which nobody reads',
      ({ goodKey }) => asked('{ __typename }', {}, [`cookie: x-api-key=${goodKey}`]),
    ],
    ['a wrong key for the health probe', head('GET /healthz HTTP/1.1', host, key('wrong'))],
    ['an address that is none', asked('{ __typename }', {}, ['x-forwarded-for: nonsense'])],
    ['an empty address', asked('{ __typename }', {}, ['x-forwarded-for:'])],
    [
      'an address of 10,000 characters',
      asked('{ __typename }', {}, [`x-forwarded-for: ${'1'.repeat(10_000)}`]),
    ],
    [
      'an address with SQL',
      asked('{ __typename }', {}, ["x-forwarded-for: 1.1.1.1'; drop table api_key; --"]),
    ],
    [
      '1,000 addresses',
      asked('{ __typename }', {}, [
        `x-forwarded-for: ${Array.from({ length: 1_000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`).join(',')}`,
      ]),
    ],
    ['an address of a zone', asked('{ __typename }', {}, ['x-forwarded-for: fe80::1%eth0'])],
    ['an address with a port', asked('{ __typename }', {}, ['x-forwarded-for: [2001:db8::1]:443'])],
  ]),
  ...attacks({ status: 405, code: 'METHOD_NOT_ALLOWED', leaves: 'open' }, [
    ['a key by TRACE', ({ goodKey }) => Buffer.from(head(`TRACE ${path} HTTP/1.1`, host, key(goodKey)))],
  ]),
]
