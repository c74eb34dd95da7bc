/** Addresses of callers as far as limits go, and the proxies that are believed about them. */
import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'

/**
 * What an address is counted as: IPv4 as it is, IPv6 as its network of 64 bits, of which one caller has all
 * addresses. A socket file has no address: `local`. What proxies have written that is none is all one: `unknown`.
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined || address === '') return 'local'
  if (isIPv4(address)) return address
  // Worked out, it takes as long as a small answer.
  let network = known.get(address)
  if (network === undefined) {
    network = workOut(withoutPort(address))
    known.set(address, network)
  }
  return network
}

/** By size: what callers write may come through a proxy. */
const known = new LRUCache<string, string>({ maxSize: 2_000_000, sizeCalculation: sizeOf })

/** An entry takes more than its characters. */
const overhead = 150

function sizeOf(network: string, address: string): number {
  return overhead + network.length + address.length
}

function workOut(bare: string): string {
  if (isIP(bare) === 0) return 'unknown'
  const parsed = ipaddr.process(bare)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const network = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}

/** Some proxies write `192.0.2.1:54321` and `[2001:db8::1]:54321`; a zone names only a network card of ours. */
function withoutPort(address: string): string {
  const [, six, four] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? []
  return (six ?? four ?? address).replace(/%.*$/s, '')
}

const groups = ['loopback', 'linklocal', 'uniquelocal']

/** What `--trusted-proxies` names, as the framework takes it; fails with a sentence for each problem. */
export function parseTrustedProxies(text: string): string[] {
  const proxies = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
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
  // Everybody would be believed, the callers too.
  if (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= most)) return []
  return [
    `--trusted-proxies: ${JSON.stringify(proxy)} is no network; after the slash comes a number from 1 to ${most}.`,
  ]
}
