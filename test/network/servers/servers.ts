/** The two servers of an AT Protocol network, in this process: a directory of DIDs and a PDS. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PDS } from '@atproto/pds'
import { Database, PlcServer } from '@did-plc/server'
import { freePort } from '../../support/free-port.ts'

export type Servers = Awaited<ReturnType<typeof startServers>>

const adminPassword = 'of-tests-only'

export async function startServers() {
  await using started = new AsyncDisposableStack()
  const plcPort = await freePort()
  const plc = PlcServer.create({ db: Database.mock(), port: plcPort })
  await plc.start()
  started.defer(() => plc.destroy())
  const plcUrl = `http://localhost:${plcPort}`

  const folder = await mkdtemp(join(tmpdir(), 'lexigraph-pds-'))
  started.defer(() => rm(folder, { recursive: true }))
  const port = await freePort()
  const pds = await PDS.fromEnv({
    port,
    // Plain http is right, and requests to this machine are allowed.
    devMode: true,
    didPlcUrl: plcUrl,
    dataDirectory: folder,
    blobstoreDiskLocation: join(folder, 'blobs'),
    serviceHandleDomains: ['.test'],
    inviteRequired: false,
    adminPassword,
    jwtSecret: 'of-tests-only',
    plcRotationKeyK256PrivateKeyHex: '11'.repeat(32),
  })
  started.defer(() => pds.destroy())
  await pds.start()

  const servers = started.move()
  return {
    pdsUrl: `http://localhost:${port}`,
    plcUrl,
    /** What an administrator of the PDS sends along. */
    adminAuthorization: `Basic ${btoa(`admin:${adminPassword}`)}`,
    /** What is in an account's repository, whatever the account's state is; nothing when it is deleted. */
    recordsOf: async (did: string) => {
      const { actorStore } = pds.ctx
      if (!(await actorStore.exists(did))) return []
      return actorStore.read(did, async ({ record }) => {
        const lists = (await record.listCollections()).map((collection) =>
          record.listRecordsForCollection({ collection, limit: -1, reverse: true }),
        )
        return (await Promise.all(lists)).flat()
      })
    },
    [Symbol.asyncDispose]: () => servers.disposeAsync(),
  }
}
