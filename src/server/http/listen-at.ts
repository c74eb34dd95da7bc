/** Makes a server listen at exactly one address, even if a host name has several. */
import { lookup } from 'node:dns/promises'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

export interface ListenAddress {
  /** An address, or a name of this host. */
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
}

/**
 * Resolves to a URL such as `http://127.0.0.1:4000`. For the name `localhost` the framework would create one more
 * server per further address, without the limits on connections and without the graceful shutdown.
 */
export async function listenAt(app: FastifyInstance, { host, port }: ListenAddress): Promise<string> {
  const { address } = await lookup(host, { order: 'ipv4first' })
  await app.listen({ host: address, port })
  const actual = app.server.address() as AddressInfo
  const name = actual.family === 'IPv6' ? `[${actual.address}]` : actual.address
  return `http://${name}:${actual.port}`
}
