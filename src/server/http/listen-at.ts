/** Where a server listens: at one address, whatever a name means. */
import { lookup } from 'node:dns/promises'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

export interface ListenAddress {
  /** An address, or a name of this machine. */
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

/**
 * Resolves to such as `http://127.0.0.1:4000`. For the name `localhost` the framework would make one more server for
 * each further address of it, which knew neither the limits of connections nor how to stop.
 */
export async function listenAt(app: FastifyInstance, { host, port }: ListenAddress): Promise<string> {
  const { address } = await lookup(host, { order: 'ipv4first' })
  await app.listen({ host: address, port })
  const actual = app.server.address() as AddressInfo
  const name = actual.family === 'IPv6' ? `[${actual.address}]` : actual.address
  return `http://${name}:${actual.port}`
}
