/** Owns the networks that limits count callers by, and the parsing of trusted proxies. */
import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { parseList } from '../../../util/text/list.ts'

/** The first 96 bits of IPv6 addresses whose last 32 are one of IPv4: compatible, mapped, translated, and by NAT64. */
const embedding = ['0:0:0:0:0:0', '0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '64:ff9b:0:0:0:0']

/**
 * The key that limits count an address by: IPv4 unchanged, also inside IPv6; IPv6 as its /64 network, which one caller
 * owns entirely. A Unix socket has no address: `local`. All invalid addresses from proxies share one key: `unknown`.
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined || address === '') return 'local'
  if (isIPv4(address)) return address
  const bare = withoutPort(address)
  if (isIP(bare) === 0) return 'unknown'
  const parsed = ipaddr.parse(bare)
  const parts = parsed instanceof ipaddr.IPv6 ? parsed.parts.map((part) => part.toString(16)) : []
  const isOwn = ['loopback', 'unspecified'].includes(parsed.range())
  if (!isOwn && embedding.includes(parts.slice(0, 6).join(':')))
    return parsed.toByteArray().slice(12).join('.')
  return parts.length === 0 ? parsed.toString() : `${parts.slice(0, 4).join(':')}::/64`
}

/** Whether only this host can reach a server that listens there. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || networkOf(host).startsWith('127.')
}

/** Some proxies write `192.0.2.1:54321` and `[2001:db8::1]:54321`; a zone only names a local network interface. */
function withoutPort(address: string): string {
  const [, six, four] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? []
  return (six ?? four ?? address).replace(/%.*$/s, '')
}

const groups = ['loopback', 'linklocal', 'uniquelocal']

/** Parses `--trusted-proxies` into the framework's form; throws one sentence per problem. */
export function parseTrustedProxies(text: string): string[] {
  const proxies = parseList(text)
  const problems = proxies.flatMap(proxyProblem)
  if (proxies.length === 0) problems.push('--trusted-proxies names nobody; leave it out to believe nobody.')
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return proxies
}

function proxyProblem(proxy: string): string[] {
  if (groups.includes(proxy)) return []
  const [address = '', bits, ...rest] = proxy.split('/')
  const version = isIP(address)
  const most = version === 4 ? 32 : 128
  if (version === 0 || rest.length > 0 || address.includes('%'))
    return [
      `--trusted-proxies: ${JSON.stringify(proxy)} is no address; write one such as 10.0.0.7, a network such as 10.0.0.0/8 or fd00::/8, or ${groups.join(', ')}.`,
    ]
  // A prefix of 0 bits would trust everybody, callers included.
  if (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= most)) return []
  return [
    `--trusted-proxies: ${JSON.stringify(proxy)} is no network; after the slash comes a number from 1 to ${most}.`,
  ]
}
