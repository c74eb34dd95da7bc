/** Keys in URLs, however they are encoded: URLs are kept in histories and in the logs of everybody on the way. */
import { ServiceError } from '../../errors.ts'
import { holdsKey } from '../../util/api-key.ts'

/** Throws when a URL has a key in it, or a parameter that is called like one. */
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
/** More than anybody encodes by mistake. */
const rounds = 8

/** What it may be once it is read: escapes of URLs, in each other too, and those of JSON and GraphQL. */
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
