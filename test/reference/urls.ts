/** Whether two texts are the same web address, written from docs/filters.md alone. */

const trackers =
  `_ga _gl _hsenc _hsmi at_campaign at_medium dclid fbclid gbraid gclid gclsrc igsh igshid mc_cid mc_eid
  mkt_tok msclkid srsltid ttclid twclid wbraid yclid`.split(/\s+/)

/** The parts of an address that count, as JSON; null if the text is no web address. */
export function countingParts(text: string): string | null {
  const scheme = ['http://', 'https://'].find((each) => text.toLowerCase().startsWith(each))
  if (scheme === undefined) return null
  const [beforeFragment = ''] = text.slice(scheme.length).split('#')
  const [location = '', ...queries] = beforeFragment.split('?')
  const [authority = '', ...segments] = location.split('/')
  const users = authority.split('@')
  let host = lower(users.pop() ?? '')
  if (host.startsWith('www.') && host.length > 4) host = host.slice(4)
  if (host === '') return null
  while (segments.at(-1) === '') segments.pop()
  const parameters = queries
    .join('?')
    .split('&')
    .filter((parameter) => parameter !== '' && !isTracker(parameter.split('=')[0] ?? ''))
  return JSON.stringify([users, host, segments, parameters])
}

function isTracker(name: string): boolean {
  return lower(name).startsWith('utm_') || trackers.includes(lower(name))
}

/** The letters A to Z only. */
function lower(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32))
}

/** The same of an address as it is given, which may lack the scheme. */
export function writtenParts(given: string): string | null {
  const text = given.trim()
  if (/^[a-z]+:(?!\d)/i.test(text)) return countingParts(text)
  return countingParts(`https://${text.replace(/^\/\//, '')}`)
}

export function isSameUrl(stored: string, given: string): boolean {
  const wanted = writtenParts(given)
  return wanted !== null && countingParts(stored) === wanted
}
