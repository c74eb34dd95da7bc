/** Web addresses drawn for trouble: many are the same but for what does not count, and some only look like it. */
import fc from 'fast-check'
import { writtenParts } from '../../../reference/urls.ts'

const schemes = ['https://', 'https://', 'http://', 'HTTPS://', 'Http://']
const users = ['', '', '', '', 'me@', 'Me:pw@', 'a@b@', '@', 'www.@']
const hosts = [
  'example.com',
  'example.com',
  'www.example.com',
  'WWW.Example.com',
  'www.www.example.com',
  'www.',
  'www',
  'm.example.com',
  'example.com.',
  'example.com:443',
  'www.example.com:8080',
  '[2001:DB8::1]',
  '[::1]:80',
  'BÜCHER.example',
  'bücher.example',
  '\u212aelvin.example',
  'xn--bcher-kva.example',
  "it's.example",
  '%_.example',
  'a_b.example',
  'localhost',
]
const paths = [
  '',
  '',
  '/',
  '//',
  '/a',
  '/a/',
  '/a//',
  '/A',
  '/a/b',
  '/a%2Fb',
  '/a%2fb/',
  '/%_',
  '/%25',
  "/'",
  '/"',
  '/\\',
  '/é',
  '/e\u0301',
  '/😀/',
  '/a@b',
  '/a:b',
  '/www.a',
]
const parameters = [
  '',
  '',
  '?',
  '&',
  '=',
  'a=1',
  'a=1',
  'b=2',
  'A=1',
  'utm_source=x',
  'utm_source=x',
  'UTM_Medium=é',
  'utm_',
  'utm',
  'Utm_\u212a=1',
  '%75tm_source=x',
  'gclid=1',
  'GCLID',
  'gclid2=1',
  'fbclid=a=b',
  'fbclid?=1',
  '_ga=1',
  'x_ga=1',
  'at_medium=RSS',
  "q='",
  'q="%_',
  'url=https://example.com/a',
  'mc_eid',
  '\u0130gshid=1',
  'igshid=1',
]
const fragments = ['', '', '', '#', '#a', '#/a?b', '#?utm_source=x', '##']
const others = [
  'mailto:a@example.com',
  'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/a.b.c/d',
  'ftp://example.com/a',
  'httpss://example.com/a',
  'https:example.com/a',
  'urn:isbn:1',
  'example:a',
]

const queries = fc
  .array(fc.constantFrom(...parameters), { maxLength: 4 })
  .map((list) => (list.length === 0 ? '' : `?${list.join('&')}`))

const drawn = fc
  .tuple(
    ...[schemes, users, hosts, paths].map((list) => fc.constantFrom(...list)),
    queries,
    fc.constantFrom(...fragments),
  )
  .map((parts) => parts.join(''))

/** Of format `uri`. */
export const urls: fc.Arbitrary<string> = fc
  .oneof({ weight: 9, arbitrary: drawn }, { weight: 1, arbitrary: fc.constantFrom(...others) })
  .filter((text) => /^\w+:(?:\/\/)?[^\s/]\S*$/.test(text))

/** An address that `sameUrl` takes; often one of those present, written otherwise. */
export function writtenUrls(present: readonly string[]): fc.Arbitrary<string> {
  const addresses = present.filter((text) => writtenParts(text) !== null)
  const bare = fc
    .tuple(
      fc.constantFrom('', '//'),
      fc.constantFrom('example.com', 'www.Example.com', 'bücher.example', 'example.com:443'),
      fc.constantFrom(...paths),
      queries,
    )
    .map((parts) => parts.join(''))
  const any = fc.oneof({ weight: 3, arbitrary: drawn }, { weight: 1, arbitrary: bare })
  const respelt = fc
    .tuple(fc.constantFrom(...addresses, 'https://example.com/a'), fc.constantFrom(...spellings))
    .map(([text, spell]) => spell(text))
  return fc
    .oneof({ weight: 3, arbitrary: respelt }, { weight: 2, arbitrary: any })
    .filter((text) => writtenParts(text) !== null)
}

const spellings = [
  (text: string) => text,
  (text: string) => text.replace(/^https?/i, 'http'),
  (text: string) => text.replace(/^https?:\/\/www\./i, 'https://'),
  (text: string) => text.replace(/^https?:\/\//i, 'https://www.'),
  (text: string) => text.replace(/#.*$/s, ''),
  (text: string) => text.replace(/([?#].*)?$/s, '/$1'),
  (text: string) => ` ${text.replace(/#.*$/s, '')}${text.includes('?') ? '&' : '?'}utm_campaign=1#top `,
]
