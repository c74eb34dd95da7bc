/**
 * The normal form of web addresses, by which two URLs are the same (docs/filters.md has the rule). `normalized_url` of
 * PostgreSQL (src/database/postgres/layout/functions.ts) returns exactly the same.
 */
import { hash } from 'node:crypto'

/** Parameters that tell where a visitor came from, in lower case, besides those that begin with `utm_`. */
export const trackingParameters = [
  '_ga',
  '_gl',
  '_hsenc',
  '_hsmi',
  'at_campaign',
  'at_medium',
  'dclid',
  'fbclid',
  'gbraid',
  'gclid',
  'gclsrc',
  'igsh',
  'igshid',
  'mc_cid',
  'mc_eid',
  'mkt_tok',
  'msclkid',
  'srsltid',
  'ttclid',
  'twclid',
  'wbraid',
  'yclid',
] as const

const tracking = new RegExp(`^(?:utm_[^=]*|${trackingParameters.join('|')})(?:=|$)`)
const web = /^https?:\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i

/**
 * Authority, path and query: without the scheme, `www.`, slashes at the end of the path, the fragment, and tracking
 * parameters; the host in lower case. Null if the text is no http or https URL with a host.
 */
export function normalizeUrl(text: string): string | null {
  const [isUrl, authority = '', path = '', query = ''] = web.exec(text) ?? []
  if (isUrl === undefined) return null
  const user = authority.slice(0, authority.lastIndexOf('@') + 1)
  const host = asciiLower(authority.slice(user.length)).replace(/^www\.(?=[^])/, '')
  if (host === '') return null
  const kept = query.split('&').filter((part) => part !== '' && !tracking.test(asciiLower(part)))
  return `${user}${host}${withoutSlashes(path)}${kept.length === 0 ? '' : `?${kept.join('&')}`}`
}

/** The same of a URL as people write it, also without a scheme, such as `example.com/page`. */
export function normalizeWrittenUrl(text: string): string | null {
  if (/\s/.test(text)) return null
  if (/^https?:\/\//i.test(text)) return normalizeUrl(text)
  const isBare = /^(?:\/\/)?[^/?#:@]+\.[^/?#:@]+(?::\d+)?(?:[/?#]|$)/.test(text)
  return isBare ? normalizeUrl(`https:${text.startsWith('//') ? '' : '//'}${text}`) : null
}

/** An integer of 48 bits: the hash of the normal form or, if there is none, of the text. */
export function urlHash(text: string): number {
  return hashOfNormal(normalizeUrl(text) ?? text)
}

export function hashOfNormal(normal: string): number {
  return Number.parseInt(hash('sha256', normal).slice(0, 12), 16)
}

function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** A loop, because a pattern of slashes at the end takes quadratic time. */
function withoutSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}
