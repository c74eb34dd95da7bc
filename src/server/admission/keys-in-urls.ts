/** Detects API keys in URLs, in any encoding: browser histories and logs of every server on the way store URLs. */
import { ServiceError } from '../../errors.ts'
import { holdsKey } from '../../util/api-key.ts'

/** Throws when a URL contains a key, or a parameter named like one. */
export function assertNoKeyInUrl(url: string): void {
  if (holdsKeySomewhere(url))
    throw new ServiceError(
      'BAD_REQUEST',
      'A key in the URL is not read, because others can see it there. Send it as the header X-API-Key, and have a key that was in a URL replaced now.',
    )
}

export function holdsKeySomewhere(url: string): boolean {
  if (holdsKey(url) || encoded.test(url)) return holdsKey(decode(url)) || namesKey(url)
  return url.includes('?') && namesKey(url)
}

function namesKey(url: string): boolean {
  const start = url.indexOf('?')
  if (start === -1) return false
  const names = url
    .slice(start + 1)
    .split('&')
    .map((pair) => decode(pair.split('=', 1)[0] ?? ''))
  return names.some((name) => keyNames.has(name.toLowerCase().replaceAll(/[-_]/g, '')))
}

const keyNames = new Set(['key', 'apikey', 'xapikey'])
const encoded = /[%\\]/
/** Maximum nested encodings; more do not happen by mistake. */
const rounds = 8

/** Decodes the escapes of URLs, also nested ones, and those of JSON and GraphQL. */
function decode(text: string): string {
  let decoded = text
  for (let round = 0; round < rounds && encoded.test(decoded); round += 1) {
    const next = decoded
      .replaceAll(/%(?:25)*([0-9a-f]{2})/gi, (_, digits) => characterOf(digits))
      .replaceAll(/\\u(?:00([0-9a-f]{2})|\{0*([0-9a-f]{2})\})/gi, (_, four, braced) =>
        characterOf(four ?? braced),
      )
    if (next === decoded) break
    decoded = next
  }
  return decoded
}

function characterOf(digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16))
}
